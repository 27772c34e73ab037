package dataset

import (
	"context"
	"encoding/json"
	"net/http"
)

// Bytes is the size of one of n objects as JSON, on average over a few of them.
func Bytes(ctx context.Context, a *API, n int) (int64, error) {
	const few = 16
	var total int64
	for k := range few {
		var raw json.RawMessage
		if err := a.Do(ctx, http.MethodGet, Path(k*n/few), nil, &raw); err != nil {
			return 0, err
		}
		total += int64(len(raw))
	}
	return total / few, nil
}
