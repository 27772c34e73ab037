package contender

import "strings"

// AppIDs are the contenders that serve apps, in the order in which they run.
var AppIDs = []string{"controller-runtime-usual", "controller-runtime-tuned", "mote"}

// ForApps is a contender as it serves apps.
func ForApps(p Programs, at Place, id string) Contender {
	for _, c := range All(p, at) {
		if c.ID != id {
			continue
		}
		if id == "mote" {
			c.Synced = func(line string) bool {
				return strings.Contains(line, `"msg":"synced"`) && strings.Contains(line, `"MyApp"`)
			}
		} else {
			c.Args = append([]string{"apps-" + c.Args[0]}, c.Args[1:]...)
		}
		return c
	}
	panic("there is no contender " + id)
}
