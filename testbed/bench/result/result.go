// Package result keeps what was measured: one file for each number of objects,
// one for the creations and one for the apps, so that a report can show runs of
// several sizes.
//
// What may come in: the standard library, the benchmark's own measure package.
package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"example.com/mote/testbed/bench/measure"
)

// Run is what was measured with one number of objects.
type Run struct {
	Objects  int        `json:"objects"`
	Bytes    int64      `json:"bytes"` // of one object as JSON, on average
	Setting  Setting    `json:"setting"`
	Measured []Measured `json:"measured"`
}

// Setting is where and with what it was measured.
type Setting struct {
	Date     string   `json:"date"`
	Machine  string   `json:"machine"` // in general words
	Versions []string `json:"versions"`
}

// Measured is one contender's.
type Measured struct {
	ID      string           `json:"id"`
	Name    string           `json:"name"`
	Binary  int64            `json:"binary"` // bytes
	Layer   int64            `json:"layer"`  // bytes of it as the one file of an image layer, tar and gzip
	Start   measure.Start    `json:"start"`
	Idle    *measure.Idle    `json:"idle,omitempty"`
	Changes *measure.Changes `json:"changes,omitempty"`
}

// Creations is what was measured of creations against a slow cloud.
type Creations struct {
	Objects  int       `json:"objects"` // steady ones beside those that are created
	Setting  Setting   `json:"setting"`
	Measured []Created `json:"measured"`
}

// Created is one contender's.
type Created struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	measure.Creations
}

// Apps is what was measured of apps that are brought up.
type Apps struct {
	Objects  int            `json:"objects"`
	Setting  Setting        `json:"setting"`
	Measured []AppsMeasured `json:"measured"`
}

// AppsMeasured is one contender's.
type AppsMeasured struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	measure.Apps
	Idle  measure.Idle  `json:"idle"`  // when all run
	Start measure.Start `json:"start"` // with all of them there
}

// Put puts a contender's measures in, in place of earlier ones.
func (r *Run) Put(m Measured) {
	r.Measured = slices.DeleteFunc(r.Measured, func(x Measured) bool { return x.ID == m.ID })
	r.Measured = append(r.Measured, m)
}

// Get finds a contender's measures; nil: there are none.
func (r *Run) Get(id string) *Measured {
	for i := range r.Measured {
		if r.Measured[i].ID == id {
			return &r.Measured[i]
		}
	}
	return nil
}

// Put puts a contender's creations in, in place of earlier ones.
func (c *Creations) Put(m Created) {
	c.Measured = slices.DeleteFunc(c.Measured, func(x Created) bool { return x.ID == m.ID })
	c.Measured = append(c.Measured, m)
}

// Load reads the run with n objects; without a file it is empty.
func Load(dir string, n int) (Run, error) {
	r := Run{Objects: n}
	return r, read(runFile(dir, n), &r)
}

// Save writes a run.
func (r Run) Save(dir string) error { return write(runFile(dir, r.Objects), r) }

// All are the runs of all sizes, the smallest first.
func All(dir string) ([]Run, error) {
	files, err := filepath.Glob(filepath.Join(dir, "objects-*.json"))
	if err != nil {
		return nil, err
	}
	var all []Run
	for _, f := range files {
		var r Run
		if err := read(f, &r); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b Run) int { return a.Objects - b.Objects })
	return all, nil
}

// LoadCreations reads the creations; without a file there are none.
func LoadCreations(dir string) (Creations, error) {
	var c Creations
	return c, read(filepath.Join(dir, "creations.json"), &c)
}

// Save writes the creations.
func (c Creations) Save(dir string) error { return write(filepath.Join(dir, "creations.json"), c) }

// Put puts a contender's apps in, in place of earlier ones.
func (a *Apps) Put(m AppsMeasured) {
	a.Measured = slices.DeleteFunc(a.Measured, func(x AppsMeasured) bool { return x.ID == m.ID })
	a.Measured = append(a.Measured, m)
}

// Get finds a contender's apps; nil: there are none.
func (a *Apps) Get(id string) *AppsMeasured {
	for i := range a.Measured {
		if a.Measured[i].ID == id {
			return &a.Measured[i]
		}
	}
	return nil
}

// LoadApps reads the apps; without a file there are none.
func LoadApps(dir string) (Apps, error) {
	var a Apps
	return a, read(filepath.Join(dir, "apps.json"), &a)
}

// Save writes the apps.
func (a Apps) Save(dir string) error { return write(filepath.Join(dir, "apps.json"), a) }

func runFile(dir string, n int) string { return filepath.Join(dir, fmt.Sprintf("objects-%d.json", n)) }

func read(file string, into any) error {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

func write(file string, v any) error {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, append(b, '\n'), 0o644)
}
