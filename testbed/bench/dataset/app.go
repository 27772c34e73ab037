package dataset

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// AppName is the name of the i-th app.
func AppName(i int) string { return fmt.Sprintf("shop-%05d", i) }

// CreateApps makes n apps and the namespaces that they are spread over, as fast as
// the API server takes them.
func CreateApps(ctx context.Context, a *API, n int) error {
	if err := makeSpaces(ctx, a); err != nil {
		return err
	}
	return each(ctx, n, func(ctx context.Context, i int) error {
		path := "/apis/example.com/v1/namespaces/" + Namespace(i) + "/myapps?fieldManager=kubectl-client-side-apply"
		return a.Do(ctx, http.MethodPost, path, app(i), nil)
	})
}

// app is the i-th app as kubectl apply sends it.
func app(i int) map[string]any {
	o := map[string]any{
		"apiVersion": "example.com/v1",
		"kind":       "MyApp",
		"metadata": map[string]any{
			"name":        AppName(i),
			"namespace":   Namespace(i),
			"labels":      map[string]any{"app.kubernetes.io/part-of": "shop", "environment": "production"},
			"annotations": map[string]any{"example.com/owner": "team-" + fmt.Sprint(i%Spaces) + "@example.com"},
		},
		"spec": map[string]any{
			"replicas": 1,
			"image":    "nginxinc/nginx-unprivileged:1.27-alpine",
			"port":     8080,
			"env":      []any{map[string]any{"name": "GREETING", "value": "hello"}},
			"config":   map[string]any{"shop.conf": fmt.Sprintf("currency = EUR\nshop = %d\n", i)},
		},
	}
	last, err := json.Marshal(o)
	if err != nil {
		panic(err) // of constants and numbers
	}
	o["metadata"].(map[string]any)["annotations"].(map[string]any)["kubectl.kubernetes.io/last-applied-configuration"] = string(last) + "\n"
	return o
}

// CheckApps complains when not each of n apps has its children, as a third party
// counts them.
func CheckApps(ctx context.Context, a *API, n int) error {
	for _, of := range []string{"/apis/apps/v1/%s/deployments", "/api/v1/%s/services", "/api/v1/%s/configmaps"} {
		there := 0
		for i := range min(n, Spaces) {
			var list struct {
				Items []struct {
					Metadata struct {
						OwnerReferences []struct {
							Kind       string `json:"kind"`
							Controller bool   `json:"controller"`
						} `json:"ownerReferences"`
					} `json:"metadata"`
				} `json:"items"`
			}
			path := fmt.Sprintf(of, "namespaces/"+Namespace(i))
			if err := a.Do(ctx, http.MethodGet, path, nil, &list); err != nil {
				return err
			}
			for _, item := range list.Items {
				if refs := item.Metadata.OwnerReferences; len(refs) == 1 && refs[0].Kind == "MyApp" && refs[0].Controller {
					there++
				}
			}
		}
		if there != n {
			return fmt.Errorf("%d of "+of+" belong to %d apps", there, "*", n)
		}
	}
	return nil
}
