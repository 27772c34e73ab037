package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"example.com/mote/k3s"
	"example.com/mote/testbed/bed"
)

// symptom is how it shows that a right is missing. All words of each have to be there.
type symptom struct {
	log   []string // in one line of the log
	ready []string // in what /readyz says
	// kind and name are of the object whose Ready condition has the reason and the words.
	kind   schema.GroupVersionResource
	name   string
	reason string
	words  []string
	// do is what the right is for, where an object's first minute does not need it.
	do func(s *site, p *bed.Process) *bed.Process
}

func inLog(words ...string) symptom   { return symptom{log: words} }
func inReady(words ...string) symptom { return symptom{ready: words} }

func onObject(kind schema.GroupVersionResource, name, reason string, words ...string) symptom {
	return symptom{kind: kind, name: name, reason: reason, words: words}
}

func (x symptom) after(do func(s *site, p *bed.Process) *bed.Process) symptom {
	x.do = do
	return x
}

const denied = "not allowed to list or watch this kind: check the ServiceAccount's RBAC"

// symptoms are what every single right is for: how it shows that it is missing.
var symptoms = map[string]symptom{
	"postgresdbs.database.example.com get":               inLog("turn failed, will try again", "read the object"),
	"postgresdbs.database.example.com list":              inReady("[-]PostgresDB/postgresdbs failed", denied),
	"postgresdbs.database.example.com watch":             inReady("[-]PostgresDB/postgresdbs failed", denied),
	"postgresdbs.database.example.com patch":             onObject(databases, "db", "APIServerRefused", "cannot patch resource"),
	"postgresdbs/status.database.example.com patch":      inLog("cannot patch resource", "postgresdbs/status"),
	"postgresdbs/finalizers.database.example.com update": onObject(databases, "db", "APIServerRefused", "cannot set blockOwnerDeletion"),
	"myapps.example.com get":                             inLog("turn failed, will try again", "read the object").after(changed(`{"spec":{"serviceType":"None"}}`)),
	"myapps.example.com list":                            inReady("[-]MyApp/myapps failed", denied),
	"myapps.example.com watch":                           inReady("[-]MyApp/myapps failed", denied),
	"myapps/status.example.com patch":                    inLog("cannot patch resource", "myapps/status"),
	"myapps/finalizers.example.com update":               onObject(apps, "web", "Forbidden", "cannot set blockOwnerDeletion"),
	"deployments.apps get":                               inLog("turn failed, will try again", "read Deployment").after(changed(`{"spec":{"replicas":3}}`)),
	"deployments.apps list":                              inReady("[-]MyApp/deployments failed", denied),
	"deployments.apps watch":                             inReady("[-]MyApp/deployments failed", denied),
	"deployments.apps create":                            onObject(apps, "web", "Forbidden", "cannot create resource", "deployments"),
	"deployments.apps patch":                             onObject(apps, "web", "Forbidden", "cannot patch resource", "deployments"),
	"deployments.apps delete":                            onObject(apps, "web", "Forbidden", "cannot delete resource", "deployments").after(otherSelector),
	"services get":                                       inLog("turn failed, will try again", "read Service").after(changed(`{"spec":{"replicas":3}}`)),
	"services list":                                      inReady("[-]MyApp/services failed", denied),
	"services watch":                                     inReady("[-]MyApp/services failed", denied),
	"services create":                                    onObject(apps, "web", "Forbidden", "cannot create resource", "services"),
	"services patch":                                     onObject(apps, "web", "Forbidden", "cannot patch resource", "services"),
	"services delete":                                    onObject(apps, "web", "Forbidden", "cannot delete resource", "services").after(changed(`{"spec":{"serviceType":"None"}}`)),
	"configmaps get":                                     inLog("turn failed, will try again", "read ConfigMap").after(changed(`{"spec":{"replicas":3}}`)),
	"configmaps list":                                    inReady("[-]MyApp/configmaps failed", denied),
	"configmaps watch":                                   inReady("[-]MyApp/configmaps failed", denied),
	"configmaps create":                                  onObject(apps, "web", "Forbidden", "cannot create resource", "configmaps"),
	"configmaps patch":                                   onObject(apps, "web", "Forbidden", "cannot patch resource", "configmaps"),
	"configmaps delete":                                  onObject(apps, "web", "Forbidden", "cannot delete resource", "configmaps").after(changed(`{"spec":{"config":null}}`)),
	"secrets get":                                        inLog("may not read what the pods take values from", "cannot get resource", "secrets"),
	"secrets create":                                     onObject(databases, "db", "APIServerRefused", "cannot create resource", "secrets"),
	"secrets patch":                                      onObject(databases, "db", "APIServerRefused", "cannot patch resource", "secrets"),
	"secrets list":                                       onObject(databases, "db", "CredentialsRefused", "not allowed to list and watch it by its name"),
	"secrets watch":                                      inReady("[-]Credentials/secrets failed", denied),
	"pods list":                                          inLog("could not look at the pods for what stands in their way", "cannot list resource"),
	"events list":                                        inLog("could not look at a pod's Events", "cannot list resource"),
	"events.events.k8s.io create":                        inLog("could not write an Event; it is dropped", "cannot create resource"),
	"events.events.k8s.io get":                           inLog("could not write an Event; it is dropped", "cannot get resource").after(toldAgain),
	"events.events.k8s.io patch":                         inLog("could not write an Event; it is dropped", "cannot patch resource").after(toldAgain),
	"leases.coordination.k8s.io create":                  inLog("not allowed to get, create and patch leases", "cannot create resource"),
	"leases.coordination.k8s.io get":                     inLog("not allowed to get, create and patch leases", "cannot get resource"),
	"leases.coordination.k8s.io patch":                   inLog("not allowed to get, create and patch leases", "cannot patch resource"),
}

