package dataset

import (
	"encoding/json"
	"fmt"

	"example.com/mote/crd/databasev1"
)

// Spaces is how many namespaces the objects are spread over.
const Spaces = 20

// Namespace is the namespace of the i-th object.
func Namespace(i int) string { return fmt.Sprintf("team-%02d", i%Spaces) }

// Name is the name of the i-th object.
func Name(i int) string { return fmt.Sprintf("orders-%06d", i) }

// Sites are what the objects are divided among, evenly.
var Sites = []string{"edge-01", "edge-02"}

// Site is where the i-th object belongs.
func Site(i int) string { return Sites[i%len(Sites)] }

// Path is where the i-th object is.
func Path(i int) string { return collection(Namespace(i)) + "/" + Name(i) }

func collection(namespace string) string {
	return "/apis/database.example.com/v1/namespaces/" + namespace + "/postgresdbs"
}

// subnets have room for 65,533 instances each.
var subnets = []struct{ id, zone string }{
	{"subnet-mote0001", "ap-guangzhou-6"},
	{"subnet-mote0002", "ap-guangzhou-3"},
}

// Sizes of every object; "medium4" of the stand-in's catalog.
const (
	region       = "ap-guangzhou"
	class        = "2C4G"
	storageGB    = 100
	majorVersion = "14"
	adminUser    = "dbadmin"
)

// tags are those of the i-th object's spec.
func tags(i int) map[string]string {
	return map[string]string{"team": fmt.Sprintf("team-%02d", i%Spaces), "cost-center": fmt.Sprintf("cc-%04d", i%997)}
}

// finished is the i-th object as kubectl apply sends it, with the finalizer that
// Mote has put on it since.
func finished(i int) map[string]any {
	o := manifest(i)
	o["metadata"].(map[string]any)["finalizers"] = []string{databasev1.Finalizer}
	return o
}

// manifest is the i-th object as kubectl apply sends it.
func manifest(i int) map[string]any {
	o := map[string]any{
		"apiVersion": "database.example.com/v1",
		"kind":       "PostgresDB",
		"metadata": map[string]any{
			"name":      Name(i),
			"namespace": Namespace(i),
			"labels": map[string]any{
				"app.kubernetes.io/name":       "orders",
				"app.kubernetes.io/instance":   Name(i),
				"app.kubernetes.io/part-of":    "shop",
				"app.kubernetes.io/managed-by": "kustomize",
				"environment":                  "production",
			},
			"annotations": map[string]any{
				"example.com/owner":       "team-" + fmt.Sprint(i%Spaces) + "@example.com",
				"example.com/cost-center": fmt.Sprintf("cc-%04d", i%997),
				"example.com/runbook":     "https://runbooks.example.com/databases/orders",
			},
		},
		"spec": map[string]any{
			"engineVersion":    majorVersion,
			"instanceClass":    class,
			"storageGB":        storageGB,
			"subnetID":         subnets[i%len(subnets)].id,
			"region":           region,
			"site":             Site(i),
			"chargeType":       "PostpaidByHour",
			"deletionPolicy":   "Isolate",
			"adminUser":        adminUser,
			"securityGroupIDs": []string{"sg-1a2b3c4d", "sg-5e6f7a8b"},
			"tags":             tags(i),
		},
	}
	last, err := json.Marshal(o)
	if err != nil {
		panic(err) // of constants and numbers
	}
	o["metadata"].(map[string]any)["annotations"].(map[string]any)["kubectl.kubernetes.io/last-applied-configuration"] = string(last) + "\n"
	return o
}
