package postgresdb

import "example.com/mote/cloud"

// word is a string, and saying what conditions say, by its number in a table: so
// a world is small, flat and quickly compared.
type (
	word   uint16
	saying uint16
)

type table[T comparable] struct {
	numbers map[T]uint16
	all     []T
}

func newTable[T comparable]() *table[T] {
	var zero T
	return &table[T]{numbers: map[T]uint16{zero: 0}, all: []T{zero}}
}

func (t *table[T]) number(v T) uint16 {
	n, ok := t.numbers[v]
	if !ok {
		n = uint16(len(t.all))
		t.numbers[v], t.all = n, append(t.all, v)
	}
	return n
}

var (
	words   = newTable[string]()
	sayings = newTable[said]()
)

func (w word) String() string      { return words.all[w] }
func wordOf(s string) word         { return word(words.number(s)) }
func stateWord(s cloud.State) word { return wordOf(string(s)) }
func (s saying) what() said        { return sayings.all[s] }

var (
	provisioning = stateWord(cloud.StateProvisioning)
	running      = stateWord(cloud.StateRunning)
	busy         = stateWord(cloud.StateBusy)
	isolating    = stateWord(cloud.StateIsolating)
	isolated     = stateWord(cloud.StateIsolated)
	gone         = stateWord(cloud.StateGone)
)
