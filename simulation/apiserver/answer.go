package apiserver

import (
	"encoding/json"
	"fmt"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// respond writes an object, or a status that says what is wrong.
func respond(w http.ResponseWriter, o any, st *metav1.Status) {
	code := http.StatusOK
	if st != nil {
		st.Kind, st.APIVersion, st.Status = "Status", "v1", metav1.StatusFailure
		o, code = st, int(st.Code)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(o) // the caller may be gone
}

func badRequest(format string, a ...any) *metav1.Status {
	return &metav1.Status{Code: http.StatusBadRequest, Reason: metav1.StatusReasonBadRequest, Message: fmt.Sprintf(format, a...)}
}

func (q request) refusal(code int32, reason metav1.StatusReason, format string, a ...any) *metav1.Status {
	return &metav1.Status{Code: code, Reason: reason, Message: fmt.Sprintf("%s.%s %q ", q.kind.resource, q.kind.group, q.name) + fmt.Sprintf(format, a...),
		Details: &metav1.StatusDetails{Name: q.name, Group: q.kind.group, Kind: q.kind.resource}}
}

func (q request) notFound() *metav1.Status {
	return q.refusal(http.StatusNotFound, metav1.StatusReasonNotFound, "not found")
}

func (q request) conflict(format string, a ...any) *metav1.Status {
	return q.refusal(http.StatusConflict, metav1.StatusReasonConflict, "cannot be written: "+format, a...)
}

// invalid is the refusal of a value.
func (q request) invalid(field, message string) *metav1.Status {
	st := q.refusal(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "is invalid: %s: %s", field, message)
	st.Details.Kind = q.kind.name
	st.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeFieldValueInvalid, Field: field, Message: message}}
	return st
}

// expired is the refusal of what begins before all that is remembered.
func expired(format string, a ...any) *metav1.Status {
	return &metav1.Status{Code: http.StatusGone, Reason: metav1.StatusReasonExpired, Message: fmt.Sprintf(format, a...)}
}
