#!/bin/sh
# t265-prompt.t - the prompt on a terminal: editing, completion, history, Ctrl-C
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
f=go-cpu.pb.gz
state=$tmp/home/state
history=$state/cpa/history

# type_keys KEYS [OPTION]: types KEYS at the prompt of cpa (--plain), see keystrokes.py; terminal output is in $tmp/out
type_keys() {
	TERM=${term:-xterm} "${PYTHON3:-python3}" "$top_srcdir/tests/cli/keystrokes.py" "$1" "$CPA" -symbolize=none "${2:---plain}" $f >"$tmp/out" 2>&1
	status=$?
}
# shows PATTERN DESCRIPTION: checks that the terminal output matches PATTERN
shows() {
	grep -q -e "$1" "$tmp/out"
	found=$?
	[ "$found" -eq 0 ] || note "$tmp/out"
	result "$found" "$2"
}

type_keys 'top1\n|q\n'
shows 'Showing top 1 nodes out of 195' "a typed line prints its report"
[ "$status" -eq 0 ]
result $? "q exits with status 0"
[ "$(cat "$history")" = 'top1
q' ]
result $? "lines are saved in the history" || note "$history"
[ "$(stat -c %a "$history")" = 600 ] && [ "$(stat -c %a "$state/cpa")" = 700 ]
result $? "the history is readable by the owner only"

type_keys '\x1b[A\x1b[A\n|\x04'
shows 'Showing top 1 nodes out of 195' "the up arrow recalls lines of an earlier session"
[ "$status" -eq 0 ]
result $? "Ctrl-D exits with status 0"
type_keys 'top2\n|top2\n|\n|   \n|q\n'
[ "$(cat "$history")" = 'top1
q
top1
top2
q' ]
result $? "the history has a repeated line once and no blank line" || note "$history"
type_keys 'nosuch\x03|top2\n|q\n'
shows 'Showing top 2 nodes' "Ctrl-C clears the line"
grep -q nosuch "$history" || grep -q 'unrecognized' "$tmp/out"
[ $? -eq 1 ]
result $? "a cleared line is neither run nor saved"
type_keys 'sort=c\t\n|top1\n|q\n'
grep -q '^sort=cum' "$history"
result $? "Tab completes the value of an option" || note "$tmp/out"
type_keys 'peek findM\t\n|q\n'
tail -n 2 "$history" | grep -q -F 'peek ^compress/flate\.\(\*compressor\)\.findMatch$'
result $? "Tab completes a function to an expression that matches only the function" || note "$history"
type_keys 'peek shop/\t\t\t|+\x15q\n'
shows '\^shop/route\\\.abs\$' "a second Tab lists the candidates"
type_keys 'top2 \x7c sleep 60\n|+\x03|top3\n|q\n'
shows 'Showing top 3 nodes' "Ctrl-C ends a program after | and not the shell"
tail -n 2 "$history" | head -n 1 | grep -q top3
result $? "the shell reads lines after Ctrl-C" || note "$history"

mkfifo "$tmp/never" # it has no reader, so writing to it blocks
type_keys "top2 >$tmp/never\\n|+\\x03|top3\\n|q\\n"
shows 'Showing top 3 nodes' "Ctrl-C ends a report that blocks and not the shell"
[ "$status" -eq 0 ]
result $? "the shell exits with status 0 after Ctrl-C"

# cpa forks while it has no other thread: it has one task at the prompt. SIGTERM ends it there.
# shellcheck disable=SC2016 # the shell after | expands it
type_keys 'top3\n|traces \x7c cat >/dev/null; echo tasks: $(ls /proc/$PPID/task \x7c wc -l)\n|traces \x7c kill $PPID\n'
shows '^tasks: 1' "cpa has one thread while a forked process prints a report"
[ "$status" -eq 143 ]
result $? "SIGTERM ends cpa"

# A terminal that does not support escape sequences.
rm -r "$state"
term=dumb type_keys 'top1\n|q\n'
shows '^(cpa) top1' "a dumb terminal has a prompt"
! grep -q "$(printf '\033')" "$tmp/out" && [ ! -e "$history" ]
result $? "a dumb terminal gets no escape sequences and no history"

# Without --plain, on terminals that cannot move the cursor or have no size, such as those of expect and script.
unset NO_COLOR
{
	printf '%s\n' 'nosuch' 'top -nodecount=1' q | "$CPA" -symbolize=none $f 2>&1 | sed '/^cpa: /,$d'
	printf '(cpa) nosuch\ncpa: unrecognized command: "nosuch"\n(cpa) top -nodecount=1\n'
	"$CPA" top -compact_labels -nodecount=1 $f
	echo '(cpa) q'
} >"$tmp/session"
for terminal in dumb:40x100 xterm:0x0 lpr:40x100 nowhere:40x100; do
	SIZE=${terminal#*:} term=${terminal%:*} type_keys 'nosuch\n|top -nodecount=1\n|q\n' --no-mouse
	sed -i '1{/^cpa: .*terminal /d}' "$tmp/out"
	same "a session on $terminal reads and prints plain lines" "$tmp/session" "$tmp/out"
done
export NO_COLOR=1

# The history file.
mkdir -p "$state/cpa"
i=0
while [ $i -lt 1199 ]; do echo "top $((i += 1))"; done >"$history"
printf 'bad \033[2J\nlast without end' >>"$history"
type_keys 'focus=a\n|q\n'
[ "$(wc -l <"$history")" -le 1002 ] && [ "$(tail -n 3 "$history")" = 'last without end
focus=a
q' ] && ! grep -q bad "$history"
result $? "the history is limited to the newest lines" || note "$history"
[ "$(stat -c %a "$history")" = 600 ]
result $? "a rewritten history is readable by the owner only"
mkdir "$tmp/elsewhere" && mv "$history" "$tmp/elsewhere/lines" && ln -s "$tmp/elsewhere/lines" "$history"
i=0
while [ $i -lt 1200 ]; do echo "top $((i += 1))"; done >"$history"
type_keys 'focus=b\n|q\n'
[ -h "$history" ] && [ "$(wc -l <"$history")" -le 1002 ] && [ "$(tail -n 2 "$history")" = 'focus=b
q' ]
result $? "a history that is a symbolic link remains a link" || ls -l "$state/cpa"
rm "$history"
yes "top $(printf '%09000d' 7)" | head -n 700 >"$history"
echo "top 8" >>"$history"
type_keys '\x1b[A\n|q\n'
shows 'Showing top 8 nodes' "the newest lines of a large history are read"
[ "$(wc -c <"$history")" -lt 4200000 ] && [ "$(tail -n 2 "$history")" = 'top 8
q' ]
result $? "a large history is shortened" || note "$(wc "$history")"
lines='' all=''
for i in 1 2 3 4 5 6 7 8; do lines="${lines}nodecount=${i}SHELL\\n|"; done
: >"$history"
for shell in 1 2 3; do
	TERM=xterm "${PYTHON3:-python3}" "$top_srcdir/tests/cli/keystrokes.py" "$(printf '%s' "$lines" | sed "s/SHELL/$shell/g")q\\n" \
		"$CPA" --plain -symbolize=none $f >"$tmp/out$shell" 2>&1 &
	all="$all $!"
done
for pid in $all; do wait "$pid"; done
[ "$(grep -c nodecount "$history")" -eq 24 ] && [ "$(sort "$history" | uniq | grep -c nodecount)" -eq 24 ]
result $? "concurrent shells save all lines" || note "$history"
rm -r "$state"
echo >"$state"
type_keys 'top1\n|\x1b[A\n|q\n'
[ "$(grep -c 'Showing top 1 nodes' "$tmp/out")" -eq 2 ] && ! grep -q '^cpa:' "$tmp/out"
result $? "without a history file the history lasts until the shell exits" || note "$tmp/out"
rm "$state"
mkdir -p "$state/cpa"
mkfifo "$history"
type_keys 'top1\n|q\n'
[ "$status" -eq 0 ]
result $? "a pipe instead of the history file does not block"
done_testing
