package tencent

import (
	"context"
	"fmt"

	"example.com/mote/cloud"
	"example.com/mote/jsonscan"
)

// listRequest is what we send of DescribeDBInstances.
type listRequest struct {
	Filters              []filter
	Limit, Offset        int
	OrderBy, OrderByType string
}

type filter struct {
	Name   string
	Values []string
}

// page is its answer; TotalCount is nil in an answer that is no list.
type page struct {
	TotalCount    *int
	DBInstanceSet []dbInstance
}

func (p *page) scan(s *jsonscan.Scanner) error {
	return scanList(s, &p.TotalCount, func() error {
		p.DBInstanceSet = append(p.DBInstanceSet, dbInstance{})
		return p.DBInstanceSet[len(p.DBInstanceSet)-1].scan(s)
	})
}

// scanList reads a list, whose instances instance takes.
func scanList(s *jsonscan.Scanner, total **int, instance func() error) error {
	return s.Object(func(key []byte) (err error) {
		switch string(key) {
		case "TotalCount":
			n := -1
			if err = s.Int(&n); err == nil && n >= 0 {
				*total = &n
			}
			return err
		case "DBInstanceSet":
			return s.Array(instance)
		}
		return s.Skip()
	})
}

// chosen is the answer translated as it is read: instances that were asked for, each
// once. The sweep reads pages day and night, and a page kept whole beside its
// translation was half of their garbage.
type chosen struct {
	region string
	asked  map[string]bool // less those that were found
	total  *int
	found  []cloud.Instance
}

func (c *chosen) scan(s *jsonscan.Scanner) error {
	var d dbInstance // its lists are used for one instance after the other
	return scanList(s, &c.total, func() error {
		d = dbInstance{DBInstanceNetInfo: d.DBInstanceNetInfo, TagList: d.TagList}
		d.DBInstanceNetInfo, d.TagList = d.DBInstanceNetInfo[:0], d.TagList[:0]
		if err := d.scan(s); err != nil {
			return err
		}
		if c.asked[d.DBInstanceId] {
			delete(c.asked, d.DBInstanceId)
			c.found = append(c.found, d.instance(c.region))
		}
		return nil
	})
}

// list reads one page, oldest instances first, so that new ones come last. total says
// where the answer has its TotalCount.
func (c *Client) list(ctx context.Context, region string, by filter, offset int, into scanned, total **int) error {
	request := listRequest{Filters: []filter{by}, Limit: cloud.MaxPage, Offset: offset, OrderBy: "CreateTime", OrderByType: "asc"}
	id, err := c.call(ctx, region, describeInstances, request, into)
	if err == nil && *total == nil {
		e := c.refuse(region, describeInstances, "mote.UnreadableAnswer", "the answer is not a list of instances")
		e.Class, e.RequestID = cloud.Ambiguous, id
		err = e
	}
	return err
}

// List reads up to cloud.MaxPage instances by id in one call; none is asked
// for without ids, because no filter would mean all.
func (c *Client) List(ctx context.Context, region string, ids []string) ([]cloud.Instance, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	if len(ids) > cloud.MaxPage {
		return nil, c.refuse(region, describeInstances, "mote.PageTooLarge", fmt.Sprintf("%d instances asked for in one page", len(ids)))
	}
	answer := chosen{region: region, asked: make(map[string]bool, len(ids)), found: make([]cloud.Instance, 0, len(ids))}
	for _, id := range ids {
		answer.asked[id] = true
	}
	if err := c.list(ctx, region, filter{"db-instance-id", ids}, 0, &answer, &answer.total); err != nil {
		return nil, err
	}
	return answer.found, nil
}

// oneInstance is the answer of DescribeDBInstanceAttribute.
type oneInstance struct{ DBInstance dbInstance }

func (o *oneInstance) scan(s *jsonscan.Scanner) error {
	return s.Object(func(key []byte) error {
		if string(key) == "DBInstance" {
			return o.DBInstance.scan(s)
		}
		return s.Skip()
	})
}

// Get reads one instance live.
func (c *Client) Get(ctx context.Context, region, id string) (cloud.Instance, error) {
	if id == "" {
		return cloud.Instance{}, c.noID(region, describeInstance)
	}
	var answer oneInstance
	request, err := c.call(ctx, region, describeInstance, struct{ DBInstanceId string }{id}, &answer)
	if err != nil {
		return cloud.Instance{}, err
	}
	if answer.DBInstance.DBInstanceId != id {
		e := c.refuse(region, describeInstance, "mote.UnreadableAnswer",
			fmt.Sprintf("asked for %q and answered %q", id, answer.DBInstance.DBInstanceId))
		e.Class, e.RequestID = cloud.Ambiguous, request
		return cloud.Instance{}, e
	}
	return answer.DBInstance.instance(region), nil
}

// finds is how often Find starts anew when the list changes under it.
const finds = 3

// Find returns all instances with exactly this name. The cloud's filter finds
// parts of names, so there may be many pages. Something may be bought or
// destroyed while they are read: a walk counts only when its pages fit
// together, so that "none" is an answer and not an accident. After three that
// do not, the error is Ambiguous.
func (c *Client) Find(ctx context.Context, region, name string) ([]cloud.Instance, error) {
	if name == "" {
		return nil, c.refuse(region, describeInstances, "mote.NoName", "no name was given")
	}
	for range finds {
		all, whole, err := c.walk(ctx, region, filter{"db-instance-name", []string{name}})
		if err != nil {
			return nil, err
		}
		if !whole {
			continue
		}
		return exactly(name, all, region), nil
	}
	e := c.refuse(region, describeInstances, "mote.ListMoved", fmt.Sprintf("the list of instances changed while it was read, %d times", finds))
	e.Class = cloud.Ambiguous
	return nil, e
}

// exactly are the instances of that very name. As with gather, what it has on the stack
// is gone while a call waits.
//
//go:noinline
func exactly(name string, all []dbInstance, region string) (exact []cloud.Instance) {
	for i := range all {
		if all[i].DBInstanceName == name {
			exact = append(exact, all[i].instance(region))
		}
	}
	return exact
}

// gather adds to all those of a page that were not seen before; last is the page's last.
//
//go:noinline
func gather(all []dbInstance, seen map[string]bool, page []dbInstance) (_ []dbInstance, last string) {
	for i := range page {
		if last = page[i].DBInstanceId; !seen[last] {
			seen[last] = true
			all = append(all, page[i])
		}
	}
	return all, last
}

// walk reads all pages once. whole says that nothing was missed: each page
// begins with the instance that ended the one before (so nothing before it has
// moved), the total stayed the same, and so many different ones were read.
func (c *Client) walk(ctx context.Context, region string, by filter) (all []dbInstance, whole bool, err error) {
	seen := map[string]bool{}
	last, total := "", 0
	for offset := 0; ; offset += cloud.MaxPage - 1 {
		var p page
		if err := c.list(ctx, region, by, offset, &p, &p.TotalCount); err != nil {
			return nil, false, err
		}
		if offset > 0 && (len(p.DBInstanceSet) == 0 || p.DBInstanceSet[0].DBInstanceId != last || *p.TotalCount != total) {
			return nil, false, nil
		}
		total = *p.TotalCount
		all, last = gather(all, seen, p.DBInstanceSet)
		if len(seen) >= total {
			return all, len(seen) == total, nil
		}
		if len(p.DBInstanceSet) < cloud.MaxPage {
			return nil, false, nil // the end, and some were not there
		}
	}
}
