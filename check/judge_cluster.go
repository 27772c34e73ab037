package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// judge tells of a kind: whether it is served, its schema, and its objects.
func (k Kind) judge() []Finding {
	about := "kind " + k.Resource
	switch {
	case k.Trouble != "":
		return []Finding{{about, Unknown, k.Trouble, ""}}
	case !k.Served:
		return []Finding{{about, Error, "the API server does not know it: its CustomResourceDefinition is missing, or of another version", fixCRDs}}
	case !k.Status:
		return []Finding{{about, Error, "it has no status subresource, so that no status is ever written", fixCRDs}}
	case k.WantsScale && !k.Scale:
		return []Finding{{about, Error, "it has no scale subresource, so that kubectl scale and autoscalers do not work", fixCRDs}}
	}
	return []Finding{k.schema(), k.selection()}
}

func (k Kind) schema() Finding {
	f := Finding{Check: "schema of " + k.Resource, Level: OK, Message: "it is this Mote's, " + k.Wants}
	d := k.Difference
	versions := fmt.Sprintf(" (schema %s, this Mote's is %s)", k.SchemaHash, k.Wants)
	switch {
	case k.SchemaTrouble != "":
		f.Level, f.Message = Unknown, k.SchemaTrouble
	case len(d.Missing) > 0:
		f.Level, f.Fix = Error, fixCRDs
		f.Message = "it is of another version: the API server drops " + some(d.Missing) + versions
	case len(d.Selectable) > 0:
		f.Level, f.Fix = Error, fixCRDs+"; it takes Kubernetes 1.31 or later"
		f.Message = "objects cannot be selected by " + some(d.Selectable) + versions
	case len(d.More) > 0:
		f.Level, f.Fix = Warning, "run the Mote of that version; this one passes over what it does not know"
		f.Message = "it is newer than this Mote, which does not know " + some(d.More) + versions
	case len(d.Changed) > 0:
		f.Level, f.Fix = Warning, fixCRDs
		f.Message = "its rules or defaults are others for " + some(d.Changed) + versions
	}
	return f
}

func (k Kind) selection() Finding {
	f := Finding{Check: "selection of " + k.Resource, Level: OK}
	switch {
	case k.SelectTrouble != "":
		f.Level, f.Message = Error, "the API server refuses the selectors: "+k.SelectTrouble
		f.Fix = "select by metadata.name, metadata.namespace, or a field that the kind declares (spec.site, status.phase)"
		return f
	case k.ListTrouble != "":
		return Finding{f.Check, Unknown, k.ListTrouble, ""}
	case k.All == 0:
		f.Message = "there are no objects yet"
		return f
	case k.Selected == 0:
		f.Level, f.Message = Warning, fmt.Sprintf("the selectors match none of the %d objects", k.All)
		f.Fix = "check --namespace, --site, --field-selector and --label-selector against kubectl get " + k.Resource + " -A --show-labels"
	default:
		f.Message = fmt.Sprintf("%d of %d objects are served here", k.Selected, k.All)
	}
	if k.Capped > 0 {
		f.Message = fmt.Sprintf("of the first %d objects: %s", k.Capped, f.Message)
	}
	if len(k.Elsewhere) > 0 {
		var sites []string
		for _, site := range slices.Sorted(maps.Keys(k.Elsewhere)) {
			name := "of site " + site
			if site == "" {
				name = "of no site"
			}
			sites = append(sites, fmt.Sprintf("%d %s", k.Elsewhere[site], name))
		}
		f.Message += "; left to other Motes: " + strings.Join(sites, ", ")
	}
	return f
}

// rights tells of each rule that is not given, or in one line that all are. What helps
// is the same for all, and is told once; who has none at all is told that in one line.
func (o Observed) rights() []Finding {
	var all []Finding
	asked, missing, denied := 0, 0, 0
	for _, r := range o.Rights {
		asked += len(r.Rule.Verbs)
		missing += len(r.Denied)
		what := r.Rule.Resource
		if r.Rule.Group != "" {
			what += "." + r.Rule.Group
		}
		if len(r.Rule.Names) > 0 {
			what += " " + strings.Join(r.Rule.Names, ", ")
		}
		where := "in all namespaces"
		if r.Rule.Namespace != "" {
			where = "in namespace " + r.Rule.Namespace
		}
		switch {
		case r.Trouble != "":
			all = append(all, Finding{"rights", Unknown, fmt.Sprintf("%s %s: %s", what, where, r.Trouble), ""})
		case len(r.Denied) > 0:
			f := Finding{"rights", Error, fmt.Sprintf("may not %s %s %s (%s)", strings.Join(r.Denied, ", "), what, where, r.Rule.Why), ""}
			if denied++; denied == 1 {
				f.Fix = fixRights
			}
			all = append(all, f)
		}
	}
	switch {
	case len(all) == 0:
		return []Finding{{"rights", OK, fmt.Sprintf("all %d that are needed are given", asked), ""}}
	case asked > 1 && missing == asked:
		return []Finding{{"rights", Error, fmt.Sprintf("none of the %d that are needed are given: whoever asks is not bound to Mote's roles", asked), fixRights}}
	}
	return all
}

func (o Observed) lease() Finding {
	l := o.Lease
	f := Finding{Check: "lease", Level: OK}
	if l.Name != "" {
		f.Check += " " + l.Name
	}
	switch {
	case l.Name == "":
		f.Message = "none is used: nothing else may serve the same objects"
	case l.Trouble != "":
		f.Level, f.Message = Unknown, l.Trouble
	case !l.There:
		f.Message = "it is not there yet: the first to run makes it"
	case l.Holder == "":
		f.Message = "nobody holds it"
	case l.Renewed.IsZero() || l.Now.Sub(l.Renewed) > 2*l.Lasts:
		f.Level = Warning
		f.Message = fmt.Sprintf("%s holds it, and has not renewed it since %s: it is dead or cut off, and who runs next takes over within %s",
			l.Holder, stamp(l.Renewed), 2*l.Lasts)
		f.Fix = "see why it ended: kubectl get pods -A -l app.kubernetes.io/name=mote, kubectl logs --previous"
	default:
		f.Message = fmt.Sprintf("%s holds it since %s, renewed at %s", l.Holder, stamp(l.Since), stamp(l.Renewed))
	}
	return f
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return "an unknown time"
	}
	return t.UTC().Format(time.RFC3339)
}

func (o Observed) security() Finding {
	s := o.Security
	f := Finding{Check: "pod security", Level: OK}
	switch {
	case s.Trouble != "":
		f.Level, f.Message = Unknown, s.Trouble
	case !s.There:
		f.Level, f.Message = Warning, "there is no namespace "+s.Namespace
		f.Fix = "mote manifests makes it; it is that of the Lease and of the pod"
	case s.Enforced == "":
		f.Level, f.Message = Warning, "namespace "+s.Namespace+" enforces no level: any pod may be made beside Mote's ServiceAccount"
		f.Fix = "kubectl label namespace " + s.Namespace + " pod-security.kubernetes.io/enforce=restricted"
		if strings.HasPrefix(s.Namespace, "kube-") {
			f.Level, f.Fix = OK, ""
		}
	default:
		f.Message = "namespace " + s.Namespace + " enforces " + s.Enforced + ", which Mote's pod keeps to"
	}
	return f
}
