package artifact

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

func TestProgressElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := newTicker(&out)
		for range 70 {
			<-p.c
			p.show("at work")
		}
		p.done("done")
		p.stop()
		if got := out.String(); got != "at work\nat work\ndone\n" {
			t.Errorf("in 70 seconds: %q, want a line every half minute", got)
		}
	})
}

func TestProgressOnATerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := newTicker(&out)
		p.live = true
		p.show("too soon")
		time.Sleep(time.Second)
		p.show("one")
		p.stop()
		if got := out.String(); got != "\r\033[Kone\r\033[K" {
			t.Errorf("%q, want one line, drawn over itself and taken away", got)
		}
	})
}
