package standin

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// slowPieces is how many pieces a slow body comes in.
const slowPieces = 10

// strike answers a call as the fault says. answer is the true answer, nil when
// the effect has not been made. It may not return: a cut is a panic that
// net/http (and Transport) turn into a closed connection.
func (s *Server) strike(ctx context.Context, w http.ResponseWriter, call *Call, f *Fault, requestID string, answer []byte, effect bool) {
	s.calls.end(call, pending, f.Kind, effect)
	defer s.calls.end(call, "fault", f.Kind, effect)
	switch f.Kind {
	case ErrorCode:
		s.writeFailure(w, requestID, fail(f.Code, "%s", cmp.Or(f.Message, "An error on demand.")))
	case Cut:
		panic(http.ErrAbortHandler)
	case BadGateway:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		fmt.Fprint(w, "<html><head><title>502 Bad Gateway</title></head>"+
			"<body><center><h1>502 Bad Gateway</h1></center></body></html>\n")
	case ServerErr:
		body, err := json.Marshal(map[string]any{"Response": map[string]string{"RequestId": requestID}})
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusInternalServerError)
		w.Write(body)
	case EmptyBody:
		writeJSON(w, nil)
	case Hang:
		<-ctx.Done()
		panic(http.ErrAbortHandler)
	case SlowBody:
		s.writeSlowly(ctx, w, answer, f.Delay)
	case Truncated:
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		w.WriteHeader(http.StatusOK)
		w.Write(answer[:len(answer)/2])
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// writeSlowly sends the head at once and the body over d.
func (s *Server) writeSlowly(ctx context.Context, w http.ResponseWriter, body []byte, d time.Duration) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	out := http.NewResponseController(w)
	for i := range slowPieces {
		out.Flush()
		s.sleep(ctx, d/slowPieces)
		if ctx.Err() != nil {
			panic(http.ErrAbortHandler)
		}
		w.Write(body[i*len(body)/slowPieces : (i+1)*len(body)/slowPieces])
	}
}
