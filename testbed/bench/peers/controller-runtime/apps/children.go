package apps

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The labels of children; watches may be narrowed by the second.
const (
	appLabel     = "app.kubernetes.io/instance"
	managedLabel = "app.kubernetes.io/managed-by"
	managedBy    = "controller-runtime-peer"
)

func named(app *MyApp, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: app.Namespace, Name: name}
}

func label(app *MyApp, o client.Object) {
	all := o.GetLabels()
	if all == nil {
		all = map[string]string{}
	}
	all[appLabel], all[managedLabel] = app.Name, managedBy
	o.SetLabels(all)
}

func replicas(app *MyApp) int32 {
	if app.Spec.Replicas == nil {
		return 1
	}
	return *app.Spec.Replicas
}

func configMap(app *MyApp, c *corev1.ConfigMap) { c.Data = app.Spec.Config }

// serviceOf sets field by field, so that what the API server filled in stays, and an
// unchanged Service is not written.
func serviceOf(app *MyApp, s *corev1.Service) {
	s.Spec.Type = corev1.ServiceType(app.Spec.ServiceType)
	s.Spec.Selector = map[string]string{appLabel: app.Name}
	if len(s.Spec.Ports) != 1 {
		s.Spec.Ports = make([]corev1.ServicePort, 1)
	}
	p := &s.Spec.Ports[0]
	p.Name, p.Port, p.Protocol, p.TargetPort = "http", app.Spec.Port, corev1.ProtocolTCP, intstr.FromString("http")
}

// deploymentOf sets field by field, for the same reason.
func deploymentOf(app *MyApp, d *appsv1.Deployment) {
	n := replicas(app)
	d.Spec.Replicas = &n
	labels := map[string]string{appLabel: app.Name}
	if d.Spec.Selector == nil { // it is immutable
		d.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	}
	t := &d.Spec.Template
	if t.Labels == nil {
		t.Labels = labels
	}
	if len(t.Spec.Volumes) != 1 {
		t.Spec.Volumes = []corev1.Volume{{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{}}}}
	}
	t.Spec.Volumes[0].ConfigMap.Name = app.Name + "-config"
	if len(t.Spec.Containers) != 1 {
		t.Spec.Containers = make([]corev1.Container, 1)
	}
	c := &t.Spec.Containers[0]
	c.Name, c.Image, c.ImagePullPolicy = "app", app.Spec.Image, corev1.PullIfNotPresent
	if len(c.Ports) != 1 {
		c.Ports = make([]corev1.ContainerPort, 1)
	}
	c.Ports[0].Name, c.Ports[0].ContainerPort, c.Ports[0].Protocol = "http", app.Spec.Port, corev1.ProtocolTCP
	c.Env = nil
	for _, e := range app.Spec.Env {
		c.Env = append(c.Env, corev1.EnvVar{Name: e.Name, Value: e.Value})
	}
	if len(c.VolumeMounts) != 1 {
		c.VolumeMounts = make([]corev1.VolumeMount, 1)
	}
	c.VolumeMounts[0].Name, c.VolumeMounts[0].MountPath = "config", "/etc/config"
}
