#!/bin/sh
# t390-store.t - cpa store: import, list, copy, export, pin and remove stored profiles
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
export CPA_STORE="$tmp/store" PYTHONDONTWRITEBYTECODE=1
mkdir "$tmp/in" && cd "$tmp/in" || exit 1

run() { # ARG...: runs cpa store; status, out, err
	"$CPA" store "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
}

says() { # STATUS OUTPUT DESCRIPTION: of the last run
	is_equal "$status $(cat "$tmp/out" "$tmp/err")" "$1 $2" "$3"
}

fails "there is no store" store ls
fails "cpa store needs a command: ls, stat" store
fails "cpa store has no command list; it has ls, stat" store list
fails "usage: cpa store pin NAME SELECTOR" store pin x
fails "unknown option --frob; cpa store --help lists the options" store ls --frob
fails "unknown option --jsno; did you mean --json?" store ls --jsno
fails "No such file" store import nosuch.pb.gz

set --
for hour in 10 11 12; do
	time=$(date -u -d "2026-11-20T$hour:00:00Z" +%s)
	set -- "$@" "$TESTDATA/gate/base-1.pb.gz" "a-$hour.pb.gz" "$time" "$TESTDATA/gate/base-2.pb.gz" "b-$hour.pb.gz" "$time"
done
"${PYTHON3:-python3}" "$top_srcdir/tests/cli/retime.py" "$@"
run import --service=mill --label=instance=a --label=version=1 a-*.pb.gz
says 0 'imported 3 profiles' 'profiles are imported'
run import --service=mill --label=instance=b --label=version=1 b-*.pb.gz
run import --service=mill --label=instance=a --label=version=1 a-*.pb.gz
says 0 'imported 0 profiles, skipped 3 that the store has already' 'profiles are imported once'
run import "$TESTDATA/go-cpu.pb.gz" "$TESTDATA/go-heap1.pb.gz" "$TESTDATA/go-mutex.pb.gz" "$TESTDATA/go-goroutine.pb.gz"
says 0 'imported 4 profiles' 'service and kind are found in the profiles'

run ls
sed 's/  */ /g' "$tmp/out" >"$tmp/ls"
cat >"$tmp/want" <<'END'
SERVICE KIND SERIES PROFILES FIRST LAST
mill cpu 2 6 2026-11-20 10:00:00 UTC 2026-11-20 12:00:00 UTC
shop cpu 1 1 2026-11-21 08:23:10 UTC 2026-11-21 08:23:10 UTC
shop goroutine 1 1 2026-11-21 08:23:14 UTC 2026-11-21 08:23:14 UTC
shop heap 1 1 2026-11-21 08:23:10 UTC 2026-11-21 08:23:10 UTC
shop mutex 1 1 2026-11-21 08:23:14 UTC 2026-11-21 08:23:14 UTC
END
same 'ls lists services and kinds' "$tmp/want" "$tmp/ls"
run ls --json mill
is_equal "$("${PYTHON3:-python3}" -c 'import json, sys; x = json.load(sys.stdin); print(len(x), x[0]["service"], x[0]["profiles"], x[0]["first"])' <"$tmp/out")" \
	'1 mill 6 2026-11-20T10:00:00Z' 'ls writes JSON'
run ls --labels 'mill{instance=b}'
is_equal "$(awk 'NR == 2 { print $NF }' "$tmp/out")" 'instance=b,version=1' 'ls lists labels of series'
run ls --profiles 'mill{instance=a}'
id=$(awk 'NR == 3 { print $1 }' "$tmp/out")
is_equal "$(wc -l <"$tmp/out") ${#id}" '4 32' 'ls lists profiles with their IDs'
run stat
is_equal "$status $(grep -c '^profiles .*10' "$tmp/out")" '0 1' 'stat counts profiles'

