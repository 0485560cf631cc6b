package live

import (
	"context"

	"trawl/internal/owner"
	"trawl/internal/store"
)

// Wishes reads what the owners of hostnames asked for (E7). A wish that cannot
// be read is an error of its own beside the others.
func Wishes(ctx context.Context, st store.Store) (owner.Book, []error, error) {
	settings, err := st.Settings(ctx, owner.Prefix)
	if err != nil {
		return nil, nil, err
	}
	book := owner.Book{}
	var wrong []error
	for _, s := range settings {
		if err := book.Add(s.Name, s.Value); err != nil {
			wrong = append(wrong, err)
		}
	}
	return book, wrong, nil
}

// ask looks for new wishes. They come through the store, so that every worker
// sees them whoever took them.
func (l *loop) ask() {
	if l.asking {
		return
	}
	l.asking = true
	l.wanted = append(l.wanted, loadRequest{wishes: true})
}

// maxWarned bounds the memory of what was said once.
const maxWarned = 1000

func (l *loop) warn(wrong []error) {
	for _, err := range wrong {
		if text := err.Error(); !l.warned[text] && len(l.warned) < maxWarned {
			l.warned[text] = true
			l.cfg.Warn(text)
		}
	}
}
