// Command list is the floor of a start-up: it fetches every page of the list of
// PostgresDB objects, throws the bytes away, and says so. It has no client
// library, no decoding, no watch.
//
// What may come in: the standard library.
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"time"
)

// page is how many objects are asked for at once, as kubectl and client-go do.
const page = 500

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: list URL CAFILE")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "list:", err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stderr, "synced")
	time.Sleep(math.MaxInt64)
}

func run(server, caFile string) error {
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true, DisableCompression: true,
	}}
	for token := ""; ; {
		if token, err = one(client, server, token); err != nil || token == "" {
			return err
		}
	}
}

// one fetches a page and returns the next one's token, which stands at the end of
// the answer, behind the items.
func one(client *http.Client, server, token string) (string, error) {
	q := url.Values{"limit": {fmt.Sprint(page)}}
	if token != "" {
		q.Set("continue", token)
	}
	resp, err := client.Get(server + "/apis/database.example.com/v1/postgresdbs?" + q.Encode())
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the list is answered with %s", resp.Status)
	}
	var last tail
	if _, err := io.Copy(&last, resp.Body); err != nil {
		return "", err
	}
	_, after, found := bytes.Cut(last, []byte(`"continue":"`))
	if !found {
		return "", nil
	}
	next, _, _ := bytes.Cut(after, []byte(`"`))
	return string(next), nil
}

// tail keeps the last bytes that were written to it: room for a list's metadata.
type tail []byte

const tailSize = 2048

// Write drops all but the tail.
func (t *tail) Write(b []byte) (int, error) {
	all := append(*t, b[max(0, len(b)-tailSize):]...)
	*t = append((*t)[:0], all[max(0, len(all)-tailSize):]...)
	return len(b), nil
}
