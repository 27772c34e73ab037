package lean

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestTrim(t *testing.T) {
	for text, want := range map[string]string{
		`{"kind":"X","metadata":{"name":"a","managedFields":[{"manager":"m","fieldsV1":{"f:a":{}}}],"uid":"1"},"spec":{"managedFields":[1]}}`: `{"kind":"X","metadata":{"name":"a","managedFields":null,"uid":"1"},"spec":{"managedFields":[1]}}`,
		` { "metadata" : { "managedFields" : [ {"a":"]}"} ] } } `:                                                                             `{"metadata":{"managedFields":null}}`,
		`{"metadata":{"name":"a"}}`: `{"metadata":{"name":"a"}}`,
		`{"metadata":{"managedFields":[1],"annotations":{"a":"b","kubectl.kubernetes.io/last-applied-configuration":"{\"x\":1}","c":"d"},"name":"n"},"spec":1}`: `{"metadata":{"managedFields":null,"annotations":{"a":"b","kubectl.kubernetes.io/last-applied-configuration":"","c":"d"},"name":"n"},"spec":1}`,
		`{"metadata":null}`: `{"metadata":null}`,
	} {
		given := append(make([]byte, 0, 3*len(text)), text...)
		got, err := Trim(given)
		var have, asked any
		if err != nil || json.Unmarshal(got, &have) != nil || json.Unmarshal([]byte(want), &asked) != nil || !reflect.DeepEqual(have, asked) {
			t.Errorf("%s became %s, %v", text, got, err)
		}
		for i := range given {
			given[i] = 'x'
		}
		if err := json.Unmarshal(got, &have); err != nil {
			t.Errorf("%s: its memory is not its own", text)
		}
	}
	if _, err := Trim([]byte(`{"metadata":{"managedFields":[`)); err == nil {
		t.Error("half an object was no error")
	}
}
