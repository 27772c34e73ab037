// Command list is the floor of a start-up: it fetches every page of the list of
// PostgresDB objects, throws the bytes away, and says so. It has no client
// library, no decoding, no watch.
//
// What may come in: the standard library.
package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"strings"
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

// one fetches a page and returns the next one's token, which stands in the first
// bytes of the answer.
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
	body := bufio.NewReaderSize(resp.Body, 4096)
	head, err := body.Peek(2048)
	if err != nil && err != io.EOF {
		return "", err
	}
	if _, err := io.Copy(io.Discard, body); err != nil {
		return "", err
	}
	_, after, found := bytes.Cut(head, []byte(`"continue":"`))
	if !found {
		return "", nil
	}
	next, _, _ := strings.Cut(string(after), `"`)
	return next, nil
}
