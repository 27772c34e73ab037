package slowshop

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"
)

func TestShop(t *testing.T) {
	s, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.Slow(time.Millisecond)
	ids := map[string]bool{}
	for range 3 {
		resp, err := http.Post(s.URL, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		var bought struct{ ID string }
		err = json.NewDecoder(resp.Body).Decode(&bought)
		resp.Body.Close()
		if err != nil || bought.ID == "" || ids[bought.ID] {
			t.Errorf("bought %q, %v", bought.ID, err)
		}
		ids[bought.ID] = true
	}
	resp, err := http.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET is answered %s", resp.Status)
	}
}
