package standin

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
)

// The structs of parameters and results spell their fields as the API does,
// so they need no tags and can be compared with its documentation.

// decode reads a request body into P the way the real gateway does: required
// parameters must be there, unknown names and wrong types are refused, and
// names are case-sensitive.
func decode[P any](body []byte, required []string) (P, *apiError) {
	var p P
	given := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(body)) > 0 {
		if err := json.Unmarshal(body, &given); err != nil {
			return p, fail("InvalidParameter", "The request body is not a JSON object.")
		}
	}
	for _, name := range required {
		if v, ok := given[name]; !ok || string(v) == "null" {
			return p, fail("MissingParameter", "The request is missing a required parameter `%s`.", name)
		}
	}
	known := reflect.TypeFor[P]()
	for name := range given {
		if _, ok := known.FieldByName(name); !ok {
			return p, unknown(name)
		}
	}
	if len(given) == 0 {
		return p, nil
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	err := d.Decode(&p)
	if err == nil {
		return p, nil
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return p, fail("InvalidParameter", "The value type of parameter `%s` is not valid.", wrong.Field)
	}
	if _, name, ok := strings.Cut(err.Error(), "unknown field "); ok {
		return p, unknown(strings.Trim(name, `"`))
	}
	return p, fail("InvalidParameter", "The request body cannot be read: %v.", err)
}

func unknown(name string) *apiError {
	return fail("UnknownParameter", "The parameter `%s` is not recognized.", name)
}

// targets are the instances that a call is about: ids, or the name of a create.
// They are read loosely, for the log of calls and for matching faults.
func targets(body []byte) []string {
	var p struct {
		DBInstanceId, Name, Resource string
		DBInstanceIdSet              []string
		Filters                      []filter
	}
	if json.Unmarshal(body, &p) != nil {
		return nil
	}
	var out []string
	_, tagged := resourceID(p.Resource)
	for _, one := range []string{p.DBInstanceId, p.Name, tagged} {
		if one != "" {
			out = append(out, one)
		}
	}
	out = append(out, p.DBInstanceIdSet...)
	for _, f := range p.Filters {
		if f.Name == "db-instance-id" || f.Name == "db-instance-name" {
			out = append(out, f.Values...)
		}
	}
	return out
}

type filter struct {
	Name   string
	Values []string
}
