#!/bin/sh
# t391-store-collector.t - each command of cpa store says the same with and without a collector that holds the store
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/collect.sh"
export PYTHONDONTWRITEBYTECODE=1
mkdir "$tmp/in" "$tmp/in/folder" "$tmp/plain" "$tmp/held" && cd "$tmp/in" || exit 1

set --
for hour in 10 11 12; do
	set -- "$@" "$TESTDATA/gate/base-1.pb.gz" "a-$hour.pb.gz" "$(date -u -d "2026-11-20T$hour:00:00Z" +%s)"
done
"${PYTHON3:-python3}" "$top_srcdir/tests/cli/retime.py" "$@"
cp a-10.pb.gz folder/x.pb.gz
cp a-10.pb.gz mill
echo broken >broken.pb.gz
echo broken >broken.cpx
tar -cf all.tar a-10.pb.gz a-11.pb.gz broken.pb.gz

# A line is the exit status, then the arguments. They run in order on two stores, of which a collector holds one.
cat >"$tmp/table" <<'END'
2 import
2 import nosuch.pb.gz
2 import broken.pb.gz
2 import broken.cpx
2 import 'none-*.pb.gz'
2 import --frob a-10.pb.gz
2 import --label=x a-10.pb.gz
2 import --kind=heap a-10.pb.gz
2 ls
2 import --service mill --label instance=a nosuch.pb.gz a-10.pb.gz broken.pb.gz
0 import --service=mill --label=instance=a a-10.pb.gz a-11.pb.gz
0 import --service=mill --label=instance=a 'a-*.pb.gz'
2 import --service=mill --label=instance=a 'a-*.pb.gz' broken.pb.gz nosuch
0 import --service=mill folder
2 import --service=tar all.tar
0 ls
0 ls --json
0 ls --labels mill
0 ls --profiles 'm*'
0 ls 'm*/cpu{instance=a}'
0 ls nosuch
2 ls a b
2 ls 'mill@nonsense'
2 ls --frob
2 stat x
2 get mill
2 get
2 get nosuch -o x.pb.gz
2 get 00000000000000000000000000000000 -o x.pb.gz
2 get 'mill{instance=a}' -o several.pb.gz
0 get 'mill{instance=a}+limit=1' -o one.pb.gz
0 get 'mill{instance=a}' -o several
2 get 'mill{instance=a}' -o nosuch/several
2 export mill
2 export
2 export nosuch -o x.cpx
0 export mill -o mill.cpx
0 import mill.cpx
2 import mill.cpx broken.cpx
2 mark mill party x
2 mark mill deploy
0 mark mill deploy 2.0
0 ls --marks
2 pin
2 pin .bad mill
2 pin before nosuch
2 pin before 'mill@nonsense'
0 pin before 'mill{instance=a}'
2 pin before 'mill{instance=a}'
0 ls --pins
2 unpin
2 unpin nosuch
0 unpin before
2 unpin before
0 release 1 'mill{instance=a}@all'
2 release 1/2
2 rm
2 rm mill
2 rm 'mill@nonsense'
0 rm --dry-run 'mill{instance=a}@all'
0 rm 'mill{instance=a}@all'
0 rm 'mill{instance=a}@all'
0 gc --dry-run
0 gc
2 gc x
0 verify
0 verify --deep
2 verify x
2 repair x
2 copy
2 copy mill@all
0 copy mill@all "$tmp/$store/store.copy"
0 copy mill@all "$tmp/$store/store.copy"
2 init
0 init --print clickhouse://localhost/profiles
2 plan
0 plan --pods=50 --every=30s a-*.pb.gz a-*.pb.gz
2 frob
2
END

# The texts of a run, without what differs between two stores by nature: the work of gc depends on the number of segments.
normal() { # STORE
	sed -e "s|$tmp/$1/store|STORE|g" -e 's/[0-9a-f]\{32\}/ID/g' -e 's/20[0-9][0-9]-[0-9-]*T[0-9:.]*Z/TIME/g' \
		-e "s/20[0-9][0-9]-[0-9-]* [0-9:]* [A-Z]*/TIME/g" -e '/^merge /d; /^nothing to remove/d' "$tmp/out" "$tmp/err"
}

run_line() { # STORE LINE
	store=$1
	case $2 in
	*' '*) eval "set -- ${2#* }" ;;
	*) set -- ;;
	esac
	rm -rf one.pb.gz several x.pb.gz x.cpx
	CPA_STORE="$tmp/$store/store" "$CPA" store "$@" >"$tmp/out" 2>"$tmp/err"
	echo "status $?" >>"$tmp/err"
	normal "$store"
}

CPA_STORE="$tmp/held/store" collector --store="$tmp/held/store" --listen=unix:auto
while IFS= read -r line; do
	run_line plain "$line" >"$tmp/plain.text"
	case $line in
	"2 ls") continue ;; # the collector has made the store already
	esac
	run_line held "$line" >"$tmp/held.text"
	grep -qx "status ${line%% *}" "$tmp/plain.text" || note "$tmp/plain.text"
	grep -qx "status ${line%% *}" "$tmp/plain.text" || echo "status ${line%% *} is wanted" >>"$tmp/plain.text"
	is_equal "$(cat "$tmp/held.text")" "$(cat "$tmp/plain.text")" "cpa store ${line#* }: the same through the collector"
done <"$tmp/table"
CPA_STORE="$tmp/plain/store" "$CPA" store ls --profiles >"$tmp/plain.text"
CPA_STORE="$tmp/held/store" "$CPA" store ls --profiles >"$tmp/held.text"
same 'both stores have the same profiles' "$tmp/plain.text" "$tmp/held.text"

# each command is in the table, in right and wrong use; repair has its own checks below
"$CPA" store 2>&1 | sed 's/.*command: //; s/,//g' | tr ' ' '\n' >"$tmp/commands"
while read -r command; do
	for status in 0 2; do
		[ "$command $status" = 'repair 0' ] || [ "$command $status" = 'stat 0' ] || grep -q "^$status $command\( \|\$\)" "$tmp/table"
		result $? "the table has cpa store $command that ends with $status"
	done
done <"$tmp/commands"

# a collector refuses repair and --cap, with the reason
refuses() { # TEXT ARG...
	text=$1
	shift
	CPA_STORE="$tmp/held/store" "$CPA" store "$@" >"$tmp/out" 2>&1
	status=$?
	is_equal "$status $(grep -c -- "$text" "$tmp/out")" '2 1' "cpa store $*: the reason is said"
}
refuses "a collector writes it (process $collector_pid" repair
refuses '^cpa: --cap: a collector runs on this store' gc --cap=100MiB
refuses '^cpa: --cap: a collector runs on this store' import --cap=100MiB a-10.pb.gz
CPA_STORE="$tmp/held/store" "$CPA" store gc --dry-run >"$tmp/out" 2>&1
is_equal "$? $(cat "$tmp/out")" '0 nothing to remove, nothing to join' 'gc --dry-run says that there is nothing to do'

collector_end TERM
CPA_STORE="$tmp/held/store" "$CPA" store repair >"$tmp/out" 2>&1
is_equal $? 0 'repair works when the collector has ended'
done_testing
