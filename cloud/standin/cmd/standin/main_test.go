package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/mote/cloud/standin"
	"example.com/mote/cloud/standin/control"
)

// The test binary is the command when asked to be.
const beTheCommand = "STANDIN_TEST_RUNS_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(beTheCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

func TestBadCommandLines(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--nope", "nope"},
		{"--create-time soon", "create-time"},
		{"--list-lag -1s", "list-lag"},
		{"--listen 0.0.0.0:0", "loopback"},
		{"--listen [::]:0", "loopback"},
		{"--listen localhost:0", "listen"},
		{"--listen 127.0.0.1", "listen"},
		{"--secret-id x", "go together"},
		{"--secret-id= --secret-key=", "empty"},
		{"surplus", "surplus"},
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), strings.Fields(c.args), strings.NewReader(""), &out, &errs)
		if code != 2 || out.Len() > 0 || strings.Count(errs.String(), "\n") != 1 || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%s: exit %d, %q, %q", c.args, code, out.String(), errs.String())
		}
	}
}

func TestFailures(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	if code := run(t.Context(), []string{"--state", file}, strings.NewReader(""), io.Discard, &errs); code != 1 || !strings.Contains(errs.String(), file) {
		t.Errorf("exit %d, %q", code, errs.String())
	}
}

func TestHelp(t *testing.T) {
	var out bytes.Buffer
	if code := run(t.Context(), []string{"-h"}, strings.NewReader(""), &out, io.Discard); code != 0 {
		t.Errorf("exit %d", code)
	}
	for _, name := range []string{"listen", "state", "exit-with-stdin", "secret-id", "secret-key", "token", "create-time", "resize-time",
		"isolate-time", "destroy-time", "order-time", "list-lag", "recycle-time", "latency", "no-rate-limits"} {
		if !strings.Contains(out.String(), "-"+name) {
			t.Errorf("-%s is not in the help", name)
		}
	}
}

func TestOptions(t *testing.T) {
	opt, err := parse(strings.Fields("--secret-id i --secret-key k --token t --create-time 0s --recycle-time 1h --latency 5ms --no-rate-limits --seed 4"))
	c := opt.config
	if err != nil || c.Keys[0] != (standin.Key{ID: "i", Secret: "k", Token: "t"}) || c.Timing.Create != 0 || c.Timing.RecyclePostpaid != time.Hour ||
		c.Timing.RecyclePrepaid != time.Hour || c.Latency != 5*time.Millisecond || !c.NoRateLimits || c.Seed != 4 {
		t.Errorf("%+v %v", opt, err)
	}
	if opt, err = parse(nil); err != nil || opt.config.Timing != standin.DemoTiming() || opt.config.Seed == 0 {
		t.Errorf("defaults %+v %v", opt, err)
	}
}

// start runs the command as a process and returns it with its address.
func start(t *testing.T, stdin io.Reader, args ...string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), beTheCommand+"=1")
	cmd.Stdin, cmd.Stderr = stdin, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "READY url=")
	if err != nil || !ok || !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Fatalf("first line %q, %v", line, err)
	}
	return cmd, url
}

// stops waits for the end of the process and gives its exit status.
func stops(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
		return cmd.ProcessState.ExitCode()
	case <-time.After(5 * time.Second):
		t.Error("it does not stop")
		return -1
	}
}

func TestSignalsStopIt(t *testing.T) {
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd, url := start(t, nil)
		if _, err := control.New(url, nil).Ledger(context.Background()); err != nil {
			t.Error(err)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if code := stops(t, cmd); code != 0 {
			t.Errorf("%s: exit %d", sig, code)
		}
	}
}

func TestStdinStopsIt(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd, _ := start(t, r, "--exit-with-stdin")
	w.Close()
	if code := stops(t, cmd); code != 0 {
		t.Errorf("exit %d", code)
	}
}

// buy sends a signed CreateInstances and returns the answer.
func buy(t *testing.T, url string) (string, error) {
	t.Helper()
	const body = `{"SpecCode":"pg.at.medium4","Storage":100,"InstanceCount":1,"Period":1,"Charset":"UTF8","AdminName":"mote",` +
		`"AdminPassword":"Sup3r-Secret","Zone":"ap-guangzhou-6","DBMajorVersion":"14","VpcId":"vpc-mote0001",` +
		`"SubnetId":"subnet-mote0001","InstanceChargeType":"POSTPAID_BY_HOUR","Name":"mote-1"}`
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	sum := func(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }
	key := []byte("TC3" + defaultSecretKey)
	mac := func(s string) {
		h := hmac.New(sha256.New, key)
		io.WriteString(h, s)
		key = h.Sum(nil)
	}
	now := time.Now().UTC()
	day := now.Format(time.DateOnly)
	mac(day)
	mac("postgres")
	mac("tc3_request")
	mac(fmt.Sprintf("TC3-HMAC-SHA256\n%d\n%s/postgres/tc3_request\n%s", now.Unix(), day,
		sum("POST\n/\n\ncontent-type:application/json\nhost:"+q.URL.Host+"\n\ncontent-type;host\n"+sum(body))))
	for k, v := range map[string]string{
		"Content-Type": "application/json", "X-TC-Action": "CreateInstances", "X-TC-Version": "2017-03-12",
		"X-TC-Region": "ap-guangzhou", "X-TC-Timestamp": fmt.Sprint(now.Unix()),
		"Authorization": fmt.Sprintf("TC3-HMAC-SHA256 Credential=%s/%s/postgres/tc3_request, SignedHeaders=content-type;host, Signature=%x", defaultSecretID, day, key),
	} {
		q.Header.Set(k, v)
	}
	resp, err := http.DefaultClient.Do(q)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return string(b), err
}

func TestStateSurvivesKill(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.json")
	ctx := t.Context()
	cmd, url := start(t, nil, "--state", file)
	if out, err := buy(t, url); err != nil || !strings.Contains(out, "postgres-") {
		t.Fatalf("%s %v", out, err)
	}
	// The second purchase is answered to nobody: the caller waits while it dies.
	c := control.New(url, nil)
	if _, err := c.AddFaults(ctx, standin.Fault{Kind: standin.Hang, After: true}); err != nil {
		t.Fatal(err)
	}
	lost := make(chan error, 1)
	go func() {
		_, err := buy(t, url)
		lost <- err
	}()
	for {
		calls, err := c.Calls(ctx, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(calls.Recent) == 1 && calls.Recent[0].Effect {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	before, err := c.Ledger(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Process.Kill()
	stops(t, cmd)
	if err := <-lost; err == nil {
		t.Error("the second purchase was answered")
	}
	_, url = start(t, nil, "--state", file)
	after, err := control.New(url, nil).Ledger(ctx)
	if err != nil || len(after) != 2 || after[0].ID != before[0].ID || after[1].ID != before[1].ID || !after[1].Bought.Equal(before[1].Bought) {
		t.Fatalf("before %+v\nafter %+v %v", before, after, err)
	}
	c = control.New(url, nil)
	if e, err := c.Console(ctx, after[0].ID, standin.Change{Do: standin.Destroy}); err != nil || e.Status != "offlining" {
		t.Errorf("%+v %v", e, err)
	}
	if e, err := c.Instance(ctx, after[0].ID); err != nil || e.Billed {
		t.Errorf("%+v %v", e, err)
	}
}
