#!/bin/sh
# t641-habits.t - words and options of perf, the last recording as source, and what to type next
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
cp go-cpu.pb.gz go-heap1.pb.gz "$tmp"
cd "$tmp" || exit 1

# prints DESCRIPTION FILE WORD...: does "cpa WORD..." print this file?
prints() {
	description=$1 file=$2
	shift 2
	"$CPA" "$@" >got 2>err
	same "$description" "$file" got
}

"$CPA" top go-cpu.pb.gz >top.want
"$CPA" traces go-cpu.pb.gz >traces.want
"$CPA" peek depot go-cpu.pb.gz >peek.want
prints 'cpa report is top' top.want report go-cpu.pb.gz
prints 'cpa script is traces' traces.want script go-cpu.pb.gz
cp go-cpu.pb.gz report
prints 'a file of that name is a source' top.want top report
rm report
fails '^cpa: unknown command "stat"; did you mean: cpa record --event=cycles,instructions .*-- sleep 1$' stat -- sleep 1
fails '^cpa: unknown command "stat"; did you mean: cpa top .*go-cpu.pb.gz$' stat go-cpu.pb.gz

fails '^cpa: no profile source specified; try: cpa top cpu.pb.gz$' top
cp go-cpu.pb.gz cpa-record.pb.gz
prints 'top without a source reads the last recording' top.want top
is_equal "$(cat err)" 'cpa: reading cpa-record.pb.gz' 'and says so'
prints 'report too' top.want report
prints 'peek with an expression too' peek.want peek depot
prints 'a source that is given is the only one' top.want top go-cpu.pb.gz
is_equal "$(cat err)" '' 'then nothing is said'
echo top >lines
"$CPA" go-cpu.pb.gz <lines >shell.want 2>/dev/null
"$CPA" <lines >shell 2>err
same 'the shell without a source reads the last recording' shell.want shell
fails '^cpa: peek needs a REGEX and a source' peek
fails '^cpa: no profile source specified' top -base=go-cpu.pb.gz
fails '^cpa: .*two' diff

for pair in '-c=1 --hz=N' '-d=5 --seconds=N' '--duration=5 --seconds=N' '-i --follow=none' '-t=5 -p PID' '-C=0 -a' '-q --top=0' \
	'-r=99 --hz=N' '-f=svg --flame=FILE'; do
	fails "^cpa: unknown option ${pair%%[= ]*}; use ${pair#* }" record "${pair%% *}" -- true
done
fails '^cpa: --call-graph=lbr: choose dwarf or fp; ' record --call-graph lbr -- true
fails '^cpa: --hz must be 1 to 1000$' record -F 5000 -- true
fails '^cpa: unknown option -c; cpa run --help' run -c=1 -- true

sh -c 'while :; do :; done' &
busy=$!
trap 'kill $busy 2>/dev/null; rm -rf "$tmp"' EXIT
record() {
	"$CPA" record --top=0 -o p.pb.gz "$@" >out 2>err
	status=$?
}
record -F 99 -g --call-graph dwarf,65528 -- sh -c 'exit 3'
is_equal "$status" 3 '-F, -g and --call-graph are accepted'
"$CPA" raw -symbolize=none p.pb.gz 2>/dev/null | grep -q '^Period: 10101010$'
result $? '-F is the rate'

# The command ends the recording; --wall needs no perf events.
record -p $busy --wall -- sh -c 'echo ready; sleep 1; echo done'
is_equal "$status $(cat out)" '0 ready
done' 'a recording ends with the command after --'
seconds=$("$CPA" raw -symbolize=none p.pb.gz 2>/dev/null | sed -n 's/^Duration: \([0-9]*\).*/\1/p')
case $seconds in [1-9]) result 0 'and lasts as long' ;; *) result 1 "and lasts as long (not $seconds)" ;; esac
record -p $busy --wall --seconds=1 -- sleep 300
is_equal "$status $(pgrep -P $$ -x sleep)" '0 ' '--seconds ends the command'
record -p $busy --wall -- nosuch
is_equal "$status $(cat err)" '2 cpa: nosuch: no such program' 'a command that does not exist ends it'

"$CPA" record -o 'a b.pb.gz' -- true >out 2>err
is_equal "$(tail -n 1 err)" "cpa: next: cpa 'a b.pb.gz' (full screen), cpa -http=: 'a b.pb.gz' (browser), cpa flame -o cpu.svg 'a b.pb.gz'" \
	'a recording ends with what to type next'
"$CPA" record -- true >out 2>err
is_equal "$(tail -n 1 err)" 'cpa: next: cpa (full screen), cpa -http=: cpa-record.pb.gz (browser), cpa flame -o cpu.svg cpa-record.pb.gz' \
	'of the default file too'
done_testing
