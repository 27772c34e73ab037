package look

import (
	"context"
	"sync"

	"example.com/mote/cloud"
)

// PriceList remembers prices, so that each is asked for once.
type PriceList struct {
	from cloud.Pricer

	mu   sync.Mutex
	seen map[string]map[cloud.Priced]cloud.Price // by region
}

// NewPriceList makes an empty one.
func NewPriceList(from cloud.Pricer) *PriceList {
	return &PriceList{from: from, seen: map[string]map[cloud.Priced]cloud.Price{}}
}

// Price is cloud.Pricer's. Failures are not remembered.
func (l *PriceList) Price(ctx context.Context, region string, of cloud.Priced) (cloud.Price, error) {
	l.mu.Lock()
	p, there := l.seen[region][of]
	l.mu.Unlock()
	if there {
		return p, nil
	}
	p, err := l.from.Price(ctx, region, of)
	if err != nil {
		return p, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen[region] == nil {
		l.seen[region] = map[cloud.Priced]cloud.Price{}
	}
	l.seen[region][of] = p
	return p, nil
}
