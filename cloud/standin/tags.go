package standin

import (
	"slices"
	"strings"
)

// The one action of the service tag.

type tagKey struct{ TagKey string }

type resourceTags struct {
	Resource    string // qcs::postgres:REGION:uin/UIN:DBInstanceId/ID; UIN may be left out
	ReplaceTags []tag
	DeleteTags  []tagKey
}

// resourceID is the instance that a description names, "" when it is none.
func resourceID(description string) (region, id string) {
	parts := strings.Split(description, ":")
	if len(parts) != 6 || parts[0] != "qcs" || parts[2] != "postgres" || !strings.HasPrefix(parts[4], "uin/") {
		return "", ""
	}
	id, ok := strings.CutPrefix(parts[5], "DBInstanceId/")
	if !ok {
		return "", ""
	}
	return parts[3], id
}

// modifyResourceTags adds and replaces some tags and takes others away; the status
// of the instance does not matter.
func modifyResourceTags(t *turn, p resourceTags) (any, *apiError) {
	region, id := resourceID(p.Resource)
	if id == "" {
		return nil, fail("InvalidParameterValue.ResourceDescriptionError", "The resource `%s` is not described in six segments.", p.Resource)
	}
	i := t.world.Instances[id]
	if i != nil {
		t.world.settle(i, t.now)
	}
	if i == nil || i.Gone || i.Region != region {
		return nil, fail("InvalidParameterValue.ResourceIdInvalid", "The resource `%s` is not found.", id)
	}
	if len(p.ReplaceTags)+len(p.DeleteTags) == 0 {
		return nil, fail("MissingParameter", "The request is missing ReplaceTags and DeleteTags.")
	}
	tags := slices.Clone(i.Tags)
	for _, k := range p.DeleteTags {
		if slices.ContainsFunc(p.ReplaceTags, func(g tag) bool { return g.TagKey == k.TagKey }) {
			return nil, fail("InvalidParameterValue.DeleteTagsParamError", "The tag key `%s` is to be replaced and deleted.", k.TagKey)
		}
		at := slices.IndexFunc(tags, func(g tag) bool { return g.TagKey == k.TagKey })
		if at < 0 {
			return nil, fail("ResourceNotFound.AttachedTagKeyNotFound", "The tag key `%s` is not attached.", k.TagKey)
		}
		tags = slices.Delete(tags, at, at+1)
	}
	for _, g := range t.tagsAsKept(p.ReplaceTags) {
		tags = slices.DeleteFunc(tags, func(old tag) bool { return old.TagKey == g.TagKey })
		tags = append(tags, g)
	}
	if failed := checkTags(tags); failed != nil {
		return nil, failed
	}
	i.Tags, i.Updated = tags, t.now
	return empty{}, nil
}

// tagsAsKept are tags as the server keeps them: as they were given, unless it
// brings them into a form of its own.
func (t *turn) tagsAsKept(given []tag) []tag {
	kept := slices.Clone(given)
	if t.normalise {
		for n, g := range kept {
			kept[n] = tag{strings.TrimSpace(g.TagKey), strings.TrimSpace(g.TagValue)}
		}
	}
	return kept
}

// groupsAsKept is the same for security groups.
func (t *turn) groupsAsKept(given []string) []string {
	kept := slices.Clone(given)
	if t.normalise {
		for n, id := range kept {
			kept[n] = strings.ToLower(id)
		}
		slices.Reverse(kept)
	}
	return kept
}
