// Package manifest reads manifests as people keep them: files, folders and standard
// input, of several documents each, in YAML or JSON.
//
// What may come in: the standard library, apimachinery's JSON, sigs.k8s.io/yaml.
package manifest
