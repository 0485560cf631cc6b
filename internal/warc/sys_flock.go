//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package warc

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes the advisory lock of f, which the system gives back when the
// process ends, however it ends. It reports false when another holds it.
func tryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// syncDir makes creations, renames and removals in dir durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	return errors.Join(err, d.Close())
}
