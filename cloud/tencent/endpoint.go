package tencent

import (
	"fmt"
	"net/url"
	"strings"
)

const (
	publicEndpoint  = "https://{service}.tencentcloudapi.com"
	serviceInDomain = "{service}"
)

// endpoint is where the API is: a scheme and a host with or without a port.
type endpoint struct{ scheme, host string }

// domain is the host of one service.
func (e endpoint) domain(service string) string {
	return strings.ReplaceAll(e.host, serviceInDomain, service)
}

// parseEndpoint reads Options.Endpoint.
func parseEndpoint(text string) (endpoint, error) {
	if text == "" {
		text = publicEndpoint
	}
	if !strings.Contains(text, "://") {
		return endpoint{}, fmt.Errorf("cloud endpoint %q: must begin with http:// or https://", text)
	}
	// A placeholder is no valid host; any word will do for the parser.
	const word = "service"
	u, err := url.Parse(strings.ReplaceAll(text, serviceInDomain, word))
	if err != nil {
		return endpoint{}, fmt.Errorf("cloud endpoint: not a URL: %q", text)
	}
	switch {
	case u.User != nil: // not repeated in the message: it may hold a password
		return endpoint{}, fmt.Errorf("cloud endpoint: a user or password in the URL is not supported")
	case u.Scheme != "http" && u.Scheme != "https":
		return endpoint{}, fmt.Errorf("cloud endpoint %q: must begin with http:// or https://", text)
	case u.Hostname() == "" || strings.HasSuffix(u.Host, ":"):
		return endpoint{}, fmt.Errorf("cloud endpoint %q: the host or the port is missing", text)
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "":
		return endpoint{}, fmt.Errorf("cloud endpoint %q: only a scheme, a host and a port are allowed", text)
	}
	_, rest, _ := strings.Cut(text, "://")
	return endpoint{u.Scheme, strings.TrimSuffix(rest, "/")}, nil
}
