package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"trawl/internal/client"
	"trawl/internal/crawl"
	"trawl/internal/live"
	"trawl/internal/owner"
	"trawl/internal/report"
	"trawl/internal/store"
	"trawl/internal/store/pebblestore"
)

// wishOptions are the flags of limit, pause and resume.
type wishOptions struct {
	data  string
	store string
	time  time.Duration
	note  string
	json  bool
}

func (o *wishOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.data, "data", "trawl-data", "data directory")
	storeFlag(cmd, &o.store)
	f.DurationVar(&o.time, "for", 0, "how long it holds, such as 30m or 48h (default: until it is lifted)")
	f.StringVar(&o.note, "note", "", "why, to be shown beside it")
}

func newLimit(s streams) *cobra.Command {
	o := wishOptions{}
	cmd := &cobra.Command{
		Use:   "limit [HOST RATE|none]",
		Short: "Set a lower crawl rate for a hostname, at once, or list what is set",
		Long: `Limit sets an upper bound of a hostname's crawl capacity limit, for the owner who
wants fewer requests (E7). RATE is in connection-seconds per second: with answers
that take half a second, 0.1 is one request every five seconds and 1 is two a second.
It can only make a crawl slower: above it, the server's health decides as before.

A crawl that runs with this data directory takes it up within two seconds; one that is
started later finds it. Without arguments, all limits and pauses are listed; that reads
the store, so that it has to wait until no crawl uses the data directory.

Exit codes: 0 done; 1 failed; 2 bad usage.`,
		Example: `  trawl limit www.example.org 0.1
  trawl limit www.example.org 0.05 --for 48h --note 'sale on Friday'
  trawl limit www.example.org none
  trawl limit`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return listWishes(cmd.Context(), s, &o)
			case 2:
			default:
				return usageError("%s takes a hostname and a rate, or nothing to list what is set", cmd.CommandPath())
			}
			rate := 0.0
			if args[1] != "none" {
				var err error
				if rate, err = strconv.ParseFloat(args[1], 64); err != nil || rate == 0 {
					return usageError("%q is no rate: give connection-seconds per second, such as 0.1, or none", args[1])
				}
			}
			return wish(cmd.Context(), s, &o, args[0], owner.KindLimit, func(w *owner.Wish) { w.Limit = rate })
		},
	}
	o.flags(cmd)
	cmd.Flags().BoolVar(&o.json, "json", false, "print the list as JSON")
	return cmd
}

func newPause(s streams) *cobra.Command {
	o := wishOptions{}
	cmd := &cobra.Command{
		Use:   "pause HOST",
		Short: "Send nothing to a hostname until it is resumed, or for a time",
		Long: `Pause stops all requests to a hostname, robots.txt among them (E7). Its URLs stay
known. A crawl that runs with this data directory takes it up within two seconds:
what is under way then is finished.

Exit codes: 0 done; 1 failed; 2 bad usage.`,
		Example: `  trawl pause www.example.org --for 6h --note 'database migration'
  trawl resume www.example.org`,
		Args: oneHost,
		RunE: func(cmd *cobra.Command, args []string) error {
			return wish(cmd.Context(), s, &o, args[0], owner.KindPause, func(w *owner.Wish) { w.Paused = true })
		},
	}
	o.flags(cmd)
	return cmd
}

func newResume(s streams) *cobra.Command {
	o := wishOptions{}
	cmd := &cobra.Command{
		Use:     "resume HOST",
		Short:   "Lift the pause of a hostname",
		Long:    "Resume lifts what pause has set for a hostname (E7); a limit stays.\n\nExit codes: 0 done; 1 failed; 2 bad usage.",
		Example: "  trawl resume www.example.org",
		Args:    oneHost,
		RunE: func(cmd *cobra.Command, args []string) error {
			return wish(cmd.Context(), s, &o, args[0], owner.KindPause, func(*owner.Wish) {})
		},
	}
	cmd.Flags().StringVar(&o.data, "data", "trawl-data", "data directory")
	storeFlag(cmd, &o.store)
	return cmd
}

func oneHost(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError("%s needs one hostname", cmd.CommandPath())
	}
	return nil
}

// wish stores what make asks for, in the store or, while a crawl holds it, as a
// request to that crawl.
func wish(ctx context.Context, s streams, o *wishOptions, name string, kind owner.Kind, ask func(*owner.Wish)) error {
	host, bad := client.ParseHost(name)
	if bad != nil {
		return usageError("%s: %s", name, bad.Detail)
	}
	if o.time < 0 {
		return usageError("--for takes no negative time")
	}
	w := owner.Wish{At: nowUTC().Truncate(time.Second), Note: o.note}
	if o.time > 0 {
		w.Until = w.At.Add(o.time)
	}
	ask(&w)
	if err := w.Check(); err != nil {
		return usageError("%v", err)
	}
	how := ""
	d, err := openCrawl(ctx, o.data, o.store, false, s)
	var inUse *pebblestore.InUseError
	switch {
	case errors.As(err, &inUse):
		if how, err = askRunning(ctx, o.data, store.Setting{Name: owner.Name(kind, host), Value: w.Encode()}); err != nil {
			return err
		}
	case err != nil:
		return err
	default:
		defer d.close()
		if err := d.store.SetSetting(ctx, owner.Name(kind, host), w.Encode()); err != nil {
			return advise(err)
		}
	}
	_, err = fmt.Fprintf(s.out, "%s: %s%s\n", host, wishText(kind, w), how)
	return err
}

func wishText(kind owner.Kind, w owner.Wish) string {
	text := "no " + string(kind)
	switch {
	case w.Paused:
		text = "paused"
	case w.Limit > 0:
		text = fmt.Sprintf("at most %.3g connection-seconds per second", w.Limit)
	}
	if !w.Empty() && !w.Until.IsZero() {
		text += " until " + w.Until.UTC().Format(time.RFC3339)
	}
	if w.Note != "" {
		text += " (" + report.Safe(w.Note) + ")"
	}
	return text
}

// listedWish is one line of the list.
type listedWish struct {
	Host crawl.Host `json:"host"`
	Kind owner.Kind `json:"kind"`
	owner.Wish
}

func listWishes(ctx context.Context, s streams, o *wishOptions) error {
	d, err := openCrawl(ctx, o.data, o.store, false, s)
	if err != nil {
		return err
	}
	defer d.close()
	book, wrong, err := live.Wishes(ctx, d.store)
	if err != nil {
		return err
	}
	for _, err := range wrong {
		s.say("trawl: %v", err)
	}
	list := []listedWish{}
	for _, host := range slices.Sorted(maps.Keys(book)) {
		if w := book[host].Limit.Active(nowUTC()); !w.Empty() {
			list = append(list, listedWish{host, owner.KindLimit, w})
		}
		if w := book[host].Pause.Active(nowUTC()); !w.Empty() {
			list = append(list, listedWish{host, owner.KindPause, w})
		}
	}
	if o.json {
		return printJSON(s.out, list)
	}
	if len(list) == 0 {
		_, err = io.WriteString(s.out, "no limits and no pauses\n")
	}
	for _, l := range list {
		if _, err = fmt.Fprintf(s.out, "%s: %s\n", l.Host, wishText(l.Kind, l.Wish)); err != nil {
			break
		}
	}
	return err
}