# copies
run get "$id" -o one.pb.gz
"$CPA" raw a-11.pb.gz 2>/dev/null | sed 1,/Locations/d >"$tmp/raw1"
"$CPA" raw one.pb.gz 2>/dev/null | sed 1,/Locations/d >"$tmp/raw2"
"$CPA" traces a-11.pb.gz >"$tmp/traces1"
"$CPA" traces one.pb.gz >"$tmp/traces2"
same 'get writes a profile as it was' "$tmp/traces1" "$tmp/traces2"
run get 'mill{instance=a}' -o folder
is_equal "$status $(find folder -name '*.pb.gz' | wc -l) $(grep -c '"start"' folder/manifest.json)" '0 3 3' 'get writes several profiles to a folder'
fails 'no such profile' store get 'mill@2020-01-01' -o x.pb.gz
fails '-o is missing' store get mill
run export mill -o mill.cpx
says 0 'wrote 6 profiles to mill.cpx' 'export writes one file'
run import --store="$tmp/other" mill.cpx
says 0 'imported 6 profiles' 'another store imports it'
"$CPA" top 'store:mill@all' 2>/dev/null | grep -v '^store:' >"$tmp/top1"
"$CPA" top --store="$tmp/other" 'store:mill@all' 2>/dev/null | grep -v '^store:' >"$tmp/top2"
same 'the copy has the same samples' "$tmp/top1" "$tmp/top2"
"$CPA" top a-10.pb.gz a-11.pb.gz a-12.pb.gz b-10.pb.gz b-11.pb.gz b-12.pb.gz >"$tmp/top3" 2>/dev/null
same 'a window is the sum of its profiles' "$tmp/top3" "$tmp/top1"
tar -cf all.tar a-*.pb.gz b-*.pb.gz
run import --store="$tmp/tar" --service=mill all.tar
says 0 'imported 6 profiles' 'import reads tar files'
printf 'x' | dd of=all.tar bs=1 seek=3 conv=notrunc 2>/dev/null
fails 'tar header at byte 0 is damaged' store import --store="$tmp/tar" all.tar
run import --store="$tmp/folder" --service=mill folder
says 0 'imported 3 profiles' 'import reads folders'
echo broken >broken.pb.gz
cp a-10.pb.gz good.pb.gz
fails 'broken.pb.gz: ' store import --store="$tmp/bad" broken.pb.gz good.pb.gz
run ls --store="$tmp/bad" --profiles
is_equal "$(wc -l <"$tmp/out")" 2 'a broken file does not prevent the others'

# an instance that was updated has two series, of 8.47MB and 32.98MB, and not the memory of both
run import --store="$tmp/heaps" --label=instance=a --label=version=1 "$TESTDATA/go-heap1.pb.gz"
run import --store="$tmp/heaps" --label=instance=a --label=version=2 "$TESTDATA/go-heap2.pb.gz"
is_equal "$("$CPA" top --store="$tmp/heaps" 'store:shop/heap@all' 2>/dev/null | sed -n 's/.* of \([0-9.]*MB\) total$/\1/p')" '20.73MB' \
	'the mean of an instance is that of all its versions'

# pins, marks, removal
run pin before 'mill{instance=a}@2026-11-20T11..2026-11-20T13'
says 0 'pinned 2 profiles as before; read them with store:SERVICE@pin:before' 'a window is pinned'
run ls --pins
is_equal "$(awk 'NR == 2 { print $1 }' "$tmp/out")" before 'ls lists pins'
run rm mill
says 2 "cpa: mill names no window; to remove everything of it: cpa store rm 'mill@all'" 'rm needs a window'
run rm --dry-run 'mill{instance=a}@all'
says 0 'would remove 3 profiles' 'rm --dry-run counts'
run rm 'mill{instance=a}@all'
says 0 'removed 3 profiles' 'rm removes profiles'
run ls --profiles mill
is_equal "$(grep -c instance=b "$tmp/out") $(grep -c instance=a "$tmp/out")" '3 0' 'removed profiles are gone, others are not'
"$CPA" top 'store:mill@pin:before' 2>/dev/null | grep -v '^store:' >"$tmp/top1"
"$CPA" top a-11.pb.gz a-12.pb.gz >"$tmp/top2" 2>/dev/null
same 'a pin keeps its profiles' "$tmp/top2" "$tmp/top1"
run unpin before
is_equal "$status" 0 'unpin'
run mark mill deploy 2.0
run ls --marks
is_equal "$(awk 'NR == 2 { print $4, $5, $6 }' "$tmp/out")" 'mill deploy 2.0' 'a mark is listed'
fails 'a mark is a deploy, an incident or a note' store mark mill party x
run gc --dry-run
is_equal "$status" 0 'gc --dry-run'
run gc
is_equal "$status" 0 'gc'
run verify --deep
says 0 'no damage found' 'verify --deep'
rm -f "$CPA_STORE"/index.db*
run repair
is_equal "$status" 0 'repair'
"$CPA" top 'store:mill@all' 2>/dev/null | grep -v '^store:' >"$tmp/top1"
"$CPA" top b-*.pb.gz >"$tmp/top2" 2>/dev/null
same 'a store whose index was lost works after repair' "$tmp/top2" "$tmp/top1"
done_testing
