package main

import (
	"github.com/spf13/cobra"

	"trawl/internal/client"
	"trawl/internal/report"
	"trawl/internal/store"
)

func newStats(s streams) *cobra.Command {
	var data, url, host string
	var asJSON, all bool
	var limit int
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Print the crawl stats of a data directory",
		Long: `Stats prints the requests of a crawl by response, file type, purpose and client
type, as a search console's crawl stats count them: duplicates and every redirect hop
for themselves, and requests that were not made because robots.txt was not available.
--summary adds what the end of 'trawl crawl' prints.`,
		Example: `  trawl stats --data site
  trawl stats --host www.example.org --json
  trawl stats --summary`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter, err := statFilter(host)
			if err != nil {
				return err
			}
			d, err := openCrawl(cmd.Context(), data, url, false, s)
			if err != nil {
				return err
			}
			defer d.close()
			if all {
				sum, err := report.Summarise(cmd.Context(), d.store, report.Options{Limit: limit, Now: nowUTC()})
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(s.out, sum)
				}
				return sum.Text(s.out)
			}
			b, err := report.Stats(cmd.Context(), d.store, filter)
			if err != nil {
				return err
			}
			if host != "" && b.Requests == 0 {
				s.say("no request to %s is in the crawl stats; hostnames are written without port, www.example.org is not example.org", host)
			}
			if asJSON {
				return printJSON(s.out, b)
			}
			return b.Text(s.out)
		},
	}
	f := cmd.Flags()
	f.StringVar(&data, "data", "trawl-data", "data directory")
	storeFlag(cmd, &url)
	f.StringVar(&host, "host", "", "only this hostname")
	f.BoolVar(&all, "summary", false, "print the whole summary of the crawl")
	f.IntVar(&limit, "limit", 20, limitUsage)
	f.BoolVar(&asJSON, "json", false, "print JSON")
	cmd.MarkFlagsMutuallyExclusive("host", "summary")
	return cmd
}

// statFilter reads --host, which must be a hostname and nothing more.
func statFilter(host string) (store.StatFilter, error) {
	if host == "" {
		return store.StatFilter{}, nil
	}
	h, bad := client.ParseHost(host)
	if bad == nil {
		return store.StatFilter{Host: h}, nil
	}
	near := ""
	if bad.Suggestion != "" {
		near = "; did you mean " + bad.Suggestion + "?"
	}
	return store.StatFilter{}, usageError("--host %s: %s%s", host, bad.Detail, near)
}
