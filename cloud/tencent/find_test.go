package tencent_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"example.com/mote/cloud"
)

// shelf is a cloud of which only the list of instances works; it may move
// after each page.
type shelf struct {
	ids   []string
	pages int
	move  func(s *shelf) // after a page
}

func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var p struct{ Limit, Offset int }
	if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	type instance struct{ DBInstanceId, DBInstanceName string }
	set := []instance{}
	for _, id := range s.ids[min(p.Offset, len(s.ids)):min(p.Offset+p.Limit, len(s.ids))] {
		set = append(set, instance{id, id})
	}
	answer, _ := json.Marshal(map[string]any{"Response": map[string]any{"TotalCount": len(s.ids), "DBInstanceSet": set, "RequestId": "r"}})
	w.Write(answer)
	s.pages++
	if s.move != nil {
		s.move(s)
	}
}

// find looks for one of 250 instances on a shelf that moves.
func find(t *testing.T, id string, move func(s *shelf)) (found []cloud.Instance, err error) {
	s := &shelf{move: move}
	for i := range 250 {
		s.ids = append(s.ids, fmt.Sprint("postgres-", i))
	}
	server := httptest.NewServer(s)
	defer server.Close()
	return connect(t, server.URL).Find(t.Context(), region, id)
}

// once moves the shelf after its first page.
func once(move func(s *shelf)) func(*shelf) {
	return func(s *shelf) {
		if s.pages == 1 {
			move(s)
		}
	}
}

func (s *shelf) drop(i int) { s.ids = slices.Delete(s.ids, i, i+1) }

func (s *shelf) add() { s.ids = append(s.ids, fmt.Sprint("postgres-new-", s.pages)) }

// What stands first on the second page slides onto the first when one there is
// destroyed: it must be found all the same.
func TestFindMissesNothingThatMoves(t *testing.T) {
	for what, move := range map[string]func(*shelf){
		"nothing":               nil,
		"one destroyed":         once(func(s *shelf) { s.drop(5) }),
		"one bought":            once((*shelf).add),
		"one for another":       once(func(s *shelf) { s.drop(5); s.add() }),
		"one for one in front":  once(func(s *shelf) { s.drop(5); s.ids = slices.Insert(s.ids, 0, "postgres-odd") }),
		"all after the first":   once(func(s *shelf) { s.ids = append(s.ids[:99], s.ids[150:]...) }),
		"one read and then not": once(func(s *shelf) { s.drop(99) }),
	} {
		for _, id := range []string{"postgres-0", "postgres-100", "postgres-199", "postgres-249"} {
			if what == "all after the first" && id == "postgres-100" {
				continue // it is among those that went
			}
			found, err := find(t, id, move)
			if err != nil || len(found) != 1 || found[0].ID != id {
				t.Errorf("%s: looked for %s, found %v, %v", what, id, found, err)
			}
		}
	}
}

func TestFindDoesNotGuess(t *testing.T) {
	_, err := find(t, "postgres-100", func(s *shelf) { s.drop(0); s.add() })
	if cloud.ClassOf(err) != cloud.Ambiguous {
		t.Errorf("a list that never holds still: %v", err)
	}
}

func TestManyAtOnce(t *testing.T) {
	r := newRig(t, nil)
	id := r.buy("mote-1")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := r.Get(t.Context(), region, id); err != nil {
				t.Error(err)
			}
			if found, err := r.Find(t.Context(), region, "mote-1"); err != nil || len(found) != 1 {
				t.Errorf("%v, %v", found, err)
			}
		})
	}
	all.Wait()
}
