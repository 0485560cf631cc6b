package warc

import (
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strconv"
)

// suffixMark is that of the file beside an open segment that says how much of
// it was synced.
//
// The mark is written after the sync it speaks of and not synced itself, so a
// crash can leave an old mark or none, never one that promises too much.
// Recovery takes what it covers as it is: nothing synced is cut whatever
// happened to it since, and a file of 1 GiB need not be inflated to start
// again. A mark that does not hold together counts as none.
const suffixMark = ".synced" // after the open name

func formatMark(n int64) []byte {
	digits := fmt.Sprintf("%020d", n)
	return fmt.Appendf(nil, "%s %08x\n", digits, crc32.ChecksumIEEE([]byte(digits)))
}

// readMark returns the mark beside the open segment at path, or 0.
func readMark(path string, size int64) int64 {
	f, err := os.Open(path + suffixMark)
	if err != nil {
		return 0
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 64))
	if err != nil || len(data) < 20 {
		return 0
	}
	n, err := strconv.ParseInt(string(data[:20]), 10, 64)
	if err != nil || n < 0 || n > size || string(formatMark(n)) != string(data) {
		return 0
	}
	return n
}

// removeMark removes the mark, which is done before the segment gets its final
// name or is removed, so that none is ever left for another file.
func removeMark(path string) error {
	if err := os.Remove(path + suffixMark); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}
