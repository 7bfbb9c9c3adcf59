#!/bin/sh
# t297-pid.t - sources "pid:N" and the options of cpa record for running processes: which are accepted, and messages
# SPDX-License-Identifier: Apache-2.0
#
# Processes are sampled with --wall, which works without perf events.
. "${top_srcdir:?}/tests/cli/lib.sh"

sleep 300 &
sleeper=$!
sleep 300 &
second=$!
trap 'kill $sleeper $second; rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
saved=$XDG_STATE_HOME/cpa/profiles

fails '^cpa: process 99999999 does not exist$' record -p 99999999
for option in --heap --allocs --block --mutex --threadcreate --heap-rate=1 --engine=perf --signal=PROF --heap-labels; do
	fails "^cpa: ${option%=*} applies to programs that cpa starts, not to running processes$" record -p $sleeper $option
done
fails '^cpa: give only one of -p, -a and --cgroup$' record -p $sleeper -a
fails '^cpa: give only one of -p, -a and --cgroup$' record -a --cgroup=x
fails '^cpa: give only one of --off-cpu and --wall$' record -p $sleeper --off-cpu --wall
fails '^cpa: --event cannot be combined with --off-cpu$' record -p $sleeper --off-cpu --event=cycles
fails '^cpa: --wall needs -p PID, or a program$' record -a --wall
fails '^cpa: --follow=make: choose all or none for running processes$' record -p $sleeper --follow=make
fails '^cpa: --hz must be 1 to 10000$' record -p $sleeper --hz=10001
fails '^cpa: --seconds must be 0 to' record -p $sleeper --seconds=-1
fails 'no-such-event' record -p $sleeper --event=no-such-event
for pids in '' 0 1,,2 1,0; do
	fails '^cpa: -p: ".*" is not a list of process ids' record "--pid=$pids"
done
for pids in x 1,x -1 1.5 /; do
	fails '^cpa: -p: no process is named "' record "--pid=$pids"
done
fails '^cpa: /no/such/x.gz: No such file or directory$' record -p $sleeper --wall --seconds=9 -o /no/such/x.gz
fails 'nodecount=x: not a whole number' record -p $sleeper --wall --seconds=9 -nodecount=x
is_equal "$(ls)" "$(printf 'cpa\nerr\nhome\nout')" 'a refused command writes no file'

"$CPA" record -p $sleeper --wall --seconds=1 >"$tmp/out" 2>"$tmp/err"
is_equal "$? $(cat out)" '0 ' 'cpa record -p samples for --seconds, and prints nothing on standard output'
grep -q '^cpa: sampled 1 process, in wall-clock time.*; [1-9][0-9,]* stacks* in 1\.[0-9] s, cpa used ' err &&
	[ "$(grep -n '^cpa: wrote cpa-record.pb.gz$' err | cut -d: -f1)" -lt "$(grep -n 'flat%' err | cut -d: -f1)" ]
result $? 'what was sampled, the file and the top functions are printed on standard error' || note err
is_equal "$(stat -c %a cpa-record.pb.gz)" 600 'the profile is readable by its owner only'
cp cpa-record.pb.gz first
"$CPA" record -p $sleeper --wall --seconds=1 --top=0 2>err
cmp -s first cpa-record.pb.gz.old
result $? 'an earlier profile is renamed to .old'
is_equal "$(grep -c 'flat%' err)" 0 '--top=0 prints no functions'
"$CPA" record -p $sleeper,$second,$sleeper --wall --seconds=1 -o two.gz -tags 2>err
is_equal "$? $(grep -c "^ *[^ ]* ([^)]*): \($sleeper\|$second\)$" err)" '0 2' 'several processes are one profile, with the label pid'
is_equal "$(grep -c 'sampled 2 processes' err)" 1 'a process that is given twice is sampled once'

mkdir empty
rm -rf "$saved"
"$CPA" top "pid:$sleeper?wall&seconds=1" >out 2>err
is_equal "$? $(grep -c 'flat%' out)" '0 1' 'pid: is a source of reports'
is_equal "$(sed -n 1p err)" "cpa: Sampling process $sleeper (sleep) for 1s" 'the process and the duration are printed'
is_equal "$(find "$saved" -type f | wc -l) $(grep -c '^cpa: Saved profile in ' err)" '1 1' 'the profile is saved as fetched ones are'
"$CPA" top --no-save -seconds=1 "pid:$sleeper?wall&seconds=60" >out 2>err
is_equal "$? $(sed -n 1p err)" "0 cpa: Sampling process $sleeper (sleep) for 1s" '-seconds replaces the duration in the source'
start=$(date +%s%N)
"$CPA" diff --no-save "pid:$sleeper?wall&seconds=3" "pid:$second?wall&seconds=3" >out 2>err
status=$? took=$((($(date +%s%N) - start) / 1000000))
is_equal "$status $(sed -n 's/^\(BASE\|NEW\).*: *\(pid:[0-9]*\).*/\2/p' out | tr '\n' ' ')" "0 pid:$sleeper pid:$second " 'both sides of a diff can be processes'
[ $took -lt 5900 ] || echo "# measured: $took ms"
[ $took -lt 5900 ]
result $? 'several sources are sampled at the same time'
is_equal "$(grep -c "^cpa: pid:$sleeper?wall&seconds=3: sampled 1 process" err)" 1 'notes about several sources have their names'
"$CPA" flame --no-save -seconds=1 -o x.svg "pid:$sleeper?wall" 2>err
is_equal "$? $(grep -c '</svg>' x.svg)" '0 1' 'a flame graph of a process is drawn'
touch "pid:$sleeper"
"$CPA" top --no-save -seconds=1 "pid:$sleeper?wall" >out 2>err
is_equal "$? $(grep -c Sampling err)" '0 1' 'pid: and digits is a process even if a file has that name'
"$CPA" --no-save -seconds=1 --keys='Show R' --size=80x8 "pid:$sleeper?wall" >out 2>err
is_equal "$? $(grep -c 'live, fetch 2' out)" '0 1' 'R in the full screen samples again'

