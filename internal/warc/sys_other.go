//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package warc

import "os"

func tryLock(*os.File) (bool, error) { return true, nil }

func syncDir(string) error { return nil }
