package tencent

import (
	"encoding/json"
	"errors"
	"fmt"

	"example.com/mote/jsonscan"
)

// envelope is an answer of the API's form, {"Response": {..., "RequestId": ...}}.
type envelope struct {
	response  []byte // the inner object
	requestID string
	// short is the answer without what it answers. The SDK decodes each answer
	// five times, four of them in search of an error: 10 ms for a page of 100 instances.
	short []byte
}

// open reads the envelope of an answer; an error says that it has another form.
func open(body []byte) (envelope, error) {
	var e envelope
	failed := []byte("null")
	s := jsonscan.New(body)
	inner := func(key []byte) (err error) {
		switch string(key) {
		case "RequestId":
			err = s.String(&e.requestID)
		case "Error":
			failed, err = s.Raw()
		default:
			err = s.Skip()
		}
		return err
	}
	err := s.Object(func(key []byte) (err error) {
		if string(key) != "Response" {
			return s.Skip()
		}
		e.response, err = s.Span(func() error { return s.Object(inner) })
		return err
	})
	if err == nil {
		err = s.End()
	}
	if err != nil {
		return envelope{}, err
	}
	if e.requestID == "" {
		return envelope{}, errors.New("no answer without a request id")
	}
	id, err := json.Marshal(e.requestID)
	e.short = fmt.Appendf(nil, `{"Response":{"RequestId":%s,"Error":%s}}`, id, failed)
	return e, err
}
