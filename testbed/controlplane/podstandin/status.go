package podstandin

import (
	"fmt"
	"math/bits"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SlowStart is how long a Slow pod takes to start.
const SlowStart = 5 * time.Second

// Next is the status that a kubelet would give to a scheduled pod at this time, and after how long to look again (0: no
// need to). The result depends on nothing else, so that it can be computed again after any failure.
func Next(pod *corev1.Pod, podIP string, now time.Time) (corev1.PodStatus, time.Duration) {
	at := metav1.NewTime(now)
	status := *pod.Status.DeepCopy()
	status.ObservedGeneration = pod.Generation
	status.HostIP, status.HostIPs = hostIP, []corev1.HostIP{{IP: hostIP}}
	status.PodIP, status.PodIPs = podIP, []corev1.PodIP{{IP: podIP}}
	if status.StartTime == nil {
		status.StartTime = &at
	}
	age := now.Sub(status.StartTime.Time)

	var again time.Duration
	phase, started, ready := corev1.PodRunning, true, true
	container := running(at)
	why, message := "ContainersNotReady", "containers are not ready"
	switch behaviour := BehaviourOf(pod); behaviour {
	case Healthy:
	case Slow:
		if age < SlowStart {
			phase, started, ready = corev1.PodPending, false, false
			container = waiting("ContainerCreating", "")
			again = SlowStart - age
		}
	case NeverReady:
		ready = false
	case ImagePullBackOff:
		phase, started, ready = corev1.PodPending, false, false
		container = func(_ *corev1.Pod, s *corev1.ContainerStatus) {
			waiting("ImagePullBackOff", fmt.Sprintf("Back-off pulling image %q: ErrImagePull: %s: not found", s.Image, s.Image))(pod, s)
		}
	case CrashLoop:
		started, ready = false, false
		container, again = crashing(age, at)
	default:
		phase, started, ready = corev1.PodPending, false, false
		why, message = "UnknownBehaviour", fmt.Sprintf("%s: the pod stand-in knows no behaviour %q", Annotation, behaviour)
		container = waiting(why, message)
	}

	status.Phase = phase
	status.ContainerStatuses = nil
	for _, c := range pod.Spec.Containers {
		s := containerStatus(pod, c)
		s.Started, s.Ready = &started, ready
		container(pod, &s)
		status.ContainerStatuses = append(status.ContainerStatuses, s)
	}
	setCondition(&status, pod, corev1.PodReadyToStartContainers, true, "", "", at)
	setCondition(&status, pod, corev1.PodInitialized, true, "", "", at)
	setCondition(&status, pod, corev1.ContainersReady, ready, why, message, at)
	setCondition(&status, pod, corev1.PodReady, ready, why, message, at)
	return status, again
}

// containerStatus is what does not depend on behaviour; a restart count is kept.
func containerStatus(pod *corev1.Pod, c corev1.Container) corev1.ContainerStatus {
	s := corev1.ContainerStatus{Name: c.Name, Image: c.Image}
	if old := find(pod, c.Name); old != nil {
		s.RestartCount, s.LastTerminationState = old.RestartCount, old.LastTerminationState
	}
	return s
}

func find(pod *corev1.Pod, container string) *corev1.ContainerStatus {
	for i, s := range pod.Status.ContainerStatuses {
		if s.Name == container {
			return &pod.Status.ContainerStatuses[i]
		}
	}
	return nil
}

// running keeps the time since when the container runs.
func running(at metav1.Time) func(*corev1.Pod, *corev1.ContainerStatus) {
	return func(pod *corev1.Pod, s *corev1.ContainerStatus) {
		s.ImageID, s.ContainerID = "standin://"+s.Image, fmt.Sprintf("standin://%s/%s", pod.UID, s.Name)
		s.State.Running = &corev1.ContainerStateRunning{StartedAt: at}
		if old := find(pod, s.Name); old != nil && old.State.Running != nil {
			s.State.Running = old.State.Running
		}
	}
}

func waiting(reason, message string) func(*corev1.Pod, *corev1.ContainerStatus) {
	return func(_ *corev1.Pod, s *corev1.ContainerStatus) {
		s.State.Waiting = &corev1.ContainerStateWaiting{Reason: reason, Message: message}
	}
}

// crashing is between two restarts. The n-th comes 2^n-1 seconds after the start: each wait is twice the one before.
func crashing(age time.Duration, at metav1.Time) (set func(*corev1.Pod, *corev1.ContainerStatus), next time.Duration) {
	restarts := bits.Len(uint(age/time.Second)+1) - 1
	wait := time.Second << restarts
	next = wait<<1 - time.Second - age
	return func(pod *corev1.Pod, s *corev1.ContainerStatus) {
		running(at)(pod, s)
		s.State = corev1.ContainerState{}
		waiting("CrashLoopBackOff", fmt.Sprintf("back-off %v restarting failed container=%s pod=%s_%s", wait, s.Name, pod.Name, pod.Namespace))(pod, s)
		old := find(pod, s.Name)
		if old == nil || old.LastTerminationState.Terminated == nil || int(old.RestartCount) < restarts {
			s.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{
				ExitCode: 1, Reason: "Error", StartedAt: at, FinishedAt: at, ContainerID: s.ContainerID,
			}
		}
		s.RestartCount = max(s.RestartCount, int32(restarts))
	}, next
}

// setCondition sets one condition and leaves the others (the scheduler's) alone. Its transition time moves only when
// its status does.
func setCondition(status *corev1.PodStatus, pod *corev1.Pod, kind corev1.PodConditionType, ok bool, why, message string, at metav1.Time) {
	c := corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, ObservedGeneration: pod.Generation, LastTransitionTime: at}
	if !ok {
		c.Status, c.Reason, c.Message = corev1.ConditionFalse, why, message
	}
	for i, old := range status.Conditions {
		if old.Type == kind {
			if old.Status == c.Status {
				c.LastTransitionTime = old.LastTransitionTime
			}
			status.Conditions[i] = c
			return
		}
	}
	status.Conditions = append(status.Conditions, c)
}
