package standin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// apiError is an answer with an error code, sent with HTTP status 200.
type apiError struct{ Code, Message string }

func (e *apiError) Error() string { return e.Code + ": " + e.Message }

func fail(code, format string, args ...any) *apiError {
	return &apiError{code, fmt.Sprintf(format, args...)}
}

// empty is the answer of an action that only says that it was done.
type empty struct{}

// answer puts a result or an error into the API's envelope.
func answer(requestID string, result any, failed *apiError) ([]byte, error) {
	if failed != nil {
		result = struct{ Error *apiError }{failed}
	}
	inner, err := json.Marshal(result)
	if err != nil {
		return nil, err
	}
	id, err := json.Marshal(requestID)
	if err != nil {
		return nil, err
	}
	out := append([]byte(`{"Response":`), inner[:len(inner)-1]...)
	if len(inner) > len("{}") {
		out = append(out, ',')
	}
	out = append(out, `"RequestId":`...)
	out = append(out, id...)
	return append(out, "}}"...), nil
}

func writeJSON(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	w.Write(body)
}
