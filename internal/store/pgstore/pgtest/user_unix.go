//go:build unix

package pgtest

import (
	"errors"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// another is the user as whom a server runs when the test is root.
func another() (uid, gid int, err error) {
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, err1 := strconv.Atoi(u.Uid)
			gid, err2 := strconv.Atoi(u.Gid)
			return uid, gid, errors.Join(err1, err2)
		}
	}
	return 0, 0, ErrMissing
}

func giveAway(dir string) error {
	if os.Getuid() != 0 {
		return nil
	}
	uid, gid, err := another()
	if err != nil {
		return err
	}
	return os.Chown(dir, uid, gid)
}

func otherUser() *syscall.SysProcAttr {
	if os.Getuid() != 0 {
		return nil
	}
	uid, gid, err := another()
	if err != nil {
		return nil
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}
