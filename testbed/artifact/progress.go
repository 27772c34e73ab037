package artifact

import (
	"fmt"
	"io"
	"os"
	"time"
)

// ticker shows progress: one live line on a terminal, a line every half minute
// anywhere else.
type ticker struct {
	c     <-chan time.Time
	t     *time.Ticker
	w     io.Writer
	live  bool
	shown time.Time
}

const quiet = 30 * time.Second

func newTicker(w io.Writer) *ticker {
	t := time.NewTicker(time.Second)
	return &ticker{c: t.C, t: t, w: w, live: IsTerminal(w), shown: time.Now()}
}

func (t *ticker) show(line string) {
	switch {
	case t.live && time.Since(t.shown) > time.Second/4:
		fmt.Fprintf(t.w, "\r\033[K%s", line)
	case !t.live && time.Since(t.shown) > quiet:
		fmt.Fprintln(t.w, line)
	default:
		return
	}
	t.shown = time.Now()
}

func (t *ticker) done(line string) {
	t.clear()
	fmt.Fprintln(t.w, line)
}

// clear takes the live line away.
func (t *ticker) clear() {
	if t.live {
		fmt.Fprint(t.w, "\r\033[K")
	}
}

// stop ends it; nothing of a live line is left.
func (t *ticker) stop() {
	t.t.Stop()
	t.clear()
}

// IsTerminal tells whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
