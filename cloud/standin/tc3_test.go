package standin

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The vectors were not made by this code: the first is the example of the API's
// own documentation, the others were computed with openssl.
func TestSignatureVectors(t *testing.T) {
	const payload = `{"Limit": 1, "Filters": [{"Values": ["\u672a\u547d\u540d"], "Name": "instance-name"}]}`
	for _, c := range []struct {
		name, host, action, contentType, service, secret, stamp, date, body, signed, want string
	}{
		{"documentation", "cvm.tencentcloudapi.com", "DescribeInstances", "application/json; charset=utf-8", "cvm",
			"Gu5t9xGARNpq86cd98joQYCN3EXAMPLE", "1551113065", "2019-02-25", payload, "content-type;host",
			"72e494ea809ad7a8c8f7a4507b9bddcbaa8e581f516e8da2f66e2c5a96525168"},
		{"action signed too, in lower case", "cvm.tencentcloudapi.com", "DescribeInstances", "application/json; charset=utf-8", "cvm",
			"Gu5t9xGARNpq86cd98joQYCN3EXAMPLE", "1551113065", "2019-02-25", payload, "content-type;host;x-tc-action",
			"644be983de9a8a3f00db8eadaba61467c3b429e2215758ba897b738ca469fd26"},
		{"host with a port", "127.0.0.1:8080", "DescribeDBInstances", "application/json", "postgres",
			"test-secret", "1767225600", "2026-01-01", `{"Limit":100}`, "content-type;host",
			"4731f60783a8a5ed1e92fc4c416b26cf9a4965f5254f8a577c502541cd016cd6"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "/", nil)
			r.Host = c.host
			r.Header.Set("Content-Type", c.contentType)
			r.Header.Set("X-TC-Action", c.action)
			got := signature(r, []byte(c.body), c.secret, c.stamp, c.date, c.service, strings.Split(c.signed, ";"))
			if got != c.want {
				t.Errorf("signature = %s, want %s", got, c.want)
			}
		})
	}
}
