package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"trawl/internal/client"
	"trawl/internal/report"
	"trawl/internal/robots"
)

// lintReport is what `trawl robots --lint` prints.
type lintReport struct {
	Robots   string      `json:"robots_txt"`
	Status   int         `json:"status,omitempty"`
	Bytes    int         `json:"bytes"`
	Errors   int         `json:"errors"`
	Warnings int         `json:"warnings"`
	Notes    int         `json:"notes"`
	Issues   []lintIssue `json:"issues"`
}

type lintIssue struct {
	Line     int             `json:"line,omitempty"`
	Column   int             `json:"column,omitempty"`
	Severity robots.Severity `json:"severity"`
	Kind     string          `json:"kind"`
	Text     string          `json:"text,omitempty"`
	Detail   string          `json:"detail"`
	Advice   string          `json:"advice,omitempty"`
	Row      string          `json:"behaviour"`
	indent   int
}

func runLint(ctx context.Context, o robotsOptions, what string, s streams) error {
	env, err := o.identityOptions.open(nil)
	if err != nil {
		return err
	}
	src, err := o.openRobots(ctx, what)
	if err != nil {
		return err
	}
	rep := lintReport{Robots: src.name, Bytes: len(src.body), Issues: []lintIssue{}}
	c := robots.LintContext{Tokens: knownTokens(env.catalogue), Truncated: src.cut}
	check := true
	if src.report != nil {
		c.URL, rep.Status = src.report.Robots, src.report.Status
		rep.add(robots.LintAnswer(robots.DefaultTimes(), src.report.facts))
		check = src.state.Access == robots.AccessRules // else there is no file
	}
	if check {
		rep.add(robots.Lint(src.body, c))
	}
	if o.json {
		err = printJSON(s.out, rep)
	} else {
		err = rep.text(s.out)
	}
	if err != nil {
		return err
	}
	for _, i := range rep.Issues {
		if i.Severity.AtLeast(robots.Severity(o.failOn)) {
			return unmet()
		}
	}
	return nil
}

// knownTokens are the product tokens of the catalogue.
func knownTokens(c *client.Catalogue) (tokens []string) {
	for _, p := range c.All() {
		tokens = append(tokens, p.Tokens...)
	}
	return tokens
}

func (r *lintReport) add(found []robots.Issue) {
	for _, i := range found {
		switch i.Severity {
		case robots.SeverityError:
			r.Errors++
		case robots.SeverityWarning:
			r.Warnings++
		default:
			r.Notes++
		}
		r.Issues = append(r.Issues, lintIssue{i.Line, i.Column, i.Severity, i.Kind, i.Text, i.Detail, i.Advice, i.Row, i.Indent})
	}
}

// text prints as compilers do: file:line:column, so that editors find the place.
func (r *lintReport) text(w io.Writer) error {
	name := report.Safe(r.Robots)
	for i := range r.Issues {
		r.Issues[i].print(w, name)
	}
	_, err := fmt.Fprintf(w, "%s: %s, %s, %s\n", name, report.Count(int64(r.Errors), "error"), report.Count(int64(r.Warnings), "warning"), report.Count(int64(r.Notes), "note"))
	return err
}

func (i *lintIssue) print(w io.Writer, name string) {
	where := name
	if i.Line > 0 {
		where += fmt.Sprintf(":%d", i.Line)
		if i.Column > 0 {
			where += fmt.Sprintf(":%d", i.Column)
		}
	}
	fmt.Fprintf(w, "%s: %s: %s (%s)\n", where, i.Severity, report.Safe(i.Detail), i.Row)
	if i.Text != "" {
		fmt.Fprintf(w, "    %s\n", report.Safe(i.Text))
		// The line may be cut, and what is in front of the place not as wide as it is long.
		if at := i.Column - 1 - i.indent; at >= 0 && at < len(i.Text) && utf8.RuneStart(i.Text[at]) && report.Safe(i.Text) == i.Text {
			fmt.Fprintf(w, "    %s^\n", blanks(i.Text[:at]))
		}
	}
	if i.Advice != "" {
		fmt.Fprintf(w, "    help: %s\n", report.Safe(i.Advice))
	}
}

// blanks is as wide as s.
func blanks(s string) string { return strings.Repeat(" ", utf8.RuneCountInString(s)) }