if command -v "${PYTHON3:-python3}" >/dev/null; then
	terminal() { # WORD|WORD ARG...: runs cpa on a terminal and presses Ctrl-C each time it has printed the next WORD
		word=$1
		shift
		TERM=xterm "${PYTHON3:-python3}" "$top_srcdir/tests/cli/terminal.py" "$word" "$CPA" "$@" >out 2>err
		status=$?
	}
	terminal 'Ctrl-C ends it' record -p $sleeper --wall --top=0 -o x.gz
	is_equal "$status $(grep -c 'wrote x.gz' err)" '0 1' 'Ctrl-C ends sampling, and the profile is written'
	terminal ' s left' top --no-save -seconds=60 "pid:$sleeper?wall"
	is_equal "$status $(grep -c 'flat%' out) $(grep -c 'recording 1 profile: [0-9]* s left.*cpa: sampled 1 process.* stacks* in [1-5]\?[0-9]\.[0-9] s' err)" '0 1 1' \
		'a terminal shows the remaining time; after Ctrl-C the samples so far are used'
fi

says() { # PATTERN SOURCE: "cpa top SOURCE" fails with status 2 and a message that matches
	"$CPA" top --no-save "$2" >out 2>err
	status=$?
	grep -q -e "$1" err || note err
	grep -q -e "$1" err && [ $status = 2 ] && [ ! -s out ]
	result $? "cpa top $2 fails with: $1"
}
says '^cpa: pid:99999999?wall: process 99999999 does not exist$' 'pid:99999999?wall'
says "pid:$sleeper?nope=1: unknown parameter nope; there are event=NAME, follow, hz=N, off-cpu, seconds=N and wall" "pid:$sleeper?nope=1"
says 'off-cpu and wall cannot be combined' "pid:$sleeper?off-cpu&wall"
says 'event cannot be combined with off-cpu or wall' "pid:$sleeper?off_cpu&event=cycles"
says 'hz must be 1 to 10000' "pid:$sleeper?hz=0"
says 'hz must be 1 to 10000' "pid:$sleeper?hz=x"
says 'seconds must be 1 to' "pid:$sleeper?seconds="
says 'wall takes no value' "pid:$sleeper?wall=1"
says 'no-such-event' "pid:$sleeper?event=no-such-event"
says '^cpa: pid:nginx: ' pid:nginx
says '^cpa: pid:1,x: ' pid:1,x

fails 'pid:1: is a process of this machine, not a server; profile it with cpa record -p$' collect --store="$tmp/store" pid:1
fails 'pid:1: is a process of this machine, not a server; profile it with cpa record -p$' snapshot -o "$tmp/s" pid:1
"$CPA" threads $sleeper | sed 's/for [0-9]*s//' >out
"$CPA" threads pid:$sleeper | sed 's/for [0-9]*s//' >err
same 'cpa threads pid:N prints the same as cpa threads N' out err
fails 'cpa threads takes one process' threads pid:1,2

"$CPA" completion words record -p '' | cut -f1,2 >out
is_equal "$(grep -c "^\($sleeper\|$second\)	sleep$" out)" 2 'completion offers process IDs with names after -p'
"$CPA" completion words record --pid=1,"${second%?}" | cut -f1 >out
is_equal "$(grep -cx -e "--pid=1,$second" out)" 1 'completion offers further processes after a comma'
"$CPA" completion words top pid: | cut -f1,2 >out
is_equal "$(grep -c "^pid:\($sleeper\|$second\)	sleep$" out) $(grep -c '^:files' out)" '2 0' 'completion offers processes after pid:, and no files'
"$CPA" completion words top "pid:$sleeper?" >out
"$CPA" completion words top -sample_index= "pid:$sleeper" >>out
is_equal "$(find "$saved" -type f | wc -l)" 1 'completion does not sample'
done_testing
