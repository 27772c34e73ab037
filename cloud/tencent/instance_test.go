package tencent

import (
	"fmt"
	"testing"

	"example.com/mote/cloud"
)

func TestStates(t *testing.T) {
	for want, words := range map[cloud.State][]string{
		cloud.StateProvisioning: {"applying", "init", "initing"},
		cloud.StateRunning:      {"running"},
		cloud.StateLimited:      {"limited run", "readonly"},
		cloud.StateBusy: {"job running", "expanding", "switching", "restarting", "network changing",
			"upgrading", "audit-switching", "primary-switching", "deployment changing", "parameter modifying",
			"log-switching", "migrating", "cloning", "restoring", "recycling", "offlining"},
		cloud.StateWaiting:   {"waitSwitch"},
		cloud.StateIsolating: {"isolating"},
		cloud.StateIsolated:  {"isolated"},
		cloud.StateRestoring: {"disisolating"},
		cloud.StateGone:      {"recycled", "offline"},
		cloud.StateUnknown:   {"", "Running", "dreaming"},
	} {
		for _, word := range words {
			if got := stateOf(word); got != want {
				t.Errorf("%q is %s, want %s", word, got, want)
			}
		}
	}
}

func TestAddress(t *testing.T) {
	open := netInfo{"private", "opened", "10.0.0.7", 5432}
	for _, c := range []struct {
		nets []netInfo
		want string
	}{
		{nil, ":0"},
		{[]netInfo{open, {"public", "initing", "", 0}}, "10.0.0.7:5432"},
		{[]netInfo{{"public", "opened", "1.2.3.4", 22}, open}, "10.0.0.7:5432"},
		{[]netInfo{{"inner", "opened", "10.0.0.8", 5433}}, "10.0.0.8:5433"},
		{[]netInfo{{"private", "2", "10.0.0.9", 5432}}, "10.0.0.9:5432"},
		{[]netInfo{{"private", "opening", "10.0.0.7", 5432}}, ":0"},
		{[]netInfo{{"private", "closed", "10.0.0.7", 5432}}, ":0"},
		{[]netInfo{{"private", "opened", "", 5432}}, ":0"},
		{[]netInfo{{"private", "opened", "10.0.0.7", 0}}, ":0"},
	} {
		host, port := address(c.nets)
		if got := fmt.Sprintf("%s:%d", host, port); got != c.want {
			t.Errorf("%+v is %s, want %s", c.nets, got, c.want)
		}
	}
}

func TestChargeType(t *testing.T) {
	for word, want := range map[string]cloud.ChargeType{
		"prepaid": cloud.Prepaid, "PREPAID": cloud.Prepaid,
		"postpaid": cloud.PostpaidByHour, "POSTPAID_BY_HOUR": cloud.PostpaidByHour,
		"": "", "gift": "",
	} {
		if got := chargeType(word); got != want {
			t.Errorf("%q is %q, want %q", word, got, want)
		}
	}
}

func TestRedact(t *testing.T) {
	const password = `a"b<c&d+e/f`
	for text, want := range map[string]string{
		"x " + password + " y":                       "x *** y",
		`{"AdminPassword":"a\"b\u003cc\u0026d+e/f"}`: `{"AdminPassword":"***"}`,
		`<b>a&#34;b&lt;c&amp;d+e/f</b>`:              `<b>***</b>`,
		`?p=a%22b%3Cc%26d%2Be%2Ff&q`:                 `?p=***&q`,
		`value "a\"b<c&d+e/f"`:                       `value "***"`,
	} {
		if got := redact(text, []string{"", password}); got != want {
			t.Errorf("%s became %s", text, got)
		}
	}
}

func TestLine(t *testing.T) {
	long := line(fmt.Sprintf("%0999d", 1))
	if len(long) != longest+3 {
		t.Errorf("%d bytes of a long message", len(long))
	}
	if got := line("a\n\tb\x00c  d"); got != "a b c d" {
		t.Errorf("%q", got)
	}
}
