package overview

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func printed(t *testing.T, table Table, rows ...Row) string {
	t.Helper()
	var b bytes.Buffer
	table.Out = &b
	for _, r := range rows {
		if err := table.Add(r, now); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTable(t *testing.T) {
	long := row("a-name-that-is-longer-than-thirty-two-characters", "Running", "", true)
	paused := row("old", "Running", "", true)
	paused.Deleting, paused.Paused = true, true
	for name, c := range map[string]struct {
		table Table
		rows  []Row
		want  string
	}{
		"all well": {Table{}, []Row{row("orders", "Running", "", true)}, `KIND  OBJECT       PHASE    READY  WHERE          AGE
pgdb  shop/orders  Running  yes    10.0.0.1:5432  3h
`},
		"one waits": {Table{}, []Row{row("orders", "Running", "edge-01", true), row("new", "Provisioning", "", false)}, `KIND  OBJECT       PHASE         READY  WHERE          SITE     AGE  WAITS FOR
pgdb  shop/orders  Running       yes    10.0.0.1:5432  edge-01  3h   -
pgdb  shop/new     Provisioning  no     -              -        3h   Creating: the cloud is making it ` + strings.Repeat("x", 66) + `…
`},
		"a terminal": {Table{Width: 80}, []Row{row("orders", "Running", "", true), row("new", "Provisioning", "", false)}, `KIND  OBJECT       PHASE         READY  WHERE          AGE  WAITS FOR
pgdb  shop/orders  Running       yes    10.0.0.1:5432  3h   -
pgdb  shop/new     Provisioning  no     -              3h   Creating: the cloud…
`},
		"long":    {Table{}, []Row{long}, "KIND  OBJECT                                                 PHASE    READY  WHERE          AGE\npgdb  shop/" + long.Name + "  Running  yes    10.0.0.1:5432  3h\n"},
		"paused":  {Table{}, []Row{paused}, "KIND  OBJECT    PHASE                      READY  WHERE          AGE\npgdb  shop/old  Running, deleting, paused  yes    10.0.0.1:5432  3h\n"},
		"timed":   {Table{Times: true}, []Row{row("a", "Running", "", true)}, "TIME      KIND  OBJECT  PHASE    READY  WHERE          AGE\n12:00:00  pgdb  shop/a  Running  yes    10.0.0.1:5432  3h\n"},
		"nothing": {Table{}, nil, ""},
	} {
		got := printed(t, c.table, c.rows...)
		if got != c.want {
			t.Errorf("%s: printed\n%s\nwant\n%s", name, got, c.want)
		}
		for line := range strings.Lines(got) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); c.table.Width > 0 && n > c.table.Width {
				t.Errorf("%s: %d characters in a terminal of %d: %s", name, n, c.table.Width, line)
			}
		}
	}
}

// A page is printed when there is one; columns that come in later have their titles.
func TestTablePages(t *testing.T) {
	rows := make([]Row, pageRows+2)
	for n := range rows {
		rows[n] = row("a", "Running", "", true)
	}
	rows[pageRows] = row("longer-name", "Failed", "edge-01", false)
	var b bytes.Buffer
	table := Table{Out: &b}
	for n, r := range rows {
		if err := table.Add(r, now.Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(b.String(), "\n"); n+1 < pageRows && lines > 0 || n+1 >= pageRows && lines != pageRows+1 {
			t.Fatalf("%d lines after %d rows", lines, n+1)
		}
	}
	if err := table.Flush(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if last := lines[pageRows+1:]; len(last) != 4 || !strings.HasPrefix(last[0], "KIND  OBJECT            PHASE    READY  WHERE          SITE     AGE  WAITS FOR") ||
		!strings.HasPrefix(last[2], "pgdb  shop/a            Running  yes    10.0.0.1:5432  -        3h   -") {
		t.Errorf("the last lines are\n%s", strings.Join(last, "\n"))
	}
}