func changed(patch string) func(*site, *bed.Process) *bed.Process {
	return func(s *site, p *bed.Process) *bed.Process {
		s.runs(apps, "web")
		s.patch("mapp/web", patch)
		return p
	}
}

// otherSelector puts a Deployment with another selector in the place of the app's.
func otherSelector(s *site, p *bed.Process) *bed.Process {
	s.runs(apps, "web")
	s.kubectl("annotate", "mapp/web", "mote.example.com/paused=true")
	s.kubectl("wait", "--for=condition=Paused", "mapp/web", "--timeout=120s")
	s.kubectl("delete", "deployment", "web", "--cascade=foreground", "--timeout=60s")
	s.kubectlWith(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","labels":{"app.kubernetes.io/managed-by":"mote"},
		"ownerReferences":[{"apiVersion":"example.com/v1","kind":"MyApp","name":"web","uid":"`+string(s.get(apps, "web").GetUID())+`","controller":true}]},
		"spec":{"replicas":1,"selector":{"matchLabels":{"old":"selector"}},"template":{"metadata":{"labels":{"old":"selector"}},
		"spec":{"containers":[{"name":"app","image":"example.com/web:0"}]}}}}`, "create", "-f", "-")
	s.kubectl("annotate", "mapp/web", "mote.example.com/paused-")
	return p
}

// toldAgain has another process tell of what this one has told already.
func toldAgain(s *site, p *bed.Process) *bed.Process {
	halt := func() {
		s.runs(apps, "web")
		s.kubectl("scale", "mapp/web", "--replicas=0")
		s.shows(apps, "web", "is stopped", func(st state) bool { return st.phase == "Stopped" })
	}
	halt()
	s.kubectl("scale", "mapp/web", "--replicas=2")
	s.runs(apps, "web")
	s.stop(p)
	p = s.unprivileged()
	halt()
	return p
}

// unprivileged runs Mote as the site's ServiceAccount, whatever that may do.
func (s *site) unprivileged() *bed.Process {
	s.t.Helper()
	return s.startWith(nil, append(s.brisk(), "--lease-duration", "6s", "--credentials-secret", s.ns+"/cloud-keys", "--listen-address", "127.0.0.1:0",
		"--kubeconfig", s.kubeconfigWith(s.token("mote", s.ns)))...)
}

// TestLeastPrivilege takes each right away in turn, and sees what fails and how it is
// told: no right is idle, and none that is missing goes unnoticed.
func TestLeastPrivilege(t *testing.T) {
	t.Parallel()
	// A ServiceAccount needs most rights where the API server asks for the most.
	shared := ownCluster(t, "--kas-arg=--enable-admission-plugins=OwnerReferencesPermissionEnforcement")
	if err := shared.bed.InstallCRDs(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Run("rights", func(t *testing.T) { // over before the control plane is
		told := map[string]bool{}
		for _, rule := range k3s.Rules(k3s.Scope{LeaseName: "x", SecretName: "x"}) {
			for _, verb := range rule.Verbs {
				right := strings.TrimSuffix(rule.Resource+"."+rule.Group, ".") + " " + verb
				x, known := symptoms[right]
				if told[right] || !known {
					t.Errorf("%s: it is not known how it shows, or it is given twice", right)
				}
				told[right] = true
				t.Run(right, func(t *testing.T) {
					t.Parallel()
					s := siteOn(t, shared.bed, shared.client)
					s.startCloud()
					s.without(right)
					s.showsItself(x)
				})
			}
		}
		for right := range symptoms {
			if !told[right] {
				t.Errorf("%s is not given at all", right)
			}
		}
	})
}

// without makes the ServiceAccount, and a Role of all its rights but one.
func (s *site) without(right string) {
	s.t.Helper()
	var rules []any
	var left []k3s.Rule
	for _, r := range k3s.Rules(k3s.Scope{Serves: s.ns, LeaseNamespace: s.ns, LeaseName: "mote", SecretNamespace: s.ns, SecretName: "cloud-keys"}) {
		r.Verbs = slices.DeleteFunc(slices.Clone(r.Verbs), func(verb string) bool {
			return strings.TrimSuffix(r.Resource+"."+r.Group, ".")+" "+verb == right
		})
		if len(r.Verbs) > 0 {
			left = append(left, r)
			rules = append(rules, map[string]any{"apiGroups": []any{r.Group}, "resources": []any{r.Resource}, "verbs": anys(r.Verbs), "resourceNames": anys(r.Names)})
		}
	}
	s.kubectl("create", "serviceaccount", "mote")
	role := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": map[string]any{"name": "mote"}, "rules": rules}}
	if _, err := s.client.Resource(installedAs["Role"]).Namespace(s.ns).Create(s.t.Context(), role, metav1.CreateOptions{}); err != nil {
		s.t.Fatal(err)
	}
	s.kubectl("create", "rolebinding", "mote", "--role=mote", "--serviceaccount="+s.ns+":mote")
	s.allowed("system:serviceaccount:"+s.ns+":mote", left)
}

func anys(list []string) []any {
	var out []any
	for _, v := range list {
		out = append(out, v)
	}
	return out
}

// showsItself lets Mote do all that it can do, and waits for the symptom.
func (s *site) showsItself(x symptom) {
	s.t.Helper()
	s.kubectl("create", "secret", "generic", "cloud-keys", "--from-literal=secret-id="+bed.SecretID, "--from-literal=secret-key="+bed.SecretKey)
	s.kubectl("create", "secret", "generic", "theirs", "--from-literal=a=b")
	p := s.unprivileged()
	s.apply(database("db", nil), app("web", fields{"config": map[string]any{"a": "1"}, "envFrom": []any{map[string]any{"secretRef": map[string]any{"name": "theirs"}}}}),
		app("missing", fields{"image": "example.com/web:image-pull-backoff"}), app("unready", fields{"image": "example.com/web:never-ready"}))
	if x.do != nil {
		p = x.do(s, p)
	}
	switch {
	case x.log != nil:
		s.eventually(fmt.Sprintf("the log says %q", x.log), func() error {
			for line := range strings.Lines(p.Output()) {
				if says(line, x.log...) == nil {
					return nil
				}
			}
			return errNone
		})
	case x.ready != nil:
		s.answers(p, "/readyz", 503, x.ready...)
	default:
		s.shows(x.kind, x.name, "is "+x.reason, func(st state) bool {
			return st.ready.Reason == x.reason && says(st.ready.Message, x.words...) == nil
		})
	}
}
