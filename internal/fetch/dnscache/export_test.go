package dnscache

import "github.com/miekg/dns"

// Kept returns how many answers r keeps.
func Kept(r *Resolver) int {
	r.cache.mu.Lock()
	defer r.cache.mu.Unlock()
	return len(r.cache.young) + len(r.cache.old)
}

// Read takes m apart as the answer to a question for the IPv4 addresses of name.
func Read(m *dns.Msg, name string) (found bool, next string) {
	o, next := read(m, name, dns.TypeA, map[string]bool{})
	return len(o.addrs) > 0, next
}
