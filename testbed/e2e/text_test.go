package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

func digits(n int64) string { return strconv.FormatInt(n, 10) }

func sha256hex(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func ptr[T any](v T) *T { return &v }
