// Command empty is the smallest Go program that stays: the floor of what a binary
// and a process cost before they do anything.
package main

import (
	"math"
	"time"
)

func main() { time.Sleep(math.MaxInt64) }
