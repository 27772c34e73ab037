package standin

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// stateFormat is the version of the state file's format.
const stateFormat = 1

// world is all that survives a restart. What happens by time alone is not
// written when it happens: it follows from the plans.
type world struct {
	Format    int
	Serial    int64                // last number given to an order, a task or a purchase
	Instances map[string]*instance // every one ever bought, by id
	Orders    map[string]*order    // by deal name
	Tasks     map[int64]*task
	Hosts     map[string]int // addresses ever given out, by subnet

	all []*instance // the instances in the order of purchase
}

// loadWorld reads a state file; without one the world is empty.
func loadWorld(path string) (*world, error) {
	w := &world{Format: stateFormat, Instances: map[string]*instance{},
		Orders: map[string]*order{}, Tasks: map[int64]*task{}, Hosts: map[string]int{}}
	if path == "" {
		return w, nil
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return w, nil
	}
	if err != nil {
		return nil, fmt.Errorf("state file: %w", err)
	}
	if err := json.Unmarshal(b, w); err != nil {
		return nil, fmt.Errorf("state file %s: %w", path, err)
	}
	if w.Format != stateFormat {
		return nil, fmt.Errorf("state file %s has format %d, this program writes %d", path, w.Format, stateFormat)
	}
	w.all = slices.SortedFunc(maps.Values(w.Instances), func(a, b *instance) int { return cmp.Compare(a.Seq, b.Seq) })
	return w, nil
}

// save writes the state file, whole or not at all. The caller holds the lock.
func (s *Server) save() error {
	if s.cfg.StateFile == "" {
		return nil
	}
	b, err := json.Marshal(s.world)
	if err != nil {
		return err
	}
	tmp := s.cfg.StateFile + ".new"
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil && s.cfg.Fsync {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(tmp, s.cfg.StateFile); err != nil {
		return err
	}
	if !s.cfg.Fsync {
		return nil
	}
	dir, err := os.Open(filepath.Dir(s.cfg.StateFile))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// serial is the next number.
func (w *world) serial() int64 {
	w.Serial++
	return w.Serial
}

// newInstanceID is an id that was never given before: "postgres-" and eight
// letters or digits.
func (w *world) newInstanceID(random func() uint64) string {
	const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789"
	for {
		var id strings.Builder
		id.WriteString("postgres-")
		n := random()
		for range 8 {
			id.WriteByte(alphabet[n%uint64(len(alphabet))])
			n /= uint64(len(alphabet))
		}
		if _, taken := w.Instances[id.String()]; !taken {
			return id.String()
		}
	}
}

// free is how many addresses of a subnet are unused.
func (w *world) free(s *Subnet, now time.Time) int {
	n := s.size()
	for _, i := range w.settled(now) {
		if i.Subnet == s.ID && !i.Gone {
			n--
		}
	}
	return n
}

// hasRoom tells whether a subnet has n free addresses. It counts only when the
// range was given out once, so that a purchase does not look at every instance.
func (w *world) hasRoom(s *Subnet, n int, now time.Time) bool {
	return w.Hosts[s.ID]+n <= s.size() || w.free(s, now) >= n
}

// takeAddress gives out an address of a subnet that has a free one. None is
// given a second time before all were given once.
func (w *world) takeAddress(s *Subnet) netip.Addr {
	for {
		n := w.Hosts[s.ID]
		w.Hosts[s.ID]++
		a := s.host(n % s.size())
		if n < s.size() || !slices.ContainsFunc(w.all, func(i *instance) bool {
			return i.Subnet == s.ID && i.Address == a && !i.Gone
		}) {
			return a
		}
	}
}

// host is the nth address for instances in the subnet, from 0. The first two
// and the last of the range are the subnet's own.
func (s *Subnet) host(n int) netip.Addr {
	base := s.CIDR.Masked().Addr().As4()
	v := binary.BigEndian.Uint32(base[:]) + uint32(n) + 2
	binary.BigEndian.PutUint32(base[:], v)
	return netip.AddrFrom4(base)
}

// size is how many instances fit into the subnet.
func (s *Subnet) size() int { return 1<<(32-s.CIDR.Bits()) - 3 }

// settled lists all instances as they are now, in the order of purchase.
func (w *world) settled(now time.Time) []*instance {
	for _, i := range w.all {
		w.settle(i, now)
	}
	return w.all
}
