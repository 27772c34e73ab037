package standin

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Key is one accepted credential. A key with a Token is a temporary one: calls
// must carry exactly that token. A key without one refuses any token.
type Key struct {
	ID     string `json:"id"`
	Secret string `json:"secret"`
	Token  string `json:"token,omitempty"`
}

// SetKeys replaces the accepted credentials, at once and for all calls that
// arrive from now on. It fails, changing nothing, on a key without id or secret
// or an id given twice.
func (s *Server) SetKeys(keys ...Key) error {
	set := make(map[string]Key, len(keys))
	for _, k := range keys {
		if k.ID == "" || k.Secret == "" {
			return fmt.Errorf("a key needs an id and a secret")
		}
		if _, twice := set[k.ID]; twice {
			return fmt.Errorf("key id %q is given twice", k.ID)
		}
		set[k.ID] = k
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = set
	return nil
}

// KeyIDs lists the accepted ids in order; secrets never leave.
func (s *Server) KeyIDs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := make([]string, 0, len(s.keys))
	for id := range s.keys {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

const (
	tc3Algorithm = "TC3-HMAC-SHA256"
	clockSkew    = 5 * time.Minute
)

// authorization is the Authorization header, taken apart.
type authorization struct {
	keyID, date, service string
	signed               []string // names of the signed headers, as listed
	signature            string
}

func parseAuthorization(h string) (a authorization, ok bool) {
	rest, ok := strings.CutPrefix(h, tc3Algorithm+" ")
	if !ok {
		return a, false
	}
	fields := map[string]string{}
	for part := range strings.SplitSeq(rest, ",") {
		k, v, found := strings.Cut(strings.TrimSpace(part), "=")
		if !found {
			return a, false
		}
		fields[k] = v
	}
	scope := strings.Split(fields["Credential"], "/")
	if len(scope) != 4 || scope[3] != "tc3_request" || slices.Contains(scope, "") {
		return a, false
	}
	a = authorization{keyID: scope[0], date: scope[1], service: scope[2],
		signed: strings.Split(fields["SignedHeaders"], ";"), signature: fields["Signature"]}
	return a, slices.Contains(a.signed, "content-type") && slices.Contains(a.signed, "host") && a.signature != ""
}

// authenticate checks who calls. The date and the service of the scope are not
// believed: the signature is computed with the date of the timestamp and with
// service, as the real endpoint does, so a wrong scope fails as a signature.
func (s *Server) authenticate(r *http.Request, body []byte, service string, now time.Time) *apiError {
	stamp := r.Header.Get("X-TC-Timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return fail("InvalidParameter", "The value of parameter `Timestamp` is not valid.")
	}
	a, ok := parseAuthorization(r.Header.Get("Authorization"))
	if !ok {
		return fail("AuthFailure.InvalidAuthorization", "The Authorization in the request header is not valid.")
	}
	s.mu.Lock()
	key, known := s.keys[a.keyID]
	s.mu.Unlock()
	if !known {
		return fail("AuthFailure.SecretIdNotFound", "The SecretId is not found, please ensure that your SecretId is correct.")
	}
	at := time.Unix(seconds, 0)
	if skew := now.Sub(at).Abs(); skew > clockSkew {
		return fail("AuthFailure.SignatureExpire",
			"Signature expired: the timestamp and the server time differ by %s, more than five minutes.", skew.Round(time.Second))
	}
	want := signature(r, body, key.Secret, stamp, at.UTC().Format(time.DateOnly), service, a.signed)
	if a.date != at.UTC().Format(time.DateOnly) || a.service != service || !hmac.Equal([]byte(want), []byte(a.signature)) {
		return fail("AuthFailure.SignatureFailure",
			"The provided credentials could not be validated. Please check your signature is correct.")
	}
	if r.Header.Get("X-TC-Token") != key.Token {
		return fail("AuthFailure.TokenFailure", "The token is not valid.")
	}
	return nil
}

// signature is the TC3 signature of r in hex, for the headers named in signed.
func signature(r *http.Request, body []byte, secret, stamp, date, service string, signed []string) string {
	var canonical strings.Builder
	fmt.Fprintf(&canonical, "%s\n/\n%s\n", r.Method, r.URL.RawQuery)
	for _, name := range signed {
		value := r.Header.Get(name)
		if name == "host" {
			value = r.Host
		}
		fmt.Fprintf(&canonical, "%s:%s\n", strings.ToLower(name), strings.ToLower(strings.TrimSpace(value)))
	}
	fmt.Fprintf(&canonical, "\n%s\n%s", strings.Join(signed, ";"), hash(body))

	toSign := strings.Join([]string{tc3Algorithm, stamp, date + "/" + service + "/tc3_request",
		hash([]byte(canonical.String()))}, "\n")
	key := mac([]byte("TC3"+secret), date)
	key = mac(key, service)
	key = mac(key, "tc3_request")
	return hex.EncodeToString(mac(key, toSign))
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
