package e2e

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// patience is how long a test waits for anything at most. It is far more than is
// needed: it only decides when a test that fails gives up.
const (
	patience = 2 * time.Minute
	glance   = 100 * time.Millisecond
)

// eventually polls until try returns nil. A test that gives up tells the last error.
func eventually(t *testing.T, what string, try func() error) {
	t.Helper()
	began := time.Now()
	for {
		err := try()
		if err == nil {
			t.Logf("%6s  %s", time.Since(began).Round(100*time.Millisecond), what)
			return
		}
		var over fatal
		if errors.As(err, &over) || time.Since(began) > patience {
			t.Fatalf("waited %s for: %s\nlast seen: %v", time.Since(began).Round(time.Second), what, err)
		}
		time.Sleep(glance)
	}
}

// fatal is an error that waiting does not cure.
type fatal struct{ error }

// errNone is that of what is waited for nothing is there yet.
var errNone = errors.New("there is none")

// says complains of the words that a text lacks.
func says(text string, words ...string) error {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return fmt.Errorf("it does not say %q:\n%s", w, text)
		}
	}
	return nil
}
