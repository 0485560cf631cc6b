//go:build unix

package peers_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// The ports of a server by what it speaks there.
const (
	onPlain  = "PLAIN"  // HTTP/1.1
	onTLS12  = "TLS12"  // TLS 1.2 only, HTTP/2 and HTTP/1.1
	onTLS13  = "TLS13"  // TLS 1.3 only, HTTP/2 and HTTP/1.1
	onTLSOne = "TLSONE" // HTTP/1.1 over any TLS
)

// peer is a real server that runs, with what its software does in its own way.
type peer struct {
	*site
	name     string
	onTheWay []string // codings it packs in
	weak     bool     // its entity tags are weak for what was packed on the way
	suffix   bool     // they end in "-gzip" or "-br" then
	exact    bool     // If-Modified-Since must be its Last-Modified, not a later time
}

// configure fills in template, which names ports and directories by words in
// capitals, and writes it to a file.
func (s *site) configure(t *testing.T, template string) string {
	t.Helper()
	pairs := []string{"ROOT", s.root, "DIR", s.dir}
	for name, port := range s.ports {
		pairs = append(pairs, name, strconv.Itoa(port))
	}
	file := s.path("server.conf")
	if err := os.WriteFile(file, []byte(strings.NewReplacer(pairs...).Replace(template)), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

const nginxPackages = "nginx libnginx-mod-http-brotli-static"

const nginxConfig = `
load_module /usr/lib/nginx/modules/ngx_http_brotli_static_module.so;
daemon off; master_process on; worker_processes 1;
pid DIR/nginx.pid; error_log DIR/error.log;
events { worker_connections 512; }
http {
  types { text/html html; text/plain txt; application/octet-stream bin; }
  log_format peers '$remote_port $server_protocol $status $bytes_sent $sent_http_content_encoding- $request_uri';
  access_log DIR/access.log peers;
  client_body_temp_path DIR/t1; proxy_temp_path DIR/t2; fastcgi_temp_path DIR/t3; uwsgi_temp_path DIR/t4; scgi_temp_path DIR/t5;
  sendfile off; keepalive_timeout 60s;
  ssl_certificate DIR/server.pem; ssl_certificate_key DIR/server.pem;
  root ROOT;
  gzip_types text/plain application/octet-stream; gzip_min_length 1; gzip_http_version 1.0;
  server { listen 127.0.0.1:PLAIN; include DIR/places.conf; }
  server { listen 127.0.0.1:TLS12 ssl http2; ssl_protocols TLSv1.2; include DIR/places.conf; }
  server { listen 127.0.0.1:TLS13 ssl http2; ssl_protocols TLSv1.3; include DIR/places.conf; }
  server { listen 127.0.0.1:TLSONE ssl; include DIR/places.conf; }
}
`

const nginxPlaces = `
location /packed/ { gzip on; }
location /ready/ { gzip_static on; brotli_static on; }
location /301 { return 301 /plain/small.html; }
location /302 { return 302 /plain/small.html; }
location /303 { return 303 /plain/small.html; }
location /307 { return 307 /plain/small.html; }
location /308 { return 308 /plain/small.html; }
location /optout { if ($server_protocol = "HTTP/2.0") { return 421; } try_files /plain/small.html =404; }
`

func startNginx(t *testing.T) *peer {
	t.Helper()
	bin := program(t, "nginx", nginxPackages, "/usr/lib/nginx/modules/ngx_http_brotli_static_module.so")
	s := newSite(t, onPlain, onTLS12, onTLS13, onTLSOne)
	if err := os.WriteFile(s.path("places.conf"), []byte(nginxPlaces), 0o644); err != nil {
		t.Fatal(err)
	}
	s.start(t, bin, "-p", s.dir, "-c", s.configure(t, nginxConfig), "-e", s.path("error.log"))
	return &peer{site: s, name: "nginx", onTheWay: []string{"gzip"}, weak: true, exact: true}
}

const apachePackages = "apache2"

const apacheConfig = `
ServerRoot DIR
PidFile DIR/apache.pid
ErrorLog DIR/error.log
ServerName 127.0.0.1
User www-data
Group www-data
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule mime_module /usr/lib/apache2/modules/mod_mime.so
LoadModule alias_module /usr/lib/apache2/modules/mod_alias.so
LoadModule rewrite_module /usr/lib/apache2/modules/mod_rewrite.so
LoadModule headers_module /usr/lib/apache2/modules/mod_headers.so
LoadModule setenvif_module /usr/lib/apache2/modules/mod_setenvif.so
LoadModule filter_module /usr/lib/apache2/modules/mod_filter.so
LoadModule deflate_module /usr/lib/apache2/modules/mod_deflate.so
LoadModule brotli_module /usr/lib/apache2/modules/mod_brotli.so
LoadModule ssl_module /usr/lib/apache2/modules/mod_ssl.so
LoadModule http2_module /usr/lib/apache2/modules/mod_http2.so
StartServers 1
ServerLimit 2
ThreadsPerChild 32
MaxRequestWorkers 64
TypesConfig /dev/null
AddType text/html .html
AddType text/plain .txt
AddType application/octet-stream .bin
LogFormat "%{remote}p %H %>s %O %{Content-Encoding}o- %U%q" peers
CustomLog DIR/access.log peers
DocumentRoot ROOT
<Directory ROOT>
  Require all granted
</Directory>
<Location /packed/>
  SetOutputFilter BROTLI_COMPRESS;DEFLATE
</Location>
RewriteEngine On
<Location /ready/>
  RewriteEngine On
  RewriteCond %{HTTP:Accept-Encoding} br
  RewriteCond %{REQUEST_FILENAME}.br -f
  RewriteRule ^(.*)$ %{REQUEST_URI}.br [L]
</Location>
<FilesMatch "\.br$">
  Header set Content-Encoding br
  ForceType text/html
</FilesMatch>
RewriteCond %{SERVER_PROTOCOL} HTTP/2
RewriteRule ^/optout$ - [R=421,L]
RewriteRule ^/optout$ /plain/small.html [L]
Redirect 301 /301 /plain/small.html
Redirect 302 /302 /plain/small.html
Redirect 303 /303 /plain/small.html
Redirect 307 /307 /plain/small.html
Redirect 308 /308 /plain/small.html
Protocols h2 http/1.1
KeepAliveTimeout 60
SSLCertificateFile DIR/server.pem
Listen 127.0.0.1:PLAIN
Listen 127.0.0.1:TLS12
Listen 127.0.0.1:TLS13
Listen 127.0.0.1:TLSONE
<VirtualHost *:TLS12>
  RewriteEngine On
  RewriteOptions Inherit
  SSLEngine on
  SSLProtocol -all +TLSv1.2
</VirtualHost>
<VirtualHost *:TLS13>
  SSLEngine on
  SSLProtocol -all +TLSv1.3
</VirtualHost>
<VirtualHost *:TLSONE>
  SSLEngine on
  Protocols http/1.1
</VirtualHost>
`

func startApache(t *testing.T) *peer {
	t.Helper()
	bin := program(t, "apache2", apachePackages, "/usr/lib/apache2/modules/mod_brotli.so")
	s := newSite(t, onPlain, onTLS12, onTLS13, onTLSOne)
	s.start(t, bin, "-d", s.dir, "-f", s.configure(t, apacheConfig), "-DFOREGROUND")
	return &peer{site: s, name: "Apache", onTheWay: []string{"gzip", "br"}, suffix: true}
}
