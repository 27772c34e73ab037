package command

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/mote/forecast"
	"example.com/mote/schema"
)

const explainArgs, explainWhat = "KIND/NAME [flags]", `Says why an object is as it is: what is seen of it, what Mote decides about that and by
which rule, and what it waits for. Nothing is changed.`

// explainCommand is mote explain.
func explainCommand(ctx context.Context, args []string, s surroundings) int {
	return lookCommand(ctx, args, s, "explain", explainArgs, explainWhat, exitUsage, (*looking).explain)
}

func (l *looking) explain(ctx context.Context, s surroundings) int {
	eyes, notes, err := l.open(ctx, s.env)
	if err != nil {
		refuse(s.stderr, "explain", err)
		return exitError
	}
	var all []forecast.Explanation
	w := l.which[0]
	err = eyes.Each(ctx, w, func(k *schema.Kind, u *unstructured.Unstructured) error {
		all = append(all, eyes.Explain(ctx, k, u))
		return nil
	})
	if code, yes := cutShort(ctx); yes {
		return code
	}
	switch {
	case err != nil:
		refuse(s.stderr, "explain", fmt.Errorf("%s", naming(w, err)))
		return exitError
	case len(all) > 1:
		refuse(s.stderr, "explain", fmt.Errorf("%s is the name of objects of both kinds: say pgdb/%s or mapp/%s", w.Name, w.Name, w.Name))
		return exitError
	}
	x := all[0]
	for _, n := range notes {
		fmt.Fprintf(s.stderr, "mote: note: %s\n", n)
	}
	printed(s.stdout, l.output, x, x.WriteText)
	if len(x.Errors) > 0 {
		return exitError
	}
	return exitOK
}
