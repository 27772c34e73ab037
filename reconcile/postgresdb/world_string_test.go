package postgresdb

import (
	"fmt"
	"strings"
)

// String is the world in a few lines, for traces.
func (w world) String() string {
	var b strings.Builder
	o, st := w.Object, w.Object.Status
	line := func(format string, a ...any) { fmt.Fprintf(&b, "    "+format+"\n", a...) }
	if !o.Exists {
		line("object: gone; policy %s", policies[o.Policy])
	} else {
		line("object: deleting %t (%d ticks), finalizer %t, policy %s, protection %d, prepaid %t, large %t, fast %t, new %t, observed %d of %d",
			o.Deleting, o.DeletingAge, o.Finalizer, policies[o.Policy], o.Protect, o.Prepaid, o.Large, o.Fast, o.New, o.Observed, o.Gen)
		said := st.Said.what()
		line("status: %q, id %q, endpoint %q, seen %v, written %t %d ticks ago; ready %t, %s: %s %s",
			st.Phase, idOf(st.ID), endpointOf(st.Endpoint), st.Seen, st.Written, st.ChangedAge, said.Ready, said.Reason, said.Message, said.Degraded)
		if st.Intent.Open {
			line("intent: %+v", st.Intent)
		}
	}
	line("Secret: %+v", w.Secret)
	for n, i := range w.Cloud {
		if i.State != 0 {
			line("%s: %+v", idOf(uint8(n+1)), i)
		}
	}
	line("process: %+v", w.Proc)
	if w.Late.On {
		line("late: %+v", w.Late)
	}
	line("happened: %+v", w.Spent)
	return b.String()
}
