package forecast

import (
	"cmp"
	"fmt"
	"slices"
)

// HoursInMonth is what a month has when an hour's price is told by the month.
const HoursInMonth = 730

// Cost is what a step costs from then on, in hundredths of the currency's unit; of a
// change it is the difference, which may be negative.
type Cost struct {
	PerHour  int64  `json:"centsPerHour"`
	PerMonth int64  `json:"centsPerMonth"`
	Currency string `json:"currency"`
	// Difference: it is that of the list prices of two sizes. The cloud documents
	// no price of a change itself.
	Difference bool `json:"difference,omitempty"`
	// Unknown says why there is no price; all else is zero then.
	Unknown string `json:"unknown,omitempty"`
}

// Hourly is the cost of what is paid by the hour.
func Hourly(cents int64, currency string) *Cost {
	return &Cost{PerHour: cents, PerMonth: cents * HoursInMonth, Currency: currency}
}

// Monthly is the cost of what is paid by the month.
func Monthly(cents int64, currency string) *Cost {
	half := int64(HoursInMonth / 2)
	if cents < 0 {
		half = -half
	}
	return &Cost{PerHour: (cents + half) / HoursInMonth, PerMonth: cents, Currency: currency}
}

// String is "CNY 0.86 an hour, 627.80 a month", with a sign for a difference.
func (c Cost) String() string {
	if c.Unknown != "" {
		return "price unknown: " + c.Unknown
	}
	return fmt.Sprintf("%s %s an hour, %s a month", c.Currency, c.amount(c.PerHour), c.amount(c.PerMonth))
}

func (c Cost) amount(cents int64) string {
	sign := ""
	switch {
	case cents < 0:
		sign, cents = "-", -cents
	case c.Difference:
		sign = "+"
	}
	return fmt.Sprintf("%s%d.%02d", sign, cents/100, cents%100)
}

// Sum adds up what all steps cost, by currency.
func (f *Forecast) Sum() {
	totals := map[string]*Cost{}
	for _, o := range f.Objects {
		for _, s := range o.Steps {
			if s.Cost == nil || s.Cost.Unknown != "" {
				continue
			}
			t := totals[s.Cost.Currency]
			if t == nil {
				t = &Cost{Currency: s.Cost.Currency, Difference: true}
				totals[s.Cost.Currency] = t
			}
			t.PerHour += s.Cost.PerHour
			t.PerMonth += s.Cost.PerMonth
		}
	}
	f.Total = nil
	for _, t := range totals {
		f.Total = append(f.Total, *t)
	}
	slices.SortFunc(f.Total, func(a, b Cost) int { return cmp.Compare(a.Currency, b.Currency) })
}
