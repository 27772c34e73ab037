package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"example.com/mote/forecast"
	"example.com/mote/look"
	"example.com/mote/manifest"
	"example.com/mote/schema"
)

const planArgs, planWhat = "[KIND/NAME | -f FILE] [flags]", `Says what Mote would do, and what that costs, and does nothing: about objects in the
cluster, or with -f about manifests. Exit code 0: nothing to do; 2: changes; 1: an error.`

// planCommand is mote plan.
func planCommand(ctx context.Context, args []string, s surroundings) int {
	return lookCommand(ctx, args, s, "plan", planArgs, planWhat, forecast.ExitError, (*looking).plan) // 2 says that there are changes
}

func (l *looking) plan(ctx context.Context, s surroundings) int {
	eyes, notes, err := l.open(ctx, s.env)
	if err != nil {
		refuse(s.stderr, "plan", err)
		return forecast.ExitError
	}
	f := forecast.Forecast{Notes: notes, Objects: []forecast.Object{}}
	if len(l.files) > 0 {
		l.planManifests(ctx, eyes, &f, s)
	} else {
		planned := map[types.UID]bool{}
		for _, w := range l.which {
			matched := false
			err := eyes.Each(ctx, w, func(k *schema.Kind, u *unstructured.Unstructured) error {
				matched = true
				if !planned[u.GetUID()] {
					planned[u.GetUID()] = true
					f.Objects = append(f.Objects, eyes.Plan(ctx, k, u))
				}
				return ctx.Err()
			})
			if err == nil && !matched {
				f.Notes = append(f.Notes, noMatch(w))
			}
			if err != nil {
				f.Errors = append(f.Errors, naming(w, err))
			}
		}
	}
	if code, yes := cutShort(ctx); yes {
		return code
	}
	f.Sum()
	printed(s.stdout, l.output, f, f.WriteText)
	for _, e := range f.Errors {
		fmt.Fprintln(s.stderr, "mote:", e)
	}
	for _, o := range f.Objects {
		for _, e := range o.Errors {
			fmt.Fprintf(s.stderr, "mote: %s: %s\n", o.Title(), strings.ReplaceAll(e, "\n", " "))
		}
	}
	return f.Exit()
}

// naming is an error with what was looked for.
func naming(w look.Which, err error) string {
	what := "all objects"
	switch {
	case w.Kind != nil && w.Name != "":
		what = w.Kind.Name + " " + w.Namespace + "/" + w.Name
	case w.Name != "":
		what = w.Namespace + "/" + w.Name
	case w.Kind != nil:
		what = w.Kind.Resource
	}
	return what + ": " + strings.ReplaceAll(err.Error(), "\n", " ") + meansFile(err, w.Name)
}

// meansFile asks whether a name that nothing has is that of a file.
func meansFile(err error, name string) string {
	if errors.Is(err, look.ErrNone) && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name)) {
		return "; did you mean -f " + name + "?"
	}
	return ""
}

// noMatch says that nothing matched.
func noMatch(w look.Which) string {
	s := "nothing matched: there is no object of Mote's kinds"
	if w.Kind != nil {
		s = "nothing matched: there is no " + w.Kind.Name
	}
	if w.Selector != "" {
		s += " with the labels " + w.Selector
	}
	if w.Namespace != "" {
		return s + " in namespace " + w.Namespace
	}
	return s + " in any namespace"
}

// planManifests plans each document; one that cannot be read, or is refused, is an
// error, and the others are planned all the same.
func (l *looking) planManifests(ctx context.Context, eyes *look.Look, f *forecast.Forecast, s surroundings) {
	passed := map[string]int{}
	seen := map[string]string{}
	all := manifest.Read(s.stdin, l.files...)
	eyes.Coming = coming(all)
	for _, d := range all {
		where := fmt.Sprintf("%s, document %d", d.File, d.Number)
		if d.Number == 0 {
			where = d.File
		}
		if d.Err != nil {
			f.Errors = append(f.Errors, where+": "+strings.ReplaceAll(d.Err.Error(), "\n", " "))
			continue
		}
		apiVersion, _ := d.Object["apiVersion"].(string)
		kind, _ := d.Object["kind"].(string)
		k := schema.Of(apiVersion, kind)
		if k == nil {
			if why := nearly(apiVersion, kind); why != "" {
				f.Errors = append(f.Errors, where+": "+why)
				continue
			}
			passed[kind]++
			continue
		}
		meta, ok := d.Object["metadata"].(map[string]any)
		if !ok {
			meta = map[string]any{}
			d.Object["metadata"] = meta
		}
		if _, there := meta["namespace"]; !there {
			meta["namespace"] = l.namespace
		}
		o := eyes.PlanManifest(ctx, k, d.Object)
		o.File, o.Document = d.File, d.Number
		id := fmt.Sprintf("%s %s/%s", o.Kind, o.Namespace, o.Name)
		if before := seen[id]; before != "" && o.Name != "" {
			o.Errors, o.Steps = append(o.Errors, "the same object is in "+before+" already"), []forecast.Step{}
		}
		seen[id] = where
		f.Objects = append(f.Objects, o)
	}
	for _, kind := range slices.Sorted(maps.Keys(passed)) {
		f.Notes = append(f.Notes, fmt.Sprintf("passed over %d of kind %s, which is not Mote's", passed[kind], kind))
	}
}

// coming are the Namespaces and CustomResourceDefinitions that the manifests bring.
func coming(all []manifest.Document) map[string]bool {
	out := map[string]bool{}
	for _, d := range all {
		u := unstructured.Unstructured{Object: d.Object}
		if kind := u.GetKind(); kind == "Namespace" || kind == "CustomResourceDefinition" {
			out[kind+" "+u.GetName()] = true
		}
	}
	return out
}

// nearly says what is wrong with a document that was surely meant for Mote, or "".
func nearly(apiVersion, kind string) string {
	if apiVersion == "" || kind == "" {
		return "it has no apiVersion or no kind"
	}
	for _, k := range schema.Kinds() {
		if k.Name == kind || strings.HasPrefix(apiVersion, k.Group+"/") {
			return fmt.Sprintf("there is no kind %s in %s here: %s is of %s", kind, apiVersion, k.Name, k.APIVersion())
		}
	}
	return ""
}

// printed writes a value in a format. The output itself keeps its errors.
func printed(w io.Writer, format string, v any, text func(io.Writer)) {
	if format == "text" {
		text(w)
		return
	}
	data, err := json.MarshalIndent(v, "", "  ")
	if err == nil && format == "yaml" {
		data, err = yaml.JSONToYAML(data)
	} else {
		data = append(data, '\n')
	}
	if err != nil {
		panic("what is printed cannot be encoded: " + err.Error()) // texts, numbers and times only
	}
	w.Write(data)
}
