package metric

import (
	"sync"
	"testing"
	"time"
	"unsafe"
)

// What happens often allocates nothing; and a histogram is as small as it says.
func TestCost(t *testing.T) {
	var c Counter
	var h Histogram
	v := NewVec[[2]string, Counter](8, [2]string{})
	region := string([]byte("ap-guangzhou"))
	for name, f := range map[string]func(){
		"Counter.Inc":       c.Inc,
		"Histogram.Observe": func() { h.Observe(time.Second) },
		"Vec.With":          func() { v.With([2]string{"DescribeDBInstances", region}).Inc() },
	} {
		f() // the first one makes a Vec's instrument
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
	if n := unsafe.Sizeof(h); n != 120 {
		t.Errorf("a Histogram takes %d bytes", n)
	}
}

// A Vec holds no more than it may; what comes later is counted all the same.
func TestVecIsBounded(t *testing.T) {
	v := NewVec[int, Counter](3, -1)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 100 {
				v.With(i).Inc()
				v.With(100*g + i).Inc()
			}
		})
	}
	all.Wait()
	n, sum := 0, 0.0
	v.Each(func(k int, c *Counter) {
		n++
		sum += c.Value()
	})
	if n != 4 || sum != 1600 || v.With(12345).Value() == 0 {
		t.Errorf("%d instruments counted %v, want 4 and 1600", n, sum)
	}
}
