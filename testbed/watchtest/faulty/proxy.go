package faulty

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"time"
)

// Proxy is a running proxy.
type Proxy struct {
	URL string

	target    *url.URL
	transport http.RoundTripper
	server    *httptest.Server

	mu     sync.Mutex
	fault  *Fault
	always func(url.Values)
	holds  []*Hold
	struck int
	seen   []*http.Request
	open   map[*context.CancelFunc]bool
}

// Start makes a proxy of the server at target, which is reached by transport.
func Start(target string, transport http.RoundTripper) (*Proxy, error) {
	to, err := url.Parse(target)
	if err != nil {
		return nil, err
	}
	p := &Proxy{target: to, transport: transport, open: map[*context.CancelFunc]bool{}}
	p.server = httptest.NewServer(p)
	p.URL = p.server.URL
	return p, nil
}

// Close cuts all connections.
func (p *Proxy) Close() {
	p.server.CloseClientConnections()
	p.Cut()
	p.server.Close()
}

// Set begins a fault; nil heals. It befalls answers under way too, but one that
// fell silent stays so.
func (p *Proxy) Set(f *Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.struck = f, 0
}

// Always has the query of every request changed, before any fault.
func (p *Proxy) Always(edit func(url.Values)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.always = edit
}

// Struck is how many requests the present fault has befallen, answers under way
// included.
func (p *Proxy) Struck() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.struck
}

// Cut cuts all answers under way.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for cancel := range p.open {
		(*cancel)()
	}
}

// Count is how many requests of a sort there have been.
func (p *Proxy) Count(which func(*http.Request) bool) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.seen {
		if which(r) {
			n++
		}
	}
	return n
}

// strike is the fault that befalls a request now; nil: none.
func (p *Proxy) strike(r *http.Request) *Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.fault.strikes(r) {
		return nil
	}
	p.struck++
	return p.fault
}

func (p *Proxy) edit(r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.always != nil {
		q := r.URL.Query()
		p.always(q)
		r.URL.RawQuery = q.Encode()
	}
}

// begin notes a request; the context ends by Cut too.
func (p *Proxy) begin(r *http.Request) (context.Context, func()) {
	ctx, cancel := context.WithCancel(r.Context())
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = append(p.seen, r)
	p.open[&cancel] = true
	return ctx, func() {
		cancel()
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.open, &cancel)
	}
}

// ServeHTTP passes a request on, if no fault befalls it.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, end := p.begin(r)
	defer end()
	body, err := buffered(r)
	if err != nil {
		abort()
	}
	hold := p.stops(r, body)
	if hold != nil && !hold.After && !hold.keep(ctx) {
		abort()
	}
	out := r.Clone(ctx)
	out.RequestURI = ""
	out.URL.Scheme, out.URL.Host, out.Host = p.target.Scheme, p.target.Host, p.target.Host
	out.Header.Del("Accept-Encoding")
	p.edit(out)
	if f := p.strike(r); f != nil {
		if !rest(ctx, f.Delay) {
			abort()
		}
		if f.Edit != nil {
			q := out.URL.Query()
			f.Edit(q)
			out.URL.RawQuery = q.Encode()
		}
		if f.Answer != nil {
			f.Answer(w, r)
			return
		}
		if f.Silent {
			silence(ctx)
		}
	}
	answer, err := p.transport.RoundTrip(out)
	if err != nil {
		abort()
	}
	defer answer.Body.Close()
	if hold != nil && hold.After && !hold.keepAnswer(ctx, answer) {
		abort()
	}
	for k, v := range answer.Header {
		w.Header()[k] = v
	}
	w.Header().Del("Content-Length")
	w.WriteHeader(answer.StatusCode)
	w.(http.Flusher).Flush()
	p.pass(ctx, w, r, answer.Body)
}

// pass hands an answer on, piece by piece as it comes.
func (p *Proxy) pass(ctx context.Context, w http.ResponseWriter, r *http.Request, body io.Reader) {
	piece := make([]byte, 64<<10)
	for {
		n, err := body.Read(piece)
		part := piece[:n]
		if n > 0 {
			if f := p.strike(r); f != nil {
				switch {
				case f.Silent:
					silence(ctx)
				case f.Half:
					w.Write(part[:n/2])
					w.(http.Flusher).Flush()
					abort()
				case f.Lose:
					part = nil
				}
			}
			w.Write(part)
			w.(http.Flusher).Flush()
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			abort()
		}
	}
}

// abort cuts the connection.
func abort() { panic(http.ErrAbortHandler) }

// silence keeps the connection and says nothing, until the client has gone.
func silence(ctx context.Context) {
	<-ctx.Done()
	abort()
}

func rest(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
