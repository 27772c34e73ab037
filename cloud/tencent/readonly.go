package tencent

import (
	"fmt"
	"net/http"
	"strings"
)

// ReadOnly is a transport over which nothing can be changed or bought: it refuses
// every action but those that describe or inquire. nil stands for the default.
func ReadOnly(next http.RoundTripper) http.RoundTripper {
	if next == nil {
		next = newWire(nil).base
	}
	return readOnly{next}
}

type readOnly struct{ next http.RoundTripper }

// RoundTrip is http.RoundTripper's.
func (r readOnly) RoundTrip(request *http.Request) (*http.Response, error) {
	name := ""
	for header, values := range request.Header { // the SDK spells it in its own way
		if strings.EqualFold(header, "X-TC-Action") && len(values) == 1 {
			name = values[0]
		}
	}
	if strings.HasPrefix(name, "Describe") || strings.HasPrefix(name, "InquiryPrice") {
		return r.next.RoundTrip(request)
	}
	if request.Body != nil {
		request.Body.Close() // as a RoundTripper must
	}
	return nil, neverSent{fmt.Errorf("%q may change something, and only reading is allowed here; this is a bug in Mote", name)}
}
