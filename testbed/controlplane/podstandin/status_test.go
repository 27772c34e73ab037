package podstandin

import (
	"reflect"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var epoch = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

func newPod(image string, annotations map[string]string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default", Annotations: annotations},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: image}}},
		Status: corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{
			{Type: corev1.PodScheduled, Status: corev1.ConditionTrue},
		}},
	}
}

// after plays a pod's life up to a time, one turn whenever Next asks for one, and returns the last status.
func after(pod *corev1.Pod, age time.Duration) corev1.PodStatus {
	now := epoch
	for {
		status, again := Next(pod, "10.128.0.1", now)
		pod.Status = status
		if again == 0 || now.Add(again).After(epoch.Add(age)) {
			return status
		}
		now = now.Add(again)
	}
}

func TestBehaviours(t *testing.T) {
	for _, c := range []struct {
		behaviour Behaviour
		age       time.Duration
		phase     corev1.PodPhase
		ready     bool
		waiting   string
		restarts  int32
	}{
		{Healthy, 0, corev1.PodRunning, true, "", 0},
		{Slow, SlowStart - time.Second, corev1.PodPending, false, "ContainerCreating", 0},
		{Slow, SlowStart, corev1.PodRunning, true, "", 0},
		{NeverReady, time.Hour, corev1.PodRunning, false, "", 0},
		{ImagePullBackOff, time.Hour, corev1.PodPending, false, "ImagePullBackOff", 0},
		{CrashLoop, 0, corev1.PodRunning, false, "CrashLoopBackOff", 0},
		{CrashLoop, 2 * time.Second, corev1.PodRunning, false, "CrashLoopBackOff", 1},
		{CrashLoop, 7 * time.Second, corev1.PodRunning, false, "CrashLoopBackOff", 3},
		{CrashLoop, time.Hour, corev1.PodRunning, false, "CrashLoopBackOff", 11},
		{"crash-lop", 0, corev1.PodPending, false, "UnknownBehaviour", 0},
	} {
		s := after(newPod("web:1", map[string]string{Annotation: string(c.behaviour)}), c.age)
		container := s.ContainerStatuses[0]
		waiting := ""
		if container.State.Waiting != nil {
			waiting = container.State.Waiting.Reason
		}
		if s.Phase != c.phase || isReady(s) != c.ready || container.Ready != c.ready || waiting != c.waiting || container.RestartCount != c.restarts {
			t.Errorf("%s after %v: phase %s, ready %v, waiting %q, %d restarts; want %s, %v, %q, %d",
				c.behaviour, c.age, s.Phase, isReady(s), waiting, container.RestartCount, c.phase, c.ready, c.waiting, c.restarts)
		}
	}
}

func TestSecondTurnChangesNothing(t *testing.T) {
	for _, b := range []Behaviour{Healthy, Slow, NeverReady, ImagePullBackOff, CrashLoop} {
		pod := newPod("web:1", map[string]string{Annotation: string(b)})
		pod.Status, _ = Next(pod, "10.128.0.1", epoch)
		again, _ := Next(pod, "10.128.0.1", epoch.Add(time.Second/2))
		if !reflect.DeepEqual(again, pod.Status) {
			t.Errorf("%s: a second turn would write again:\n%+v\n%+v", b, pod.Status, again)
		}
	}
}

func TestBehaviourMayChange(t *testing.T) {
	pod := newPod("web:1", map[string]string{Annotation: string(CrashLoop)})
	after(pod, 10*time.Second)
	delete(pod.Annotations, Annotation)
	s, _ := Next(pod, "10.128.0.1", epoch.Add(11*time.Second))
	if !isReady(s) || s.ContainerStatuses[0].RestartCount != 3 {
		t.Errorf("ready %v, %d restarts; want it ready, with the 3 restarts that it had", isReady(s), s.ContainerStatuses[0].RestartCount)
	}
	if len(s.Conditions) != 5 || s.Conditions[0].Type != corev1.PodScheduled {
		t.Errorf("conditions %v: want the scheduler's kept and four more", s.Conditions)
	}
}

func TestBehaviourOfImage(t *testing.T) {
	for image, want := range map[string]Behaviour{
		"example.com/web:crash-loop":   CrashLoop,
		"example.com:5000/web":         Healthy,
		"web":                          Healthy,
		"web:slow":                     Slow,
		"example.com/slow":             Healthy,
		"web:image-pull-backoff":       ImagePullBackOff,
		"web:never-ready@sha256:12345": Healthy,
	} {
		if got := BehaviourOf(newPod(image, nil)); got != want {
			t.Errorf("image %s: %s, want %s", image, got, want)
		}
	}
	if got := BehaviourOf(newPod("web:slow", map[string]string{Annotation: "never-ready"})); got != NeverReady {
		t.Errorf("the annotation does not win over the image: %s", got)
	}
}

func TestAddresses(t *testing.T) {
	var a addresses
	old := newPod("web", nil)
	old.Status.PodIP = "10.128.1.255"
	a.seen(old)
	first, second := a.of(newPod("web", nil)), a.of(newPod("web", nil))
	if first != "10.128.2.0" || second != "10.128.2.1" || a.of(old) != old.Status.PodIP {
		t.Errorf("%s, %s and %s: want new addresses for new pods and the same one for the old", first, second, a.of(old))
	}
}

func isReady(s corev1.PodStatus) bool {
	for _, c := range s.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
