package probe

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"example.com/mote/metric"
)

// Bounds of what a client can ask of the listener. There is no authentication and
// nothing to change; so little is taken from anybody, and a connection serves one
// request: none is held open for longer than it takes.
const (
	connections = 32      // at once; more wait to be accepted
	headerBytes = 8 << 10 // of a request
	readWithin  = 5 * time.Second
	writeWithin = 10 * time.Second
)

// Listen opens the address, so that one that cannot be used is known at once.
func Listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	return &bounded{Listener: l, open: make(chan struct{}, connections), closed: make(chan struct{})}, nil
}

// Serve answers until over is called, which waits for answers under way. From the
// moment at which stopping is done, /readyz says that the process stops.
func Serve(stopping context.Context, l net.Listener, b *Board, log *slog.Logger) (over func()) {
	h := &handler{stopping: stopping, board: b}
	s := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: readWithin, ReadTimeout: readWithin, WriteTimeout: readWithin + writeWithin,
		MaxHeaderBytes:               headerBytes,
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelDebug), // what clients do wrong
	}
	s.SetKeepAlivesEnabled(false)
	log.Info("listening", "address", l.Addr().String(), "paths", "/healthz /readyz /metrics")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Error("the listener of /healthz, /readyz and /metrics broke; Mote goes on without it", "error", err.Error())
		}
	}()
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(stopping), time.Second)
		defer cancel()
		if s.Shutdown(ctx) != nil {
			s.Close()
		}
		<-ended
	}
}

type handler struct {
	stopping context.Context
	board    *Board
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	counts, parts := h.board.up()
	switch r.URL.Path {
	case "/healthz":
		var c checks
		for _, p := range parts {
			p.Alive(c.tell)
		}
		c.answer(w, r)
	case "/readyz":
		var c checks
		trouble := ""
		if h.stopping.Err() != nil {
			trouble = "the process was asked to stop"
		}
		c.tell("shutdown", trouble, time.Time{})
		for _, p := range parts {
			p.Ready(c.tell)
		}
		c.answer(w, r)
	case "/metrics":
		var page metric.Page
		for _, c := range counts {
			c.Metrics(&page)
		}
		for _, p := range parts {
			p.Metrics(&page)
		}
		w.Header().Set("Content-Type", metric.ContentType)
		page.WriteTo(w)
	default:
		if more := h.board.handler(r.URL.Path); more != nil {
			more.ServeHTTP(w, r)
			return
		}
		http.Error(w, "there are /healthz, /readyz and /metrics", http.StatusNotFound)
	}
}

// checks are the lines of an answer, in the form of the API server's own.
type checks struct {
	lines  []string
	failed bool
}

func (c *checks) tell(check, trouble string, since time.Time) {
	switch {
	case trouble == "":
		c.lines = append(c.lines, "[+]"+check+" ok")
		return
	case since.IsZero():
		c.lines = append(c.lines, "[-]"+check+" failed: "+trouble)
	default:
		c.lines = append(c.lines, "[-]"+check+" failed since "+since.UTC().Format(time.RFC3339)+": "+trouble)
	}
	c.failed = true
}

// answer is "ok"; each check by its name when it is asked for by ?verbose, or
// when one fails.
func (c *checks) answer(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	name := strings.TrimPrefix(r.URL.Path, "/")
	switch {
	case c.failed:
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintf(w, "%s\n%s check failed\n", strings.Join(c.lines, "\n"), name)
	case r.URL.Query().Has("verbose"):
		fmt.Fprintf(w, "%s\n", strings.Join(append(c.lines, name+" check passed"), "\n"))
	default:
		fmt.Fprint(w, "ok\n")
	}
}
