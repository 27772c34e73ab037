package command

import (
	"io"
	"log/slog"
	"os"
)

// Log makes the process's log.
func (o *RunOptions) Log(w io.Writer) *slog.Logger {
	text := o.logFormat == "text"
	if o.logFormat == "auto" {
		f, ok := w.(*os.File)
		if ok {
			info, err := f.Stat()
			text = err == nil && info.Mode()&os.ModeCharDevice != 0
		}
	}
	h := &slog.HandlerOptions{Level: o.logLevel}
	if text {
		return slog.New(slog.NewTextHandler(w, h))
	}
	return slog.New(slog.NewJSONHandler(w, h))
}
