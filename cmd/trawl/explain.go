package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"trawl/internal/client"
	"trawl/internal/report"
	"trawl/internal/weburl"
)

func newExplain(s streams) *cobra.Command {
	var data, url string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain HOST|URL",
		Short: "Tell why a hostname is crawled as it is, or the whole story of a URL",
		Long: `Explain reads a data directory. For a hostname it prints the crawl capacity limit and
why it is what it is, the work that waits, the state of robots.txt and the traps that
were found. For a URL it prints where it was discovered, each client's last visit, the
index state with every change and its reason, the pages that link to it, and when it
is wanted next.

Exit codes: 0 known; 1 not known; 2 bad usage.`,
		Example: `  trawl explain www.example.org
  trawl explain https://www.example.org/page
  trawl explain --data site --json https://www.example.org/page`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError("%s needs one hostname or URL", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runExplain(cmd, s, data, url, args[0], asJSON) },
	}
	cmd.Flags().StringVar(&data, "data", "trawl-data", "data directory")
	storeFlag(cmd, &url)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func runExplain(cmd *cobra.Command, s streams, data, url, what string, asJSON bool) error {
	d, err := openCrawl(cmd.Context(), data, url, false, s)
	if err != nil {
		return err
	}
	defer d.close()
	if d.remote {
		data = d.where
	}
	if strings.Contains(what, "://") {
		u, err := weburl.Parse(what)
		if err != nil {
			return usageError("%v", err)
		}
		story, known, err := report.ExplainURL(cmd.Context(), d.store, u)
		switch {
		case err != nil:
			return err
		case !known:
			return fmt.Errorf("%s is not known in %s: no page or sitemap that was crawled names it", u, data)
		case asJSON:
			return printJSON(s.out, story)
		}
		return story.Text(s.out)
	}
	host, bad := client.ParseHost(what)
	if bad != nil {
		return usageError("%s: %s", what, bad.Detail)
	}
	story, known, err := report.ExplainHost(cmd.Context(), d.store, host, nowUTC())
	switch {
	case err != nil:
		return err
	case !known:
		return fmt.Errorf("%s is not known in %s: nothing that was crawled links to it", host, data)
	case asJSON:
		return printJSON(s.out, story)
	}
	return story.Text(s.out)
}
