package standin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// ControlPath begins the paths of the control endpoint, which answers on the
// loopback interface only and asks for no credentials:
//
//	GET    ledger          []Entry; ?region=NAME for one region
//	GET    instances/ID    Entry
//	POST   instances/ID    Change -> Entry
//	GET    faults          []Fault
//	POST   faults          Fault or []Fault, added -> their ids
//	PUT    faults          Fault or []Fault, instead of all others -> their ids
//	DELETE faults          all, or those of ?id=1,2
//	GET    keys            ids
//	PUT    keys            []Key
//	GET    calls           Calls; ?since=SEQ for the later ones
//	DELETE calls           forgets counts and calls
//	GET    limits          Limits
//	PUT    limits          Limits
//
// A refusal is status 400 or 404 with one line of text.
const ControlPath = "/_standin/"

func (s *Server) serveControl(w http.ResponseWriter, r *http.Request) {
	what, id, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, ControlPath), "/")
	result, err := s.control(r, r.Method+" "+what, id)
	if err == errNoRoute {
		http.Error(w, "no "+r.Method+" "+r.URL.Path+" here", http.StatusNotFound)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	body, err := json.Marshal(result)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	writeJSON(w, append(body, '\n'))
}

var errNoRoute = errors.New("no such route")

// done is the answer of what has nothing to tell.
var done = map[string]string{"status": "ok"}

func (s *Server) control(r *http.Request, route, id string) (any, error) {
	if (id != "") != strings.HasSuffix(route, " instances") {
		return nil, errNoRoute
	}
	query := r.URL.Query()
	switch route {
	case "GET ledger":
		return s.ledgerOf(func(e Entry) bool { return query.Get("region") == "" || query.Get("region") == e.Region }), nil
	case "GET instances":
		found := s.ledgerOf(func(e Entry) bool { return e.ID == id })
		if len(found) == 0 {
			return nil, fmt.Errorf("no instance %q", id)
		}
		return found[0], nil
	case "POST instances":
		c, err := read1[Change](r)
		if err != nil {
			return nil, err
		}
		return s.Console(id, c)
	case "GET faults":
		return s.Faults(), nil
	case "POST faults", "PUT faults":
		faults, err := readSome[Fault](r)
		if err != nil {
			return nil, err
		}
		if r.Method == http.MethodPut {
			return ids(s.SetFaults(faults...))
		}
		return ids(s.AddFaults(faults...))
	case "DELETE faults":
		var which []int
		for _, text := range strings.FieldsFunc(query.Get("id"), func(r rune) bool { return r == ',' }) {
			n, err := strconv.Atoi(text)
			if err != nil {
				return nil, fmt.Errorf("id: %q is not a number", text)
			}
			which = append(which, n)
		}
		s.ClearFaults(which...)
		return done, nil
	case "GET keys":
		return s.KeyIDs(), nil
	case "PUT keys":
		keys, err := readSome[Key](r)
		if err != nil {
			return nil, err
		}
		return done, s.SetKeys(keys...)
	case "GET calls":
		since := 0
		if text := query.Get("since"); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil {
				return nil, fmt.Errorf("since: %q is not a number", text)
			}
			since = n
		}
		return s.Calls(since), nil
	case "DELETE calls":
		s.ResetCalls()
		return done, nil
	case "GET limits":
		return s.Limits(), nil
	case "PUT limits":
		l, err := read1[Limits](r)
		if err != nil {
			return nil, err
		}
		s.SetLimits(l)
		return done, nil
	}
	return nil, errNoRoute
}

func (s *Server) ledgerOf(keep func(Entry) bool) []Entry {
	out := []Entry{}
	for _, e := range s.Ledger() {
		if keep(e) {
			out = append(out, e)
		}
	}
	return out
}

func ids(given []int, err error) (any, error) { return map[string][]int{"ids": given}, err }

func read1[T any](r *http.Request) (T, error) {
	var v T
	err := understand(http.MaxBytesReader(nil, r.Body, maxBody), &v)
	return v, err
}

// readSome reads one value or a list of them.
func readSome[T any](r *http.Request) ([]T, error) {
	raw, err := read1[json.RawMessage](r)
	if err != nil {
		return nil, err
	}
	many := []T{}
	if bytes.HasPrefix(raw, []byte("[")) {
		err := understand(bytes.NewReader(raw), &many)
		return many, err
	}
	var single T
	err = understand(bytes.NewReader(raw), &single)
	return append(many, single), err
}

// understand refuses names that it does not know: a misspelt fault that does
// nothing would pass for a passed test.
func understand(from io.Reader, v any) error {
	d := json.NewDecoder(from)
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("the body is not understood: %w", err)
	}
	return nil
}
