package postgresdb

import (
	"net/url"
	"strings"
	"testing"

	"example.com/mote/cloud"
)

func TestConnection(t *testing.T) {
	o := see().Object
	data := connection(o, dbOf(), map[string]string{"password": "pw", "mine": "x"})
	want := map[string]string{"host": "10.0.0.1", "port": "5432", "user": "dbadmin", "password": "pw", "dbname": "postgres", "sslmode": "prefer",
		"uri": "postgresql://dbadmin:pw@10.0.0.1:5432/postgres?sslmode=prefer"}
	for k, v := range want {
		if data[k] != v {
			t.Errorf("%s is %q, want %q", k, data[k], v)
		}
	}
	if len(data) != len(want) || len(connectionKeys) != len(want) {
		t.Errorf("%v", data)
	}
	without := connection(o, dbOf(), nil)
	if _, there := without["uri"]; there || without["host"] == "" {
		t.Errorf("%v", without)
	}
}

// A password of any characters comes out of the uri as it went in.
func FuzzConnectionURI(f *testing.F) {
	for _, p := range []string{"plain", "p@ss:w/rd?#[]%20", "ünï", " ", "a\nb", `\"'`, "%zz"} {
		f.Add(p, "dbadmin")
	}
	f.Fuzz(func(t *testing.T, password, user string) {
		if password == "" || strings.ContainsFunc(password+user, func(r rune) bool { return r == 0xFFFD }) {
			return
		}
		o := see().Object
		o.Spec.AdminUser = user
		u, err := url.Parse(connection(o, dbOf(), map[string]string{"password": password})["uri"])
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := u.User.Password(); got != password || u.User.Username() != user || u.Host != "10.0.0.1:5432" || u.Path != "/postgres" {
			t.Errorf("%q became %q in %s", password, got, u)
		}
	})
}

func TestConnectionOfAnIPv6Address(t *testing.T) {
	data := connection(see().Object, dbOf(func(i *cloud.Instance) { i.Host = "fd00::1" }), map[string]string{"password": "pw"})
	if u, err := url.Parse(data["uri"]); err != nil || u.Hostname() != "fd00::1" || u.Port() != "5432" {
		t.Errorf("%s: %v", data["uri"], err)
	}
}
