package killtest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// offence is what must not happen, whatever dies when.
type offence string

const (
	boughtTwice offence = "bought twice"
	abandoned   offence = "an instance lives without its object"
	stuck       offence = "stuck"
	trouble     offence = "the test could not go on"
)

// finding is one offence that was seen.
type finding struct {
	offence
	what string
}

// find notes an offence, which ends the site's script.
func (s *site) find(o offence, format string, a ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() == nil { // what comes after the first one comes of it
		s.findings = append(s.findings, finding{o, fmt.Sprintf(format, a...)})
		s.end()
	}
}

// must ends the script when something failed that has to do with the test alone.
func (s *site) must(err error) {
	if err != nil {
		s.find(trouble, "%v", err)
		runtime.Goexit()
	}
}

// patience is how long anything is waited for at most. It only decides when a
// test that fails gives up.
const (
	patience = 3 * time.Minute
	glance   = 50 * time.Millisecond
)

// until polls until try returns nil.
func (s *site) until(what string, try func() error) {
	for limit := time.Now().Add(patience); ; time.Sleep(glance) {
		err := try()
		if s.ctx.Err() != nil {
			runtime.Goexit()
		}
		switch {
		case err == nil:
			return
		case time.Now().After(limit):
			s.find(stuck, "waited for: %s; last seen: %v", what, err)
			runtime.Goexit()
		}
		s.must(s.endedByItself())
	}
}

// endedByItself is an error when a process of mote is not there any more although
// nobody killed it.
func (s *site) endedByItself() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.motes {
		select {
		case <-p.Done():
			if err := p.Err(); err == nil || err.Error() != "signal: killed" {
				return fmt.Errorf("%s ended by itself: %v", p.Name, err)
			}
		default:
		}
	}
	return nil
}

// guard watches, until the script has ended, that nothing is bought twice and
// nothing lives without its object.
func (s *site) guard() {
	ctx := context.Background() // what is under way when the script ends may come to its end
	for ; s.ctx.Err() == nil; time.Sleep(glance) {
		// In this order: an object that is gone was gone when the ledger was read.
		known := map[string]*life{}
		for _, l := range s.all() {
			known["mote-"+l.uid] = l
		}
		objects, err := s.objects().List(ctx, metav1.ListOptions{})
		if err != nil {
			continue
		}
		there := map[string]bool{}
		for _, o := range objects.Items {
			there["mote-"+string(o.GetUID())] = true
		}
		ledger, err := s.cloud.Ledger(ctx)
		if err != nil {
			continue
		}
		bought := map[string]string{}
		for _, e := range ledger {
			l := known[e.Name]
			if first := bought[e.Name]; first != "" {
				s.find(boughtTwice, "%s and %s were bought for one object", first, e.ID)
			}
			bought[e.Name] = e.ID
			if l != nil && !there[e.Name] && e.Billed {
				s.find(abandoned, "%s is gone, and its instance %s is %s, and billed", l.name, e.ID, e.Status)
			}
		}
	}
}

// verdict is an error that names all findings.
func verdict(findings []finding) error {
	var lines []string
	for _, f := range findings {
		lines = append(lines, string(f.offence)+": "+f.what)
	}
	if lines == nil {
		return nil
	}
	return errors.New(strings.Join(lines, "\n"))
}
