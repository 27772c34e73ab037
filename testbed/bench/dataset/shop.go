package dataset

import (
	"context"
	"errors"
	"fmt"

	"example.com/mote/cloud"
	"example.com/mote/cloud/tencent"
)

// Shop buys instances in the cloud's stand-in as Mote would have bought them.
type Shop struct {
	client   *tencent.Client
	vpc      map[string]string // by subnet
	specCode map[string]string // by subnet
}

// unlimited is a rate that holds nobody up; the stand-in's own are off meanwhile.
const unlimited = 1_000_000

// NewShop makes a client of the stand-in and looks up what is for sale.
func NewShop(ctx context.Context, url, secretID, secretKey string) (*Shop, error) {
	client, err := tencent.New(tencent.Options{
		Credentials: func(context.Context) (tencent.Credential, error) {
			return tencent.Credential{SecretID: secretID, SecretKey: secretKey}, nil
		},
		Endpoint: url, Limits: cloud.NewLimits(nil, unlimited, nil),
	})
	if err != nil {
		return nil, err
	}
	s := &Shop{client: client, vpc: map[string]string{}, specCode: map[string]string{}}
	for _, n := range subnets {
		at, err := client.Subnet(ctx, region, n.id)
		if err != nil {
			return nil, err
		}
		s.vpc[n.id] = at.VPCID
		classes, err := client.Classes(ctx, region, n.zone, majorVersion)
		if err != nil {
			return nil, err
		}
		for _, c := range classes {
			if fmt.Sprintf("%dC%dG", c.CPU, c.MemoryGB) == class {
				s.specCode[n.id] = c.SpecCode
			}
		}
		if s.specCode[n.id] == "" {
			return nil, errors.New("the stand-in sells no " + class + " in " + n.zone)
		}
	}
	return s, nil
}

// buy buys the instances of the objects from the i-th on, which have these uids,
// at most cloud.MaxPage, and returns them as they run.
func (s *Shop) buy(ctx context.Context, i int, uids []string) ([]cloud.Instance, error) {
	ids := make([]string, len(uids))
	for k, uid := range uids {
		n := subnets[(i+k)%len(subnets)]
		all := tags(i + k)
		all["mote-uid"], all["mote-object"] = uid, Namespace(i+k)+"/"+Name(i+k)
		created, err := s.client.Create(ctx, region, cloud.CreateRequest{
			Name: "mote-" + uid, SpecCode: s.specCode[n.id], StorageGB: storageGB, Major: majorVersion, Zone: n.zone,
			VPCID: s.vpc[n.id], SubnetID: n.id, ChargeType: cloud.PostpaidByHour, AdminUser: adminUser, AdminPassword: password,
			SecurityGroupIDs: []string{"sg-1a2b3c4d", "sg-5e6f7a8b"},
			Tags:             all,
		})
		if err != nil {
			return nil, err
		}
		ids[k] = created.ID
	}
	listed, err := s.client.List(ctx, region, ids)
	if err != nil {
		return nil, err
	}
	by := map[string]cloud.Instance{}
	for _, one := range listed {
		by[one.ID] = one
	}
	all := make([]cloud.Instance, len(ids))
	for k, id := range ids {
		if all[k] = by[id]; all[k].Endpoint() == "" {
			return nil, fmt.Errorf("instance %s has no endpoint yet: is the stand-in's create time zero?", id)
		}
	}
	return all, nil
}
