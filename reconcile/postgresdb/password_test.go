package postgresdb

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"strings"
	"testing"
)

// permitted says what the API has against a password (CreateInstances,
// AdminPassword), or "".
func permitted(p string) string {
	const special = "()`~!@#$%^&*-+=_|{}[]:;'<>,.?/"
	var kinds [4]bool
	for _, c := range p {
		switch {
		case 'a' <= c && c <= 'z':
			kinds[0] = true
		case 'A' <= c && c <= 'Z':
			kinds[1] = true
		case '0' <= c && c <= '9':
			kinds[2] = true
		case strings.ContainsRune(special, c):
			kinds[3] = true
		default:
			return "a character that is not allowed: " + string(c)
		}
	}
	switch {
	case len(p) < 8 || len(p) > 32:
		return "its length"
	case strings.HasPrefix(p, "/"):
		return "its first character"
	case kinds != [4]bool{true, true, true, true}:
		return "a kind of character is missing"
	}
	return ""
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
		if why := permitted(p); why != "" || needsQuoting(p) {
			t.Fatalf("%q: %s", p, why)
		}
	})
}

func TestNewPasswordsDiffer(t *testing.T) {
	seen := map[string]bool{}
	used := map[byte]bool{}
	for range 2000 {
		p, err := NewPassword(rand.Reader)
		if err != nil || permitted(p) != "" || needsQuoting(p) || seen[p] {
			t.Fatalf("%q %v %s", p, err, permitted(p))
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
