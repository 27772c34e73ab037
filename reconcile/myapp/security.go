package myapp

import (
	"example.com/mote/crd/examplev1"
)

// The pods of an app are as the restricted Pod Security level asks, but for what
// the app opts out of, one field at a time.

func podSecurity(s *examplev1.SecurityContext) map[string]any {
	if s == nil {
		s = &examplev1.SecurityContext{}
	}
	profile := s.SeccompProfile
	if profile == "" {
		profile = "RuntimeDefault"
	}
	out := map[string]any{
		"runAsNonRoot":   s.RunAsNonRoot == nil || *s.RunAsNonRoot,
		"seccompProfile": map[string]any{"type": profile},
	}
	for field, id := range map[string]*int64{"runAsUser": s.RunAsUser, "runAsGroup": s.RunAsGroup, "fsGroup": s.FSGroup} {
		if id != nil {
			out[field] = *id
		}
	}
	return out
}

func containerSecurity(s *examplev1.SecurityContext) map[string]any {
	if s == nil {
		s = &examplev1.SecurityContext{}
	}
	c := s.Capabilities
	if c == nil {
		c = &examplev1.Capabilities{}
	}
	capabilities := map[string]any{}
	if c.DropAll == nil || *c.DropAll {
		capabilities["drop"] = []any{"ALL"}
	}
	if len(c.Add) > 0 {
		capabilities["add"] = words(c.Add)
	}
	out := map[string]any{"allowPrivilegeEscalation": s.AllowPrivilegeEscalation}
	if len(capabilities) > 0 {
		out["capabilities"] = capabilities
	}
	if s.ReadOnlyRootFilesystem {
		out["readOnlyRootFilesystem"] = true
	}
	return out
}
