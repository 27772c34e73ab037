package dataset

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
)

// steady is the status of an object whose instance runs and is as the spec says.
func steady(generation int64, i cloud.Instance, now time.Time) databasev1.PostgresDBStatus {
	at := metav1.NewTime(now.Truncate(time.Second))
	return databasev1.PostgresDBStatus{
		Phase: databasev1.PhaseRunning, InstanceID: i.ID, Region: region, Endpoint: i.Endpoint(),
		EngineVersion: i.Version, InstanceClass: i.ClassName(), StorageGB: int32(i.StorageGB),
		LastReconciled: &at, ObservedGeneration: generation,
		Conditions: []metav1.Condition{{
			Type: "Ready", Status: metav1.ConditionTrue, Reason: "Running", ObservedGeneration: generation,
			LastTransitionTime: at, Message: "PostgreSQL " + i.Version + " at " + i.Endpoint(),
		}},
	}
}
