package postgresdb

import (
	"net"
	"net/url"
	"strconv"

	"example.com/mote/cloud"
	"example.com/mote/crd/databasev1"
)

// connectionKeys are the keys of the connection Secret that are Mote's; others
// in it are left alone.
var connectionKeys = []string{"host", "port", "user", "password", "dbname", "sslmode", "uri"}

// checkConnection sees to it that the connection Secret tells how to reach the
// instance; ok when it does.
func checkConnection(v View, i cloud.Instance) (Decision, bool) {
	switch {
	case v.Secret == nil:
		return Decision{Do: ReadSecret}, false
	case v.Secret.Exists && !v.Secret.Ours:
		d := secretTaken(v, databasev1.PhaseFailed)
		d.Show.Instance = &i
		return d, false
	}
	data := connection(v.Object, i, v.Secret.Data)
	// A password that is lost is made anew, stored first, and then set in the
	// cloud. An adopted instance's is for its owner to put in.
	lost := !v.adopted() && data["password"] == ""
	pending := !v.adopted() && v.Secret.ResetPending
	if pending && !lost {
		if why := passwordFault(data["password"]); why != "" {
			d := passwordInvalid(v, why)
			d.Show.Instance = &i
			return d, false
		}
	}
	if (lost || pending) && v.Object.Status.Phase == databasev1.PhaseRunning {
		// That takes several steps. A phase that says that nothing is left to do
		// goes first, or nobody would go on with them after a restart.
		message := "the connection Secret has another password: setting it in the cloud"
		if lost {
			message = "the connection Secret lost its password: making a new one, and setting it in the cloud"
		}
		return Decision{Do: Rest, After: soon, Show: &Show{Phase: databasev1.PhaseUpdating, Reason: "RestoringPassword",
			Message: message, Instance: &i}}, false
	}
	if !v.Secret.Exists {
		return Decision{Do: CreateSecret, SecretData: data, NewPassword: lost, Reset: lost}, false
	}
	change := map[string]string{}
	for _, k := range connectionKeys {
		if have, there := v.Secret.Data[k]; have != data[k] || there && have == "" {
			change[k] = data[k]
		}
	}
	note := !v.adopted() && !lost && !pending && !v.Secret.Noted // by an older Mote
	if lost || note || len(change) > 0 {
		return Decision{Do: WriteSecret, SecretData: change, NewPassword: lost, Reset: lost, Note: note}, false
	}
	return Decision{}, true
}

// connection is the connection Secret's content. The password is whatever the
// Secret has; without one there is no uri.
func connection(o *databasev1.PostgresDB, i cloud.Instance, have map[string]string) map[string]string {
	port := strconv.Itoa(i.Port)
	data := map[string]string{"host": i.Host, "port": port, "user": o.Spec.AdminUser, "dbname": "postgres", "sslmode": "prefer"}
	if p := have["password"]; p != "" {
		data["password"] = p
		u := url.URL{Scheme: "postgresql", User: url.UserPassword(o.Spec.AdminUser, p), Host: net.JoinHostPort(i.Host, port), Path: "/postgres", RawQuery: "sslmode=prefer"}
		data["uri"] = u.String()
	}
	return data
}
