//go:build !unix

package httpfetch_test

func cpuTime() int64 { return 0 }
