package bed

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// parentEnv makes this test binary the parent of TestNoOrphans: it starts a process
// in the folder and waits to be killed.
const parentEnv = "MOTE_BED_TEST_PARENT"

func TestNoOrphans(t *testing.T) {
	if dir := os.Getenv(parentEnv); dir != "" {
		p, _, err := start(t.Context(), "child", dir, nil, false, 0, "sleep", "600")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("\nCHILD", p.PID())
		<-p.Done()
		return
	}
	parent := exec.Command(os.Args[0], "-test.run", "^TestNoOrphans$")
	parent.Env = append(os.Environ(), parentEnv+"="+t.TempDir())
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	child := 0
	for s := bufio.NewScanner(out); child == 0 && s.Scan(); {
		fmt.Sscanf(s.Text(), "CHILD %d", &child)
	}
	parent.Process.Kill()
	parent.Wait()
	if child == 0 {
		t.Fatal("the parent started no child")
	}
	for limit := time.Now().Add(10 * time.Second); running(child); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			syscall.Kill(child, syscall.SIGKILL)
			t.Fatalf("process %d lives on after its parent was killed", child)
		}
	}
}

// running tells whether a process is there and no zombie: who inherits an orphan
// may be slow to bury it.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	var id int
	var name string
	var state rune
	fmt.Sscanf(string(stat), "%d %s %c", &id, &name, &state)
	return err == nil && state != 'Z'
}
