package proxy

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Proxy is a running proxy.
type Proxy struct {
	URL        string
	CAFile     string
	Kubeconfig string // file for a client

	counter counter
	server  *http.Server
}

// Start makes a proxy of the API server that target names; its files go to dir.
func Start(dir string, target *rest.Config) (*Proxy, error) {
	target = rest.CopyConfig(target)
	target.DisableCompression = true // what the client asks for passes unchanged
	transport, err := rest.TransportFor(target)
	if err != nil {
		return nil, err
	}
	to, err := url.Parse(target.Host)
	if err != nil {
		return nil, err
	}
	ca, certificate, err := authority()
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{URL: "https://" + listener.Addr().String(), CAFile: filepath.Join(dir, "proxy-ca.crt"), Kubeconfig: filepath.Join(dir, "proxy.kubeconfig")}
	if err := p.writeFiles(ca); err != nil {
		listener.Close()
		return nil, err
	}
	quiet := log.New(io.Discard, "", 0)
	forward := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(to) },
		Transport:     transport,
		FlushInterval: -1, // a watch's events go on as they come
		ErrorLog:      quiet,
	}
	p.server = &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			p.counter.request(r)
			forward.ServeHTTP(w, r)
		}),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}},
		ErrorLog:  quiet,
	}
	go p.server.ServeTLS(countingListener{listener, &p.counter}, "", "")
	return p, nil
}

// Counts is what was taken since the proxy started.
func (p *Proxy) Counts() Counts { return p.counter.counts() }

// Close cuts all connections.
func (p *Proxy) Close() error { return p.server.Close() }

func (p *Proxy) writeFiles(ca []byte) error {
	if err := os.WriteFile(p.CAFile, ca, 0o600); err != nil {
		return fmt.Errorf("the proxy's authority: %w", err)
	}
	return clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"bench": {Server: p.URL, CertificateAuthorityData: ca}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"bench": {}},
		Contexts:       map[string]*clientcmdapi.Context{"bench": {Cluster: "bench", AuthInfo: "bench"}},
		CurrentContext: "bench",
	}, p.Kubeconfig)
}
