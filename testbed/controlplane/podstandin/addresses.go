package podstandin

import (
	"encoding/binary"
	"net/netip"
	"sync"

	corev1 "k8s.io/api/core/v1"
)

// addresses gives each pod an address of its own out of 10.128.0.0/9. None is given twice in a cluster's life: eight
// million are more than a test bed needs.
type addresses struct {
	mu   sync.Mutex
	last uint32
}

const firstAddress = 10<<24 | 128<<16

// of is the pod's address: the one that it has, or a new one.
func (a *addresses) of(pod *corev1.Pod) string {
	a.seen(pod)
	if pod.Status.PodIP != "" {
		return pod.Status.PodIP
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = max(a.last, firstAddress) + 1
	return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, a.last))).String()
}

// seen makes sure that a pod's address is not given to another.
func (a *addresses) seen(pod *corev1.Pod) {
	ip, err := netip.ParseAddr(pod.Status.PodIP)
	if err != nil || !ip.Is4() {
		return
	}
	four := ip.As4()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = max(a.last, binary.BigEndian.Uint32(four[:]))
}
