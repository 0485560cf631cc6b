//go:build !unix

package pgtest

import "syscall"

func giveAway(string) error { return ErrMissing }

func otherUser() *syscall.SysProcAttr { return nil }
