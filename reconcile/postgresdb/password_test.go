package postgresdb

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestPasswordFault(t *testing.T) {
	for p, says := range map[string]string{
		"Abcdefg1-": "", "/bcdefG1-": "begin", "Short1-": "8 to 32", "ABCDEFG1-": "lower-case", "abcdefg1-": "lower-case", "Abcdefgh-": "a digit",
		"Abcdefgh1": "one of", "Abcdefg1-ü": "only", "Abcd efg1-": "only", "Abcdefg1-\n": "only", strings.Repeat("Aa1-", 8): "", strings.Repeat("Aa1-", 8) + "x": "8 to 32",
	} {
		if why := passwordFault(p); (why == "") != (says == "") || !strings.Contains(why, says) {
			t.Errorf("%q: %q", p, why)
		}
	}
}

// needsQuoting: in a shell, a URI or a connection string.
func needsQuoting(p string) bool { return strings.ContainsAny(p, "$`\"'\\ /?#[]@!&()*+,;=:%<>{}|^") }

func FuzzNewPassword(f *testing.F) {
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{255}, 100))
	f.Add(bytes.Repeat([]byte{0}, 100))
	f.Add([]byte("any source will do, as long as it is long enough to pick from"))
	f.Fuzz(func(t *testing.T, source []byte) {
		p, err := NewPassword(bytes.NewReader(source))
		if err != nil {
			if !errors.Is(err, io.EOF) || p != "" {
				t.Fatalf("%q %v", p, err)
			}
			return
		}
		if why := passwordFault(p); why != "" || needsQuoting(p) {
			t.Fatalf("%q: %s", p, why)
		}
	})
}

func TestNewPasswordsDiffer(t *testing.T) {
	seen := map[string]bool{}
	used := map[byte]bool{}
	for range 2000 {
		p, err := NewPassword(rand.Reader)
		if err != nil || passwordFault(p) != "" || needsQuoting(p) || seen[p] {
			t.Fatalf("%q %v %s", p, err, passwordFault(p))
		}
		seen[p] = true
		for _, c := range []byte(p[len(passwordKinds)+1:]) {
			used[c] = true
		}
	}
	if all := len(strings.Join(passwordKinds[:], "")); len(used) != all {
		t.Errorf("%d characters in use, of %d", len(used), all)
	}
}

// Each character is as likely as any other of its kind.
func TestPickIsFair(t *testing.T) {
	for _, from := range append(passwordKinds[:], strings.Join(passwordKinds[:], "")) {
		var every []byte
		for b := range 256 {
			every = append(every, byte(b))
		}
		counts, source := map[byte]int{}, bytes.NewReader(every)
		for {
			c, err := pick(source, from)
			if err != nil {
				break
			}
			counts[c]++
		}
		if len(counts) != len(from) {
			t.Errorf("%q: %d characters", from, len(counts))
		}
		for c, n := range counts {
			if n != 256/len(from) {
				t.Errorf("%q: %c comes %d times", from, c, n)
			}
		}
	}
}
