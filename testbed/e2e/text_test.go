package e2e

import "strconv"

func digits(n int64) string { return strconv.FormatInt(n, 10) }

func ptr[T any](v T) *T { return &v }
