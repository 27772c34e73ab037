package lean

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
)

// read reads all frames of a text, as the decoder of a watch does.
func read(body io.Reader, room int) (all []string, err error) {
	f := framer{}.NewFrameReader(io.NopCloser(body))
	buf, base := make([]byte, room), 0
	for {
		n, err := f.Read(buf[base:])
		base += n
		switch {
		case err == io.ErrShortBuffer && n == 0:
			return all, errors.New("a short buffer without a byte")
		case err == io.ErrShortBuffer:
			buf = append(buf, make([]byte, len(buf))...)
		case err != nil:
			return all, err
		default:
			all, base = append(all, string(buf[:base])), 0
		}
	}
}

func TestFrames(t *testing.T) {
	long := `{"long":"` + strings.Repeat("x", 3*firstFrame) + `"}`
	for _, c := range []struct{ text, want, err string }{
		{``, ``, "EOF"},
		{" \n\t\r\n ", ``, "EOF"},
		{`{}`, `{}`, "EOF"},
		{"{\"a\":1}\n[2]\n", `{"a":1}|[2]`, "EOF"},
		{`{"a":{"b":[{}]}}{}`, `{"a":{"b":[{}]}}|{}`, "EOF"},
		{`{"a":"}{][\\\""}{"\\":"\u007d"}`, `{"a":"}{][\\\""}|{"\\":"\u007d"}`, "EOF"},
		{long + "\n" + long, long + "|" + long, "EOF"},
		{`{"a":`, ``, "unexpected EOF"},
		{`{}{"a":"`, `{}`, "unexpected EOF"},
		{`<html>`, ``, `the answer to a watch is no JSON: an event begins with '<'`},
		{`{} }`, `{}`, `the answer to a watch is no JSON: an event begins with '}'`},
	} {
		for name, body := range map[string]func() io.Reader{
			"at once":      func() io.Reader { return strings.NewReader(c.text) },
			"byte by byte": func() io.Reader { return iotest.OneByteReader(strings.NewReader(c.text)) },
			"with its end": func() io.Reader { return iotest.DataErrReader(strings.NewReader(c.text)) },
		} {
			for _, room := range []int{1, 7, 1024, 1 << 20} {
				all, err := read(body(), room)
				if got := strings.Join(all, "|"); got != c.want || err.Error() != c.err {
					t.Errorf("%.40q %s, room of %d: %.60q, %v", c.text, name, room, got, err)
				}
			}
		}
	}
}

// A frame is whatever encoding/json takes for one value.
func FuzzFrames(f *testing.F) {
	f.Add(`{"type":"ADDED","object":{"a":"\"}"}}`+"\n"+`{"type":"BOOKMARK"}`, 3)
	f.Add(`[[]] {"x":[1,"{"]}`, 1024)
	f.Fuzz(func(t *testing.T, text string, room int) {
		got, _ := read(strings.NewReader(text), 1+(room&0xfff))
		d := json.NewDecoder(strings.NewReader(text))
		for i := 0; ; i++ {
			var want json.RawMessage
			if err := d.Decode(&want); err != nil {
				return
			}
			if want[0] != '{' && want[0] != '[' {
				return
			}
			if i >= len(got) || got[i] != string(want) {
				t.Fatalf("frame %d of %q: %q, want %q", i, text, got, want)
			}
		}
	})
}

// What an event holds is its own, whatever the buffer is used for next.
func TestEnvelopes(t *testing.T) {
	body := `{"type":"ADDED","object":{"kind":"A","n":[1,{"x":"y"}]}}` + "\n" + `{"object":{"kind":"B"},"other":1,"type":"MODIFIED"}` + `{"type":1}`
	d := streaming.NewDecoder(framer{}.NewFrameReader(io.NopCloser(strings.NewReader(body))), envelopes{})
	var events [2]metav1.WatchEvent
	for i := range events {
		if _, _, err := d.Decode(nil, &events[i]); err != nil {
			t.Fatal(err)
		}
	}
	if e := events[0]; e.Type != "ADDED" || !bytes.Equal(e.Object.Raw, []byte(`{"kind":"A","n":[1,{"x":"y"}]}`)) {
		t.Errorf("%s %s", e.Type, e.Object.Raw)
	}
	if e := events[1]; e.Type != "MODIFIED" || string(e.Object.Raw) != `{"kind":"B"}` {
		t.Errorf("%s %s", e.Type, e.Object.Raw)
	}
	var odd metav1.WatchEvent
	if _, _, err := d.Decode(nil, &odd); err == nil {
		t.Errorf("a type that is no text is taken: %+v", odd)
	}
}
