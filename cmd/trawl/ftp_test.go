package main

import (
	"net"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"goftp.io/server/v2"
	"goftp.io/server/v2/driver/file"
)

// anyone lets everybody in.
type anyone struct{}

func (anyone) CheckPasswd(*server.Context, string, string) (bool, error) { return true, nil }

// cmdFTP serves a directory of the script over FTP: ftp NAME. It sets NAME_URL.
func cmdFTP(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 1, "ftp NAME")
	driver, err := file.NewDriver(ts.MkAbs(args[0]))
	ts.Check(err)
	s, err := server.NewServer(&server.Options{
		Driver: driver, Auth: anyone{}, Perm: server.NewSimplePerm("ftp", "ftp"), Logger: &server.DiscardLogger{}, Hostname: "127.0.0.1",
	})
	ts.Check(err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	go func() { _ = s.Serve(l) }()
	ts.Defer(func() { _ = l.Close() })
	ts.Setenv(strings.ToUpper(args[0])+"_URL", "ftp://"+l.Addr().String())
}
