#!/bin/sh
# t738-store-clickhouse.t - statements that are sent to ClickHouse, their order, errors; tests/compat/clickhouse.t has the answers
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
echo empty >"$tmp/mode"
"${PYTHON3:-python3}" "$top_srcdir/tests/cli/clickhouse_fake.py" "$tmp" 2>"$tmp/fake" &
fake=$!
trap 'kill $fake; rm -rf "$tmp"' EXIT
for _ in $(seq 300); do
	[ -s "$tmp/port" ] && break
	sleep 0.1
done
place=clickhouse://127.0.0.1:$(cat "$tmp/port")/prof
check() { # DESCRIPTION STATUS TEXT ARG...: the status of cpa ARG..., and a text that it prints
	what=$1 want=$2 text=$3
	shift 3
	"$CPA" "$@" >"$tmp/out" 2>&1
	status=$?
	[ $status -eq "$want" ] && grep -F -e "$text" "$tmp/out" >/dev/null
	same=$?
	[ $same -eq 0 ] || { echo "# status $status" && note "$tmp/out"; }
	result $same "$what"
}
"$CPA" store import --store="$tmp/store" --service=shop go-cpu.pb.gz go-heap1.pb.gz >"$tmp/out" || note "$tmp/out"

check 'init makes the tables' 0 'has the tables of a store' store init "$place"
sed 's/[ (].*//' "$tmp/log" | sort | uniq -c | tr -s ' ' >"$tmp/got"
printf ' %s\n' '9 CREATE' '1 SELECT' >"$tmp/want"
same 'a database and eight tables' "$tmp/want" "$tmp/got"
check 'init --print' 0 'ENGINE = ReplacingMergeTree() PARTITION BY day ORDER BY (service, kind, series, ts)' store init --print "$place"
check 'init --cluster' 0 'ENGINE = Distributed(c1, prof, profiles_local, cityHash64(service))' store init --print --cluster=c1 "$place"
check 'an empty store' 2 'nothing of shop; the store is empty' top "store:$place#shop@all"

: >"$tmp/log"
check 'a copy that does not arrive is noticed' 2 'has 0 of the 2 profiles; copy again' store copy --store="$tmp/store" '*' "$place"
sed -n 's/^INSERT INTO \([a-z]*\) .* \([0-9]*\) bytes$/\1/p' "$tmp/log" | tr '\n' ' ' >"$tmp/got"
printf 'batches series metas mappings frames stacks profiles batches ' >"$tmp/want"
same 'profiles are sent last, between two rows of batches' "$tmp/want" "$tmp/got"

echo missing >"$tmp/mode"
check 'a table that is missing' 2 "Code: 60, e.displayText() = DB::Exception: Table prof.series doesn't exist." top "store:$place#shop@all"
check 'a copy to a missing table is not tried again' 2 'Code: 60' store copy --store="$tmp/store" '*' "$place"
echo busy >"$tmp/mode"
check 'a busy server' 2 'Code: 202' store ls --store="$place"
echo cut >"$tmp/mode"
check 'a result that is cut off' 2 'the table series is damaged' series "store:$place#shop@all"
echo login >"$tmp/mode"
host=${place#clickhouse://}
echo 'X-ClickHouse-Key: secret' >"$tmp/key"
chmod 600 "$tmp/key"
check 'a password from a file of header lines' 0 '[' store ls --json --store="clickhouse://cpa@$host" --header-file="$tmp/key"
check 'without a password' 2 'Wrong password for user cpa' store ls --store="clickhouse://cpa@$host"
check 'no password in URLs' 2 'a password in a URL is visible to other users' store ls --store="clickhouse://cpa:secret@$host"
check 'a place without a database' 2 'with letters, digits and _ in DATABASE' store ls --store=clickhouse://127.0.0.1

: >"$tmp/log"
echo busy >"$tmp/mode"
printf 'store %s\nlisten %s/socket\nsink fleet %s match={service=shop,kind=cpu}\n' "$tmp/own" "$tmp" "$place" >"$tmp/collect.cpa"
"$CPA" collect "$tmp/collect.cpa" >"$tmp/collector" 2>&1 &
collector=$!
waits_for() { # COMMAND...
	for _ in $(seq 600); do
		"$@" >/dev/null 2>&1 && return
		sleep 0.1
	done
}
waits_for "$CPA" collect --store="$tmp/own" --status
"$CPA" store mark --store="$tmp/own" cart deploy 1.0 2>"$tmp/err" || note "$tmp/err"
"$CPA" store mark --store="$tmp/own" shop deploy 1.1 2>"$tmp/err" || note "$tmp/err"
waits_for grep 'INSERT INTO marks' "$tmp/log"
echo empty >"$tmp/mode"
: >"$tmp/log"
waits_for grep 'INSERT INTO marks' "$tmp/log"
kill $collector
wait $collector
is_equal "$? $(grep -c 'INSERT INTO marks.* 25 bytes' "$tmp/log")" '0 1' 'a collector sends the marks that match, after a failure too'
check 'a subcommand for directories' 2 'cpa store rm needs a store in a directory' store rm --store="$place" shop@all
check 'pins' 2 'there is no pin x; a store in ClickHouse has no pins' top "store:$place#shop@pin:x"
kill $fake
wait $fake 2>/dev/null
check 'no server' 2 "$place: connect" store ls --store="$place"
trap 'rm -rf "$tmp"' EXIT
done_testing
