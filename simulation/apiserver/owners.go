package apiserver

import (
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// owners keeps count of which manager owns which fields of a kind's objects, by the
// very code that an API server does it with. What it counted is kept beside the
// object and not shown in it.
type owners struct {
	typ     typed.ParseableType
	updater *merge.Updater
	version fieldpath.APIVersion
}

func newOwners(k *kind) (*owners, error) {
	parser, err := typed.NewParser(mergeSchema)
	if err != nil {
		return nil, err
	}
	o := &owners{typ: parser.Type(k.name), version: fieldpath.APIVersion(k.apiVersion())}
	nobodys := fieldpath.NewSet(fieldpath.MakePathOrDie("apiVersion"), fieldpath.MakePathOrDie("kind"), fieldpath.MakePathOrDie("status"), fieldpath.MakePathOrDie("metadata"))
	for _, f := range []string{"name", "namespace", "creationTimestamp", "uid", "generation", "resourceVersion"} {
		nobodys.Insert(fieldpath.MakePathOrDie("metadata", f))
	}
	b := merge.UpdaterBuilder{Converter: oneVersion{}, IgnoredFields: map[fieldpath.APIVersion]*fieldpath.Set{o.version: nobodys}, ReturnInputOnNoop: true}
	o.updater = b.BuildUpdater()
	return o, nil
}

// update counts what a manager's write of any other kind than an apply changed.
func (o *owners) update(live, now map[string]any, owned fieldpath.ManagedFields, manager string) (fieldpath.ManagedFields, error) {
	was, err := o.typ.FromUnstructured(live, typed.AllowDuplicates)
	if err != nil {
		return nil, err
	}
	is, err := o.typ.FromUnstructured(now, typed.AllowDuplicates)
	if err != nil {
		return nil, err
	}
	_, owned, err = o.updater.Update(was, is, o.version, owned.Copy(), manager+" updates")
	return owned, err
}

// apply merges what a manager wants into an object. A conflict is an error of type
// merge.Conflicts.
func (o *owners) apply(live, wanted map[string]any, owned fieldpath.ManagedFields, manager string, force bool) (map[string]any, fieldpath.ManagedFields, error) {
	was, err := o.typ.FromUnstructured(live, typed.AllowDuplicates)
	if err != nil {
		return nil, nil, err
	}
	want, err := o.typ.FromUnstructured(wanted)
	if err != nil {
		return nil, nil, err
	}
	is, owned, err := o.updater.Apply(was, want, o.version, owned.Copy(), manager+" applies", force)
	if err != nil {
		return nil, nil, err
	}
	return runtime.DeepCopyJSON(is.AsValue().Unstructured().(map[string]any)), owned, nil
}

// oneVersion converts between the versions of a kind that has one.
type oneVersion struct{}

func (oneVersion) Convert(o *typed.TypedValue, _ fieldpath.APIVersion) (*typed.TypedValue, error) {
	return o, nil
}

func (oneVersion) IsMissingVersionError(error) bool { return false }

// mergeSchema says which lists are told apart by key, and which maps are one value.
// Everything else is deduced: maps field by field, lists as one value.
const mergeSchema = `
types:
- name: any
  scalar: untyped
  list: {elementType: {namedType: any}, elementRelationship: atomic}
  map: {elementType: {namedType: any}, elementRelationship: separable}
- name: whole
  map: {elementType: {namedType: any}, elementRelationship: atomic}
- name: metadata
  map:
    elementType: {namedType: any}
    fields:
    - name: finalizers
      type: {list: {elementType: {scalar: string}, elementRelationship: associative}}
    - name: ownerReferences
      type: {list: {elementType: {namedType: any}, elementRelationship: associative, keys: [uid]}}
- name: ConfigMap
  map:
    elementType: {namedType: any}
    fields:
    - {name: metadata, type: {namedType: metadata}}
- name: Service
  map:
    elementType: {namedType: any}
    fields:
    - {name: metadata, type: {namedType: metadata}}
    - {name: spec, type: {namedType: serviceSpec}}
- name: serviceSpec
  map:
    elementType: {namedType: any}
    fields:
    - {name: selector, type: {namedType: whole}}
    - name: ports
      type: {list: {elementType: {namedType: port}, elementRelationship: associative, keys: [port, protocol]}}
- name: port
  map:
    elementType: {namedType: any}
    fields:
    - {name: protocol, type: {scalar: string}, default: TCP}
- name: Deployment
  map:
    elementType: {namedType: any}
    fields:
    - {name: metadata, type: {namedType: metadata}}
    - {name: spec, type: {namedType: deploymentSpec}}
- name: deploymentSpec
  map:
    elementType: {namedType: any}
    fields:
    - {name: selector, type: {namedType: whole}}
    - {name: template, type: {namedType: template}}
- name: template
  map:
    elementType: {namedType: any}
    fields:
    - {name: spec, type: {namedType: podSpec}}
- name: podSpec
  map:
    elementType: {namedType: any}
    fields:
    - {name: nodeSelector, type: {namedType: whole}}
    - name: imagePullSecrets
      type: {list: {elementType: {namedType: any}, elementRelationship: associative, keys: [name]}}
    - name: volumes
      type: {list: {elementType: {namedType: any}, elementRelationship: associative, keys: [name]}}
    - name: containers
      type: {list: {elementType: {namedType: container}, elementRelationship: associative, keys: [name]}}
- name: container
  map:
    elementType: {namedType: any}
    fields:
    - name: env
      type: {list: {elementType: {namedType: any}, elementRelationship: associative, keys: [name]}}
    - name: volumeMounts
      type: {list: {elementType: {namedType: any}, elementRelationship: associative, keys: [mountPath]}}
    - name: ports
      type: {list: {elementType: {namedType: port}, elementRelationship: associative, keys: [containerPort, protocol]}}
`
