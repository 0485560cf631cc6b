package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"trawl/internal/config"
)

func newConfig(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Print an example of the configuration, or check one",
		Long: `The configuration is one YAML file, named with --config. It says how the operators of
the hosts you crawl can reach you, which hosts are your own, and which crawler clients
you have beside the built-in ones.`,
		Example: `  trawl config example > trawl.yaml
  trawl config check trawl.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(&cobra.Command{
		Use: "example", Short: "Print a configuration with every field, explained", Example: "  trawl config example > trawl.yaml",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(s.out, config.Example())
			return err
		},
	}, &cobra.Command{
		Use: "check FILE", Short: "Say what is wrong with a configuration file", Example: "  trawl config check trawl.yaml",
		Long: `Check reads a configuration as the other commands do, and prints file, line, column
and field of everything that is wrong with it.

Exit codes: 0 it can be used; 2 it cannot.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if _, err := readConfig(args[0]); err != nil {
				return err
			}
			_, err := fmt.Fprintf(s.out, "%s can be used\n", args[0])
			return err
		},
	})
	return cmd
}
