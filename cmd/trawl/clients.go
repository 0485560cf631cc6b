package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"trawl/internal/client"
	"trawl/internal/crawl"
	"trawl/internal/report"
)

func newClients(s streams) *cobra.Command {
	var o identityOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "clients [ID]",
		Short: "List the crawler clients, or show one whole",
		Long: `Clients lists the catalogue of crawler clients: trawl's own, those that Google
documents, and yours from the configuration. With an ID it shows one with all its
values; those that are our own choice and not documented are marked "house".

Byte limits count decoded bytes, the response header included; 1 MB is 1,048,576
bytes (house choice: the documentation does not say).`,
		Example: `  trawl clients
  trawl clients googlebot-smartphone
  trawl clients --json --config trawl.yaml`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeClients,
		RunE: func(_ *cobra.Command, args []string) error {
			env, err := o.open(nil)
			if err != nil {
				return err
			}
			list := env.catalogue.All()
			if len(args) == 1 {
				p, err := env.client(args[0])
				if err != nil {
					return err
				}
				list = []client.Profile{p}
			}
			switch {
			case asJSON:
				out := make([]clientView, len(list))
				for i, p := range list {
					out[i] = viewClient(p, env.identity)
				}
				return printJSON(s.out, out)
			case len(args) == 1:
				return showClient(s.out, viewClient(list[0], env.identity))
			}
			return listClients(s.out, list, env.identity)
		},
	}
	cmd.Flags().StringVar(&o.configFile, "config", "", "configuration file with more clients")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// clientView is a profile as it is printed.
type clientView struct {
	ID           crawl.ClientID   `json:"id"`
	Name         string           `json:"name"`
	Category     client.Category  `json:"category"`
	UserAgent    string           `json:"user_agent"`
	Tokens       []string         `json:"product_tokens"`
	Robots       string           `json:"robots"`
	Device       client.Device    `json:"device"`
	Limits       crawl.ByteLimits `json:"byte_limits"`
	MaxRedirects int              `json:"max_redirects"`
	Encodings    string           `json:"accept_encoding"`
	Conditional  string           `json:"conditional"`
	Renders      bool             `json:"renders"`
	FollowsLinks bool             `json:"follows_links"`
	Type         crawl.ClientType `json:"client_type"`
	ControlOnly  bool             `json:"control_only"`
	House        []string         `json:"house_choices"`
	Sources      []string         `json:"sources"`
}

func viewClient(p client.Profile, id client.Identity) clientView {
	return clientView{
		ID: p.ID, Name: p.Name, Category: p.Category, UserAgent: p.UserAgent(id), Tokens: p.Tokens, Robots: string(p.Robots), Device: p.Device,
		Limits: p.Limits, MaxRedirects: p.MaxRedirects, Encodings: p.AcceptEncoding, Conditional: string(p.Conditional), Renders: p.Renders,
		FollowsLinks: p.FollowsLinks, Type: p.Type, ControlOnly: p.ControlOnly, House: p.House, Sources: p.Source,
	}
}

func listClients(w io.Writer, list []client.Profile, id client.Identity) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ID\tCATEGORY\tROBOTS.TXT\tTOKENS\tLIMIT\tUSER AGENT")
	for _, p := range list {
		v := viewClient(p, id)
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", v.ID, v.Category, v.Robots, strings.Join(v.Tokens, ", "), report.Bytes(p.Limits.For("text/html")), v.UserAgent)
	}
	return t.Flush()
}

func showClient(w io.Writer, v clientView) error {
	row := func(field, format string, args ...any) {
		mark := ""
		for _, h := range v.House {
			if h == field {
				mark = "  (house)"
			}
		}
		fmt.Fprintf(w, "%-18s %s%s\n", field, fmt.Sprintf(format, args...), mark)
	}
	row("id", "%s", v.ID)
	row("name", "%s", v.Name)
	row("category", "%s", v.Category)
	row("user_agents", "%s", v.UserAgent)
	row("tokens", "%s", strings.Join(v.Tokens, ", "))
	row("robots", "%s", v.Robots)
	row("device", "%s", v.Device)
	row("limits", "%s", limitsText(v.Limits))
	row("max_redirects", "%d", v.MaxRedirects)
	row("accept_encoding", "%s", v.Encodings)
	row("conditional", "%s", v.Conditional)
	row("renders", "%v", v.Renders)
	row("follows_links", "%v", v.FollowsLinks)
	row("client_type", "%s", v.Type)
	for _, s := range v.Sources {
		row("source", "%s", s)
	}
	_, err := fmt.Fprintln(w)
	return err
}

func limitsText(l crawl.ByteLimits) string {
	out := []string{report.Bytes(l.For(""))}
	for _, c := range l.ByType {
		out = append(out, c.MediaType+" "+report.Bytes(c.Bytes))
	}
	return strings.Join(out, ", ")
}
