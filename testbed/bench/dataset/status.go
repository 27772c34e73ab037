package dataset

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
	"example.com/mote/reconcile/postgresdb"
)

// steady is the status of the i-th object when its instance runs and is as the spec
// says, as Mote writes it.
func steady(i int, instance cloud.Instance, now time.Time) (databasev1.PostgresDBStatus, error) {
	var o databasev1.PostgresDB
	text, err := json.Marshal(manifest(i))
	if err == nil {
		err = json.Unmarshal(text, &o)
	}
	o.Generation = 1
	o.Status.InstanceID = instance.ID
	st := postgresdb.Status(postgresdb.View{Object: &o, Now: now.Truncate(time.Second)}, postgresdb.Show{
		Phase: databasev1.PhaseRunning, Ready: true, Reason: "Running", Message: "PostgreSQL " + instance.Version + " at " + instance.Endpoint(),
		Instance: &instance, Settled: true, TagKeys: slices.Sorted(maps.Keys(tags(i))), Sync: &postgresdb.Sync{},
	})
	at := metav1.NewTime(now.Truncate(time.Second))
	st.LastReconciled = &at
	return st, err
}
