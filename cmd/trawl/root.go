package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"
)

func newRoot(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "trawl",
		Short: "Crawl sites politely, and see a site as a search crawler's platform sees it",
		Long: `trawl crawls sites as Google's public documentation says Google's crawlers do:
robots.txt with its availability ladder, one adaptive crawl capacity per hostname,
a documented reaction to every kind of response.

Exit codes: 0 done; 1 failed; 2 bad usage or configuration; 3 done, but something
was left out (see the summary); 130 interrupted (run it again to go on).`,
		Example: `  trawl crawl https://www.example.org/       crawl a site into ./trawl-data
  trawl crawl                                go on with the crawl in ./trawl-data
  trawl fetch https://www.example.org/       one request, as a client gets it
  trawl robots https://www.example.org/page  may it be crawled, and which line decides`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.AddCommand(newCrawl(s), newFetch(s), newRobots(s), newClients(s), newStats(s), newVersion(s))
	return root
}

func newVersion(s streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := map[string]string{"version": softwareVersion(), "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH}
			if asJSON {
				return printJSON(s.out, v)
			}
			_, err := fmt.Fprintf(s.out, "trawl %s (%s, %s/%s)\n", v["version"], v["go"], v["os"], v["arch"])
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
