package bed

import "syscall"

// ownGroup keeps a terminal's Ctrl-C from reaching the program (its parent
// decides when it ends) and has the kernel kill it when its parent dies.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
