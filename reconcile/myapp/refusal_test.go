package myapp

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestRefusalOf(t *testing.T) {
	deployments := schema.GroupResource{Group: "apps", Resource: "deployments"}
	for name, c := range map[string]struct {
		err    error
		reason string
		again  time.Duration
	}{
		"invalid":          {apierrors.NewInvalid(schema.GroupKind{Kind: "Deployment"}, "web", nil), reasonRefused, refusedWait},
		"bad request":      {apierrors.NewBadRequest("no"), reasonRefused, refusedWait},
		"too large":        {apierrors.NewRequestEntityTooLargeError("no"), reasonRefused, refusedWait},
		"forbidden":        {apierrors.NewForbidden(deployments, "web", errors.New("quota")), reasonForbidden, outsideWait},
		"wrapped":          {fmt.Errorf("apply: %w", apierrors.NewForbidden(deployments, "web", errors.New("quota"))), reasonForbidden, outsideWait},
		"unauthorized":     {apierrors.NewUnauthorized("no"), reasonApplyFailed, 0},
		"a broken webhook": {apierrors.NewInternalError(errors.New("failed calling webhook")), reasonApplyFailed, 0},
		"too many":         {apierrors.NewTooManyRequests("no", 1), reasonApplyFailed, 0},
		"no connection":    {errors.New("connection refused"), reasonApplyFailed, 0},
	} {
		f := refusalOf(c.err)
		if f.reason != c.reason || f.again != c.again || f.message != c.err.Error() {
			t.Errorf("%s: got %+v", name, *f)
		}
	}
	if long := refusalOf(errors.New(strings.Repeat("é", messageLimit))); len(long.message) > messageLimit+len("...") ||
		!strings.HasSuffix(long.message, "é...") {
		t.Errorf("a long message is cut to %d bytes: ...%q", len(long.message), long.message[len(long.message)-10:])
	}
}
