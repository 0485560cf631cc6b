package warc

import (
	"errors"
	"fmt"
)

// The classes of errors, for errors.Is.
var (
	// ErrNotWritten: nothing of the record is in the archive and the files are
	// as before. The same Write may be tried again, when a full disk has space.
	ErrNotWritten = errors.New("record not archived")
	// ErrFailed: the system could not say that data reached the disk, so no
	// later Sync can promise it either. The writer refuses everything from
	// then on; no reference given out since the last good Sync may be
	// committed. Close it, mend the disk, and open it again.
	ErrFailed = errors.New("archive writer failed")
	// ErrClosed: the writer is closed.
	ErrClosed = errors.New("archive writer is closed")
	// ErrInvalid: the record can never be archived, whoever tries.
	ErrInvalid = errors.New("not an archivable record")
	// ErrReference: the reference can be none of ours.
	ErrReference = errors.New("not an archive reference")
	// ErrDamaged: what the reference points to is not a whole, sound record.
	ErrDamaged = errors.New("archived record is damaged")
	// ErrTooLarge: the record is over [MaxStored].
	ErrTooLarge = errors.New("archived record is too large to read back")
)

func notWritten(file string, err error) error {
	return fmt.Errorf("%w: writing %s: %w; nothing of the record was kept, free space or mend the directory and try again", ErrNotWritten, file, err)
}

func failed(file string, err error) error {
	return fmt.Errorf("%w: syncing %s to disk: %w; commit nothing archived since the last good sync, and reopen the archive", ErrFailed, file, err)
}
