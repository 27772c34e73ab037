//go:build !linux

package bed

import "syscall"

// ownGroup keeps a terminal's Ctrl-C from reaching the program: its parent
// decides when it ends.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
