package store

import "errors"

// Error classes beside [ErrFenced] and [ErrNotLeased]; use errors.Is.
var (
	// ErrInvalid: an argument breaks the contract (see [Validate]); nothing was
	// applied. Trying again without a change is pointless.
	ErrInvalid = errors.New("invalid argument")
	// ErrNoSpace: the store could not write because the disk or a quota is full.
	// Everything committed before is intact and readable. Free space, then open
	// the store again.
	ErrNoSpace = errors.New("no space left")
	// ErrWriteFailed: a write failed, or failed before and commits are refused
	// since. Everything committed before is intact and readable. Whether the
	// commit that met the failure is kept shows after the next opening; applying
	// it again is safe. Errors of class ErrNoSpace are of this class too.
	ErrWriteFailed = errors.New("store cannot write")
	// ErrClosed: the store was closed.
	ErrClosed = errors.New("store is closed")
)
