#!/bin/sh
# t390-live.t - a profile of a server, fetched again: R keeps the view, d shows the change in every view
# SPDX-License-Identifier: Apache-2.0

# shellcheck source=SCRIPTDIR/lib.sh
. "${top_srcdir:?}/tests/shell/lib.sh"
# shellcheck source=SCRIPTDIR/../cli/server.sh
. "$top_srcdir/tests/cli/server.sh"

# In each session, the server sends go-heap1 first, and go-heap2 after R. The requested path identifies the session.
server_start go-heap1.pb.gz
cp go-heap1.pb.gz "$tmp/turn1"
cp go-heap2.pb.gz "$tmp/turn2"
session=0

# live NAME KEYS: compare the view after KEYS with golden file NAME
live() {
	session=$((session + 1))
	view "$1" "$2" --size=80x14 "http://$host/turns/$session"
}

# titled TEXT KEYS: the title contains TEXT after KEYS
titled() {
	session=$((session + 1))
	play "$2" --size=120x24 "http://$host/turns/$session" >"$tmp/out" 2>"$tmp/err"
	head -n 1 "$tmp/out" | grep -qF -e "$1"
	found=$?
	[ "$found" -eq 0 ] || note "$tmp/out"
	result "$found" "the title contains \"$1\" after $2"
}

live live-top 'j j j Show R Show d Show d'
live live-top-sorted '> > j Show R Show d Show R'
live live-callers 'Enter Show R Show d'
live live-tree '3 j j j Show R Show d'
live live-flame '4 j j Show R Show d Show d'
live live-labels '8 j Show R Show d'
live live-traces '7 S j Show R Show d'
live live-top-gone 'j Show R'

titled 'inuse_space 8.47MB' '4'
titled 'inuse_space 32.98MB' '4 R'
titled 'live, fetch 2   ' '4 R'
titled 'live, fetch 2 against 1   ' '4 R d'
titled 'inuse_space 32.98MB' '4 R d d'
titled 'inuse_space 32.98MB' '1 R'
titled 'against 1' '1 R d'

session=$((session + 1))
play 'R' "http://$host/turns/$session" >"$tmp/out" 2>"$tmp/err"
grep -qF 'fetched again; d shows the change' "$tmp/out"
result $? "R announces that d shows the change"
session=$((session + 1))
play 'R d R' "http://$host/turns/$session" >"$tmp/out" 2>"$tmp/err"
grep -qF 'Nothing changed: before and after are equal.' "$tmp/out"
result $? "a fetch without changes is reported as equal"
session=$((session + 1))
play 'R d : "focus=nosuch" Enter d' "http://$host/turns/$session" >"$tmp/out" 2>"$tmp/err"
grep -qF 'All samples are filtered out' "$tmp/out"
result $? "filters that drop all samples are reported"

done_testing
