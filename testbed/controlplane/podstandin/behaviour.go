// Package podstandin plays the kubelet's part towards the API server: it keeps one Node, and gives the pods that are
// scheduled to it the status that a kubelet would. Nothing is run and no image is pulled.
//
// A pod turns Running and Ready at once, and a pod that is being deleted goes at once. Other behaviours are asked for:
// by the pod's annotation podstandin.mote.example.com/behaviour, which may be changed while the pod lives; or, where
// whoever makes the pods sets no annotations, by a behaviour's name as the tag of the first container's image
// ("example.com/web:crash-loop"). The annotation wins.
//
// What may come in: the API types and a client. What may not: any part of a kubelet, and behaviour that no test asks for.
package podstandin

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Annotation on a pod names its behaviour.
const Annotation = "podstandin.mote.example.com/behaviour"

// Behaviour is what a pod does instead of turning Ready at once.
type Behaviour string

// The behaviours that can be asked for.
const (
	Healthy          Behaviour = "healthy"            // Running and Ready at once; what a pod does that asks for nothing
	ImagePullBackOff Behaviour = "image-pull-backoff" // Pending for ever, its image is not there
	CrashLoop        Behaviour = "crash-loop"         // restarts after 1, 3, 7, 15, ... seconds, never Ready
	NeverReady       Behaviour = "never-ready"        // Running, but its readiness probe fails
	Slow             Behaviour = "slow"               // ContainerCreating for SlowStart, then Running and Ready
)

// BehaviourOf is what a pod asks for. It may be none of the known ones.
func BehaviourOf(pod *corev1.Pod) Behaviour {
	if asked, ok := pod.Annotations[Annotation]; ok {
		return Behaviour(asked)
	}
	if len(pod.Spec.Containers) > 0 {
		image := pod.Spec.Containers[0].Image
		switch tag := Behaviour(image[strings.LastIndex(image, ":")+1:]); tag {
		case ImagePullBackOff, CrashLoop, NeverReady, Slow:
			return tag
		}
	}
	return Healthy
}
