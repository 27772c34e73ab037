package e2e

import (
	"maps"
)

// manifest is an object as a person writes it.
type manifest map[string]any

// fields are what a manifest's spec says beside or instead of the usual.
type fields map[string]any

// database is a PostgresDB.
func database(name string, changes fields) manifest {
	return object("database.example.com/v1", "PostgresDB", name, fields{
		"engineVersion": "14", "instanceClass": "2C4G", "storageGB": 20, "subnetID": "subnet-mote0001", "deletionPolicy": "Delete",
	}, changes)
}

// app is a MyApp.
func app(name string, changes fields) manifest {
	return object("example.com/v1", "MyApp", name, fields{"image": "example.com/web:1", "port": 8080, "replicas": 2}, changes)
}

func object(apiVersion, kind, name string, usual, changes fields) manifest {
	maps.Copy(usual, changes)
	return manifest{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": name}, "spec": usual}
}

// with adds to the metadata.
func (m manifest) with(key string, value any) manifest {
	m["metadata"].(map[string]any)[key] = value
	return m
}
