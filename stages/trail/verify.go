package trail

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// Check says what [Verify] holds a log against.
type Check struct {
	Key    []byte // of the HMAC; nil when the log was written without one
	Anchor *Head  // a head kept elsewhere: without it a cut tail cannot be noticed
	Whole  bool   // nothing may be missing at the beginning either
}

// Source is one file of a log.
type Source struct {
	Name string
	io.Reader
}

// Problem is a line at which the log is not what was written.
type Problem struct {
	File string
	Line int
	Seq  uint64 // as the line states it; 0 when it states none
	What string
}

func (p Problem) String() string { return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.What) }

// FileReport counts one file.
type FileReport struct {
	Name        string
	Records     int
	First, Last uint64
}

// Report is the outcome of [Verify].
type Report struct {
	Files                       []FileReport
	Records, Attempts, Outcomes int
	Unlogged                    int64     // calls that open mode says it could not record
	Problems                    []Problem // in order, the first hundred
	Bad                         int       // number of problems
	Orphans                     []Orphan  // no problem: the server was killed, or they run now
	Head                        Head      // of the last record
}

// Sound reports whether no line was found bad.
func (r Report) Sound() bool { return r.Bad == 0 }

// FirstSeq is the number of the first record. Above 1, earlier files were removed or not
// given.
func (r Report) FirstSeq() uint64 {
	for _, f := range r.Files {
		if f.Records > 0 {
			return f.First
		}
	}
	return 0
}

const mostProblems = 100

// Verify reads the files of a log in the order of the chain. It finds a line that was
// edited, inserted, removed, moved or doubled, and a gap between files, at the first line
// that shows it. Its error is one of reading.
func Verify(c Check, files ...Source) (Report, error) {
	v := verifier{check: c, seal: newSealer(c.Key), pending: make(pending), last: link{hash: genesis}}
	for _, f := range files {
		if err := v.read(f); err != nil {
			return v.report, fmt.Errorf("read %s: %w", f.Name, err)
		}
	}
	v.closing()
	v.report.Orphans = v.pending.orphans()
	return v.report, nil
}

type verifier struct {
	check   Check
	seal    *sealer
	report  Report
	pending pending
	last    link // of the line before
	line    Line
	file    *FileReport
	met     bool // the anchor's record was there
}

func (v *verifier) read(f Source) error {
	v.report.Files = append(v.report.Files, FileReport{Name: f.Name})
	v.file = &v.report.Files[len(v.report.Files)-1]
	v.line = Line{}
	for l := range Lines(f) {
		if l.Err != nil {
			return l.Err
		}
		v.line = l
		v.judge()
	}
	return nil
}

func (v *verifier) judge() {
	line := v.line.Bytes
	tie, err := parseLink(line)
	switch {
	case v.line.TooLong:
		v.bad(0, "is longer than 64 KiB")
		return
	case line[len(line)-1] != '\n':
		v.bad(0, fmt.Sprintf("is torn: %d bytes without a newline", len(line)))
		return
	case damaged(line):
		v.bad(0, "holds bytes that are never written")
		return
	case err != nil || !json.Valid(line):
		v.bad(0, errShape.Error())
		return
	}
	if fault := v.compare(tie, line); fault != "" {
		v.bad(tie.seq, fault)
	}
	v.count(tie, line)
}

// compare returns what is wrong with a record in its place, or "".
func (v *verifier) compare(tie link, line []byte) string {
	before := v.last
	anchor := v.check.Anchor
	if anchor != nil && tie.seq == anchor.Seq && !v.met {
		v.met = true
		if tie.hash != anchor.Hash {
			return fmt.Sprintf("record %d is not the one of the anchor", tie.seq)
		}
	}
	switch {
	case !v.seal.sound(line):
		return fmt.Sprintf("record %d was edited, or written with another key: its hash is not that of its bytes", tie.seq)
	case before.seq == 0 && tie.seq == 1 && tie.prev != genesis:
		return "record 1 does not begin a chain"
	case before.seq == 0 && !v.check.Whole:
		return "" // earlier files were removed, or not given
	case tie.seq > before.seq+1:
		return fmt.Sprintf("records %d to %d are missing before it", before.seq+1, tie.seq-1)
	case tie.seq <= before.seq:
		return fmt.Sprintf("record %d comes after record %d: doubled, moved or put back", tie.seq, before.seq)
	case tie.prev != before.hash:
		return fmt.Sprintf("record %d does not follow from the record %d before it: one of them was replaced", tie.seq, before.seq)
	}
	return ""
}

func (v *verifier) count(tie link, line []byte) {
	v.last = tie
	v.report.Head = Head{tie.seq, tie.hash}
	v.report.Records++
	v.file.Records++
	if v.file.First == 0 {
		v.file.First = tie.seq
	}
	v.file.Last = tie.seq
	switch v.pending.note(line, tie.seq) {
	case Attempt:
		v.report.Attempts++
	case Outcome:
		v.report.Outcomes++
	}
	if n, err := strconv.ParseInt(string(field(line, "unlogged")), 10, 64); err == nil {
		v.report.Unlogged += n
	}
}

// closing compares the end with the anchor.
func (v *verifier) closing() {
	anchor := v.check.Anchor
	if anchor == nil || v.met {
		return
	}
	if v.file == nil {
		v.file = &FileReport{}
	}
	v.line.N++
	if anchor.Seq > v.last.seq {
		v.bad(0, fmt.Sprintf("the log ends at record %d, the anchor is record %d: the tail was cut off", v.last.seq, anchor.Seq))
		return
	}
	v.bad(0, fmt.Sprintf("record %d of the anchor is not in these files", anchor.Seq))
}

func (v *verifier) bad(seq uint64, what string) {
	v.report.Bad++
	if len(v.report.Problems) < mostProblems {
		v.report.Problems = append(v.report.Problems, Problem{v.file.Name, v.line.N, seq, what})
	}
}
