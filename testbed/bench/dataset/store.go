package dataset

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"example.com/mote/cloud"
)

// Store is the control plane's store, past its API server.
type Store struct{ client *clientv3.Client }

// OpenStore connects to the store of the control plane that runs in a directory.
func OpenStore(dir string) (*Store, error) {
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{"unix://" + filepath.Join(dir, "etcd.sock")}})
	return &Store{c}, err
}

// Close ends the connection.
func (s *Store) Close() error { return s.client.Close() }

// row is one object in the store.
type row struct {
	key   string
	value []byte
}

// put writes rows, all or none.
func (s *Store) put(ctx context.Context, rows []row) error {
	ops := make([]clientv3.Op, len(rows))
	for i, r := range rows {
		ops[i] = clientv3.OpPut(r.key, string(r.value))
	}
	_, err := s.client.Txn(ctx).Then(ops...).Commit()
	return err
}

// storeKey is where the API server keeps the i-th object.
func storeKey(i int) string {
	return "/registry/database.example.com/postgresdbs/" + Namespace(i) + "/" + Name(i)
}

// like is the i-th object as the API server would have stored it, made from one
// that it did store.
func like(model map[string]any, i int, uid string, instance cloud.Instance) ([]byte, error) {
	status, err := steady(i, instance, time.Now().UTC())
	if err != nil {
		return nil, err
	}
	own := finished(i)
	meta := maps.Clone(model["metadata"].(map[string]any))
	maps.Copy(meta, own["metadata"].(map[string]any))
	meta["uid"] = uid
	delete(meta, "resourceVersion") // is the store's own
	spec := maps.Clone(model["spec"].(map[string]any))
	maps.Copy(spec, own["spec"].(map[string]any))
	o := maps.Clone(model)
	o["metadata"], o["spec"], o["status"] = meta, spec, status
	return json.Marshal(o)
}
