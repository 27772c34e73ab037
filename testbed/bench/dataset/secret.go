package dataset

import (
	"net"
	"net/url"
	"strconv"

	"example.com/mote/cloud"
)

// password is that of every instance.
const password = "Bench-0123456789"

// secret is the connection Secret of the i-th object.
func secret(i int, uid string, at cloud.Instance) map[string]any {
	port := strconv.Itoa(at.Port)
	uri := url.URL{Scheme: "postgresql", User: url.UserPassword(adminUser, password), Host: net.JoinHostPort(at.Host, port),
		Path: "/postgres", RawQuery: "sslmode=prefer"}
	return map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": "Opaque",
		"metadata": map[string]any{
			"name": Name(i) + "-connection", "namespace": Namespace(i),
			"labels": map[string]any{"app.kubernetes.io/managed-by": "mote"},
			"ownerReferences": []map[string]any{{"apiVersion": "database.example.com/v1", "kind": "PostgresDB", "name": Name(i), "uid": uid,
				"controller": true, "blockOwnerDeletion": true}},
		},
		"stringData": map[string]string{"host": at.Host, "port": port, "user": adminUser, "password": password,
			"dbname": "postgres", "sslmode": "prefer", "uri": uri.String()},
	}
}
