package tencent

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// hidden stands for a secret in a text.
const hidden = "***"

// redact takes the secrets out of a text, also where they were quoted for
// JSON, a URL, HTML or a person.
func redact(text string, secrets []string) string {
	for _, secret := range secrets {
		if secret == "" {
			continue
		}
		for _, form := range forms(secret) {
			text = strings.ReplaceAll(text, form, hidden)
		}
	}
	return text
}

// htmlQuoter does as html.EscapeString, whose package brings 70 kB of entities.
var htmlQuoter = strings.NewReplacer("&", "&amp;", "'", "&#39;", "<", "&lt;", ">", "&gt;", `"`, "&#34;")

// forms are the ways in which a secret may be written.
func forms(secret string) []string {
	quoted := strconv.Quote(secret)
	out := []string{secret, htmlQuoter.Replace(secret), url.QueryEscape(secret), url.PathEscape(secret), quoted[1 : len(quoted)-1]}
	if b, err := json.Marshal(secret); err == nil {
		out = append(out, string(b[1:len(b)-1]))
	}
	return out
}

// longest is the length of a message in runes; conditions and events show it.
const longest = 600

// line makes a text fit to be shown: one line, printable, not too long.
func line(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || !strconv.IsPrint(r)
	}), " ")
	if r := []rune(text); len(r) > longest {
		text = string(r[:longest]) + "..."
	}
	return text
}
