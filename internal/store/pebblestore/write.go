package pebblestore

import (
	"context"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// write runs one critical section: fill reads what it needs and fills the
// batch; the batch is applied; done runs before the next section starts. Then
// write waits until the batch is on disk, together with others.
func (s *Store) write(ctx context.Context, fill func(*pebble.Batch) (done func(), err error)) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.use.RUnlock()
	select {
	case s.writing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.failed.done:
		return s.failed.get()
	}
	synced, err := s.section(fill)
	<-s.writing
	if err != nil {
		return err
	}
	select {
	case err = <-synced:
	case <-s.failed.done:
		select {
		case err = <-synced: // it got through before
		default:
			return s.failed.get()
		}
	}
	if err != nil {
		s.failed.set(err)
		return s.failed.get()
	}
	return nil
}

// section fills and applies one batch. The channel gives the result of syncing it.
func (s *Store) section(fill func(*pebble.Batch) (func(), error)) (<-chan error, error) {
	if err := s.failed.get(); err != nil {
		return nil, err
	}
	b := s.db.NewBatch()
	done, err := fill(b)
	if err != nil {
		_ = b.Close()
		return nil, err
	}
	saved, err := s.dict.save(b)
	if err != nil {
		return nil, err
	}
	if b.Empty() {
		// Nothing changes, but what the caller was told may rest on a batch that
		// is not on disk yet: wait behind it.
		if err := b.LogData(nil, nil); err != nil {
			return nil, err
		}
	}
	synced, err := s.apply(b)
	if err != nil {
		return nil, err
	}
	saved()
	if done != nil {
		done()
	}
	return synced, nil
}

// apply makes a batch visible. It runs the engine in a goroutine of its own,
// because the engine panics or waits for ever when it cannot write; a batch that
// met this is left behind, and so is everything that would come after it.
func (s *Store) apply(b *pebble.Batch) (<-chan error, error) {
	applied, synced := make(chan error, 1), make(chan error, 1)
	s.applying.Add(1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				err, ok := p.(error)
				if !ok {
					err = fmt.Errorf("%v", p)
				}
				s.failed.set(err)
			}
		}()
		err := s.db.ApplyNoSyncWait(b, pebble.Sync)
		s.applying.Add(-1)
		applied <- err
		if err != nil || s.failed.get() != nil {
			return // its sync may never come
		}
		err = b.SyncWait()
		if err == nil {
			_ = b.Close()
		}
		synced <- err
	}()
	select {
	case err := <-applied:
		if err != nil {
			s.failed.set(err)
		}
	case <-s.failed.done:
	}
	// The engine reports an error of the log as fatal and returns nil.
	return synced, s.failed.get()
}
