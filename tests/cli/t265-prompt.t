#!/bin/sh
# t265-prompt.t - the prompt on a terminal: editing, completion, history, Ctrl-C
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
f=go-cpu.pb.gz
state=$tmp/home/state
history=$state/cpa/history

# typed KEYS: type at the prompt of cpa, see keystrokes.py; in $tmp/out what the terminal saw
typed() {
	TERM=${term:-xterm} "${PYTHON3:-python3}" "$top_srcdir/tests/cli/keystrokes.py" "$1" "$CPA" -symbolize=none --plain $f >"$tmp/out" 2>&1
	status=$?
}
# shows PATTERN DESCRIPTION
shows() {
	grep -q -e "$1" "$tmp/out"
	found=$?
	[ "$found" -eq 0 ] || note "$tmp/out"
	result "$found" "$2"
}

typed 'top1\n|q\n'
shows 'Showing top 1 nodes out of 195' "a line that is typed is answered"
[ "$status" -eq 0 ]
result $? "q ends with status 0"
[ "$(cat "$history")" = 'top1
q' ]
result $? "the lines are kept" || note "$history"
[ "$(stat -c %a "$history")" = 600 ] && [ "$(stat -c %a "$state/cpa")" = 700 ]
result $? "for their owner alone"

typed '\x1b[A\x1b[A\n|\x04'
shows 'Showing top 1 nodes out of 195' "the up arrow recalls lines of an earlier session"
[ "$status" -eq 0 ]
result $? "Ctrl-D leaves with status 0"
typed 'top2\n|top2\n|\n|   \n|q\n'
[ "$(cat "$history")" = 'top1
q
top1
top2
q' ]
result $? "a line that is repeated is kept once, a blank one not" || note "$history"
typed 'nosuch\x03|top2\n|q\n'
shows 'Showing top 2 nodes' "Ctrl-C clears the line"
grep -q nosuch "$history" || grep -q 'unrecognized' "$tmp/out"
[ $? -eq 1 ]
result $? "which is neither read nor kept"
typed 'sort=c\t\n|top1\n|q\n'
grep -q '^sort=cum' "$history"
result $? "Tab completes the value of an option" || note "$tmp/out"
typed 'peek findM\t\n|q\n'
tail -n 2 "$history" | grep -q -F 'peek ^compress/flate\.\(\*compressor\)\.findMatch$'
result $? "Tab completes a function to an expression for it alone" || note "$history"
typed 'peek shop/\t\t\t|+\x15q\n'
shows '\^shop/route\\\.abs\$' "a second Tab lists what there is"
typed 'top2 \x7c sleep 60\n|+\x03|top3\n|q\n'
shows 'Showing top 3 nodes' "Ctrl-C ends a program behind | and not the shell"
tail -n 2 "$history" | head -n 1 | grep -q top3
result $? "and goes on" || note "$history"

mkfifo "$tmp/never" # nobody reads it, so writing to it waits for ever
typed "top2 >$tmp/never\\n|+\\x03|top3\\n|q\\n"
shows 'Showing top 3 nodes' "Ctrl-C ends a report that takes too long and not the shell"
[ "$status" -eq 0 ]
result $? "which then ends as ever"

# forks are made while no other thread runs: one task at the prompt, before and after reports; SIGTERM ends it there
# shellcheck disable=SC2016 # the shell behind | reads it
typed 'top3\n|traces \x7c cat >/dev/null; echo tasks: $(ls /proc/$PPID/task \x7c wc -l)\n|traces \x7c kill $PPID\n'
shows '^tasks: 1' "the prompt has no other thread while a report is made by a fork"
[ "$status" -eq 143 ]
result $? "SIGTERM ends it"

# a terminal that can do nothing
rm -r "$state"
term=dumb typed 'top1\n|q\n'
shows '^(cpa) top1' "a dumb terminal has a prompt"
! grep -q "$(printf '\033')" "$tmp/out" && [ ! -e "$history" ]
result $? "and nothing that it does not understand, nor a history"

# the file
mkdir -p "$state/cpa"
i=0
while [ $i -lt 1199 ]; do echo "top $((i += 1))"; done >"$history"
printf 'bad \033[2J\nlast without end' >>"$history"
typed 'focus=a\n|q\n'
[ "$(wc -l <"$history")" -le 1002 ] && [ "$(tail -n 3 "$history")" = 'last without end
focus=a
q' ] && ! grep -q bad "$history"
result $? "the history stays short, and keeps the newest" || note "$history"
[ "$(stat -c %a "$history")" = 600 ]
result $? "a history that was made anew is for its owner alone"
mkdir "$tmp/elsewhere" && mv "$history" "$tmp/elsewhere/lines" && ln -s "$tmp/elsewhere/lines" "$history"
i=0
while [ $i -lt 1200 ]; do echo "top $((i += 1))"; done >"$history"
typed 'focus=b\n|q\n'
[ -h "$history" ] && [ "$(wc -l <"$history")" -le 1002 ] && [ "$(tail -n 2 "$history")" = 'focus=b
q' ]
result $? "a history that is a link stays one" || ls -l "$state/cpa"
rm "$history"
yes "top $(printf '%09000d' 7)" | head -n 700 >"$history"
echo "top 8" >>"$history"
typed '\x1b[A\n|q\n'
shows 'Showing top 8 nodes' "of a history that is too large the newest lines are there"
[ "$(wc -c <"$history")" -lt 4200000 ] && [ "$(tail -n 2 "$history")" = 'top 8
q' ]
result $? "and it is shortened" || note "$(wc "$history")"
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
result $? "shells at the same time lose none of their lines" || note "$history"
rm -r "$state"
echo >"$state"
typed 'top1\n|\x1b[A\n|q\n'
[ "$(grep -c 'Showing top 1 nodes' "$tmp/out")" -eq 2 ] && ! grep -q '^cpa:' "$tmp/out"
result $? "where there can be no file the history lasts as long as the shell" || note "$tmp/out"
rm "$state"
mkdir -p "$state/cpa"
mkfifo "$history"
typed 'top1\n|q\n'
[ "$status" -eq 0 ]
result $? "a pipe in its place holds up nobody"
done_testing
