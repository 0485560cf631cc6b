package schedule

import (
	"time"

	"trawl/internal/crawl"
)

// Job is one request to be made, charged to Host.
type Job struct {
	ID       uint64
	Kind     crawl.Kind
	Purpose  crawl.Purpose
	URL      crawl.URL
	Host     crawl.Host // of URL: its capacity is charged (E5)
	Client   crawl.ClientID
	Entry    crawl.QueueEntry // what the queue knew; zero for robots.txt and homepages
	Watch    bool             // what the page says is wanted, to tell traps from real sections (D3)
	Chain    []crawl.URL      // redirects that led here, first URL first
	Origin   crawl.Origin     // whose robots.txt or homepage is asked for; "" for pages
	Homepage bool             // asked because of C4
	Request  *crawl.Request
	Issued   time.Time

	reserved float64
	repeat   bool // what it asks for had failed the time before
}

// StepKind says what a driver is to do.
type StepKind uint8

// The kinds of steps.
const (
	StepWait     StepKind = iota // nothing to do before Until; zero Until = before something happens
	StepFetch                    // fetch Job, then Digest, then Done
	StepCommit                   // commit Outcome: decided without a request
	StepLoadHost                 // read the records of Host and call AddHost
	StepLoadURLs                 // read up to Limit due entries of Host for Client and call AddURLs
)

// Step is the scheduler's answer to Next.
type Step struct {
	Kind    StepKind
	Until   time.Time
	Job     *Job
	Outcome *crawl.Outcome
	Host    crawl.Host
	Client  crawl.ClientID
	Limit   int
}
