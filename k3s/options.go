package k3s

import (
	"errors"
	"fmt"
	"hash/fnv"
	"regexp"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Options are what the manifests of one Mote depend on.
type Options struct {
	// Name is of everything that is made, and tells two Motes of one namespace apart.
	Name      string
	Namespace string
	Image     string
	Version   string // of Mote, for a label; one that is no label's value is left out
	// Args are the flags of `mote run`, beside those that the manifests themselves need.
	Args  []string
	Scope Scope
	// EnvSecret is a Secret in Namespace whose keys become environment variables; ""
	// is none.
	EnvSecret string
	// Grace is how long turns may take to finish at a stop (--grace-period).
	Grace time.Duration
}

// DefaultNamespace is where Mote is installed unless somebody says otherwise.
const DefaultNamespace = "mote-system"

// NameFor is what the Mote of a site is called; "" is the one of all sites. A name
// is at most 63 characters long, for it is a label's value too: a site's that does
// not fit is cut, and a hash keeps it apart from others.
func NameFor(site string) string {
	if site == "" {
		return "mote"
	}
	name := "mote-" + site
	if len(name) <= validation.DNS1123LabelMaxLength {
		return name
	}
	h := fnv.New32a()
	h.Write([]byte(site))
	return fmt.Sprintf("%s-%08x", strings.TrimRight(name[:54], "-"), h.Sum32())
}

// imageReference is a repository, with a registry's host or not, and a tag or a
// digest or both.
var imageReference = regexp.MustCompile(`^([a-zA-Z0-9.-]+(:[0-9]+)?/)?[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(@sha256:[0-9a-f]{64})?$`)

// Check finds values that no cluster would take.
func (o Options) Check() error {
	for _, name := range []struct{ flag, value string }{{"name", o.Name}, {"namespace", o.Namespace}} {
		if len(validation.IsDNS1123Label(name.value)) > 0 {
			return fmt.Errorf("--%s %q: it is 1 to 63 lower-case letters, digits and '-'", name.flag, name.value)
		}
	}
	if !imageReference.MatchString(o.Image) {
		return fmt.Errorf("--image %q: it is like registry.example.com/mote:v1.0.0, with a tag or a digest", o.Image)
	}
	for _, name := range []struct{ flag, value string }{{"credentials-secret", o.Scope.SecretName}, {"credentials-env", o.EnvSecret}} {
		if name.value != "" && len(validation.IsDNS1123Subdomain(name.value)) > 0 {
			return fmt.Errorf("--%s: %q is no name of a Secret: it is lower-case letters, digits, '-' and '.'", name.flag, name.value)
		}
	}
	if o.Scope.SecretName != "" && len(validation.IsDNS1123Label(o.Scope.SecretNamespace)) > 0 {
		return fmt.Errorf("--credentials-secret: %q is no namespace: it is 1 to 63 lower-case letters, digits and '-'", o.Scope.SecretNamespace)
	}
	if o.Scope.SecretName != "" && o.EnvSecret != "" {
		return errors.New("--credentials-secret and --credentials-env exclude each other")
	}
	return nil
}

// clusterName is the name of what is of no namespace, so that Motes in different
// namespaces do not share it.
func (o Options) clusterName() string { return o.Namespace + "-" + o.Name }

// ownNamespace tells whether the namespace is Mote's to make and to restrict: those
// that every cluster has are not.
func (o Options) ownNamespace() bool {
	return o.Namespace != "default" && !strings.HasPrefix(o.Namespace, "kube-")
}
