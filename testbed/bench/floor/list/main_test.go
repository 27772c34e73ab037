package main

import (
	"strings"
	"testing"
)

// TestTail: the end is kept, however the bytes came in.
func TestTail(t *testing.T) {
	whole := strings.Repeat("x", 3*tailSize) + "the end"
	for _, step := range []int{1, 7, tailSize - 1, tailSize, tailSize + 1, len(whole)} {
		var got tail
		for at := 0; at < len(whole); at += step {
			got.Write([]byte(whole[at:min(len(whole), at+step)]))
		}
		if string(got) != whole[len(whole)-tailSize:] {
			t.Errorf("in steps of %d: the tail is %q...", step, got[:10])
		}
	}
}
