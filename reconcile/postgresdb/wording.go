package postgresdb

import "strings"

// sameButForNumbers tells whether two messages differ at most in words that hold
// a digit: times, counts and request ids, with which the cloud likes to end them.
func sameButForNumbers(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] && !(numbered(x[i]) && numbered(y[i])) {
			return false
		}
	}
	return true
}

func numbered(word string) bool { return strings.ContainsAny(word, "0123456789") }
