package tencent

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

type tagKey struct{ TagKey string }

// SetTags changes tags through the tag service, because postgres has no action for
// it: ModifyResourceTags adds and replaces ReplaceTags and takes DeleteTags away, in
// one call. Neither list may be there and empty, and no key may be in both (API
// documentation of the tag service, 2018-08-13).
//
// The resource is named as the tag service names it; the account's number is left
// out, as in terraform-provider-tencentcloud, and is then the caller's own.
func (c *Client) SetTags(ctx context.Context, region, id string, set map[string]string, drop []string) error {
	request := struct {
		Resource    string
		ReplaceTags []tag    `json:",omitempty"`
		DeleteTags  []tagKey `json:",omitempty"`
	}{Resource: fmt.Sprintf("qcs::postgres:%s:uin/:DBInstanceId/%s", region, id)}
	for _, k := range slices.Sorted(maps.Keys(set)) {
		request.ReplaceTags = append(request.ReplaceTags, tag{k, set[k]})
	}
	for _, k := range drop {
		request.DeleteTags = append(request.DeleteTags, tagKey{k})
	}
	return c.change(ctx, region, id, modifyTags, request)
}
