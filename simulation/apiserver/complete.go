package apiserver

import (
	"fmt"
	"hash/fnv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// What the API server fills in of a Deployment and a Service, and how it writes
// what it is given, as far as a client that compares can see it.

func completeService(o map[string]any) {
	spec, _ := o["spec"].(map[string]any)
	if spec == nil {
		return
	}
	meta := metaOf(o)
	h := fnv.New32a()
	fmt.Fprint(h, meta["namespace"], "/", meta["name"])
	address := fmt.Sprintf("10.96.%d.%d", h.Sum32()>>8&0xff, h.Sum32()&0xff)
	fill(spec, "type", "ClusterIP")
	fill(spec, "clusterIP", address)
	fill(spec, "clusterIPs", []any{spec["clusterIP"]})
	fill(spec, "sessionAffinity", "None")
	fill(spec, "ipFamilies", []any{"IPv4"})
	fill(spec, "ipFamilyPolicy", "SingleStack")
	fill(spec, "internalTrafficPolicy", "Cluster")
	for i, p := range elements(spec["ports"]) {
		fill(p, "protocol", "TCP")
		fill(p, "targetPort", p["port"])
		if spec["type"] != "ClusterIP" {
			fill(p, "nodePort", int64(30000+h.Sum32()%2000)+int64(i))
			fill(spec, "externalTrafficPolicy", "Cluster")
		} else {
			delete(p, "nodePort")
			delete(spec, "externalTrafficPolicy")
		}
	}
	fill(o, "status", map[string]any{"loadBalancer": map[string]any{}})
}

func completeDeployment(o map[string]any) {
	spec, _ := o["spec"].(map[string]any)
	template, _ := spec["template"].(map[string]any)
	pod, _ := template["spec"].(map[string]any)
	if pod == nil {
		return
	}
	fill(spec, "replicas", int64(1))
	fill(spec, "revisionHistoryLimit", int64(10))
	fill(spec, "progressDeadlineSeconds", int64(600))
	fill(spec, "strategy", map[string]any{"type": "RollingUpdate", "rollingUpdate": map[string]any{"maxSurge": "25%", "maxUnavailable": "25%"}})
	fill(pod, "restartPolicy", "Always")
	fill(pod, "dnsPolicy", "ClusterFirst")
	fill(pod, "schedulerName", "default-scheduler")
	fill(pod, "terminationGracePeriodSeconds", int64(30))
	fill(pod, "securityContext", map[string]any{})
	for _, v := range elements(pod["volumes"]) {
		if source, ok := v["configMap"].(map[string]any); ok {
			fill(source, "defaultMode", int64(420))
		}
	}
	for _, c := range elements(pod["containers"]) {
		completeContainer(c)
	}
	fill(o, "status", map[string]any{})
}

func completeContainer(c map[string]any) {
	image, _ := c["image"].(string)
	policy := "IfNotPresent"
	if strings.HasSuffix(image, ":latest") || !strings.Contains(image, ":") {
		policy = "Always"
	}
	fill(c, "imagePullPolicy", policy)
	fill(c, "terminationMessagePath", "/dev/termination-log")
	fill(c, "terminationMessagePolicy", "File")
	for _, p := range elements(c["ports"]) {
		fill(p, "protocol", "TCP")
	}
	for _, e := range elements(c["env"]) {
		if e["value"] == "" {
			delete(e, "value")
		}
	}
	fill(c, "resources", map[string]any{})
	res, _ := c["resources"].(map[string]any)
	for _, field := range []string{"requests", "limits"} {
		amounts, _ := res[field].(map[string]any)
		for k, v := range amounts {
			if q, err := resource.ParseQuantity(fmt.Sprint(v)); err == nil {
				amounts[k] = q.String()
			}
		}
	}
}

// checkService and checkDeployment refuse ports with the same name, to which a
// merge of ports by number can lead.
func checkService(o map[string]any) (field, message string) {
	spec, _ := o["spec"].(map[string]any)
	return twice("spec.ports", elements(spec["ports"]))
}

func checkDeployment(o map[string]any) (field, message string) {
	spec, _ := o["spec"].(map[string]any)
	template, _ := spec["template"].(map[string]any)
	pod, _ := template["spec"].(map[string]any)
	for i, c := range elements(pod["containers"]) {
		if field, message = twice(fmt.Sprintf("spec.template.spec.containers[%d].ports", i), elements(c["ports"])); field != "" {
			break
		}
	}
	return field, message
}

func twice(path string, ports []map[string]any) (field, message string) {
	seen := map[any]bool{}
	for i, p := range ports {
		if name := p["name"]; name != nil && seen[name] {
			return fmt.Sprintf("%s[%d].name", path, i), fmt.Sprintf("Duplicate value: %q", name)
		}
		seen[p["name"]] = true
	}
	return "", ""
}

func fill(m map[string]any, field string, value any) {
	if _, there := m[field]; !there {
		m[field] = value
	}
}

// elements are those of a list of objects.
func elements(v any) []map[string]any {
	list, _ := v.([]any)
	var out []map[string]any
	for _, e := range list {
		if m, ok := e.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}
