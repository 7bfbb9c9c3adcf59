#!/bin/sh
# t661-pager.t - on a terminal long output is paged, and names are shortened to the width
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
export TERM=xterm
unset PAGER LESS

# on_terminal SIZE KEYS COMMAND...: run it on a terminal of this size; its output is $tmp/got, its exit status $code
on_terminal() {
	"${PYTHON3:-python3}" "$top_srcdir/tests/cli/page.py" "$@" >"$tmp/got"
	code=$?
}

# shellcheck disable=SC2016 # for the script
printf '#!/bin/sh\necho "paged with LESS=$LESS"\nexec cat\n' >"$tmp/pager"
printf '#!/bin/sh\nhead -n 1\n' >"$tmp/first"
printf '#!/bin/sh\nexit 3\n' >"$tmp/quits"
chmod +x "$tmp/pager" "$tmp/first" "$tmp/quits"
"$CPA" top --nodecount=0 go-cpu.pb.gz >"$tmp/whole"

PAGER=$tmp/pager on_terminal 24x200 '' "$CPA" top --nodecount=0 go-cpu.pb.gz
{ echo 'paged with LESS=FRX' && cat "$tmp/whole"; } >"$tmp/want"
same "a report longer than the terminal is the input of the pager" "$tmp/want" "$tmp/got"
LESS=S PAGER=$tmp/pager on_terminal 24x200 '' "$CPA" top --nodecount=0 go-cpu.pb.gz
grep -qx 'paged with LESS=S' "$tmp/got"
result $? "LESS of the user is kept"
PAGER=$tmp/pager on_terminal 24x200 '' "$CPA" help top
grep -q '^paged' "$tmp/got" && grep -q '^Usage: cpa top' "$tmp/got"
result $? "long help is paged"
PAGER=$tmp/pager on_terminal 24x200 '' "$CPA" record --help
grep -q '^paged' "$tmp/got" && [ "$code" -eq 0 ]
result $? "the help of a command with its own options is paged"
PAGER=$tmp/pager on_terminal 24x200 '' "$CPA" traces go-cpu.pb.gz
grep -q '^paged' "$tmp/got" && grep -q '^-----------+' "$tmp/got"
result $? "a report that is drawn in pieces is paged"

# none WHY SIZE COMMAND...: the command prints the whole report without a pager
none() {
	why=$1
	shift
	on_terminal "$@"
	same "no pager $why" "$tmp/whole" "$tmp/got"
}
none "if the report fits" 500x200 '' env PAGER="$tmp/pager" "$CPA" top --nodecount=0 go-cpu.pb.gz
none "with --no-pager" 24x200 '' env PAGER="$tmp/pager" "$CPA" top --nodecount=0 --no-pager go-cpu.pb.gz
none "if PAGER is empty" 24x200 '' env PAGER= "$CPA" top --nodecount=0 go-cpu.pb.gz
none "if PAGER is cat" 24x200 '' env PAGER=cat "$CPA" top --nodecount=0 go-cpu.pb.gz
none "on a dumb terminal" 24x200 '' env TERM=dumb PAGER="$tmp/pager" "$CPA" top --nodecount=0 go-cpu.pb.gz
PAGER=$tmp/pager "$CPA" top --nodecount=0 go-cpu.pb.gz >"$tmp/got"
same "no pager without a terminal" "$tmp/whole" "$tmp/got"
on_terminal 24x200 '' env PAGER=/nonexistent/pager "$CPA" top --nodecount=0 go-cpu.pb.gz
grep -v 'nonexistent' "$tmp/got" >"$tmp/rest"
same "a pager that does not exist loses nothing" "$tmp/whole" "$tmp/rest"

PAGER=$tmp/first on_terminal 24x200 '' "$CPA" traces go-cpu.pb.gz
[ "$code" -eq 0 ] && [ "$(wc -l <"$tmp/got")" -eq 1 ]
result $? "a pager that is left early is not an error"
PAGER=$tmp/quits on_terminal 24x200 '' "$CPA" top --nodecount=0 go-cpu.pb.gz
[ "$code" -eq 0 ]
result $? "the exit status of the pager does not matter"
PAGER=$tmp/first on_terminal 24x200 '' "$CPA" top --nodecount=0 go-cpu.pb.gz nothing.pb.gz
[ "$code" -eq 2 ]
result $? "the exit status of cpa is kept"
if command -v less >/dev/null; then
	on_terminal 24x200 ' q' "$CPA" top --nodecount=0 go-cpu.pb.gz
	[ "$code" -eq 0 ] && ! cmp -s "$tmp/whole" "$tmp/got"
	result $? "less is the default, and q leaves it"
fi

# Names are shortened to the width: a shortened line has exactly this length, and none after the head is longer.
narrow() { # COLUMNS REPORT SOURCE...
	columns=$1
	shift
	on_terminal "500x$columns" '' "$CPA" "$@" --no-pager -nodecount=0
	"${PYTHON3:-python3}" - "$tmp/got" "$columns" <<-'END'
		import sys
		lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
		import unicodedata
		columns = int(sys.argv[2])
		width = lambda line: sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in line)
		short = [line for line in lines if "\u2026" in line]
		# a character of two columns may leave one column on each side of the dots
		wrong = [line for line in short if not columns - 2 * (width(line) > len(line)) <= width(line) <= columns]
		sys.exit(not short or len(wrong) > 0 or max(map(width, lines[6:])) > columns)
	END
	result $? "$1: names end at the width of the terminal"
}
narrow 80 top cpp-cpu.pb.gz
narrow 100 top -lines cpp-cpu.pb.gz
narrow 110 tree cpp-cpu.pb.gz
narrow 110 peek . cpp-cpu.pb.gz
narrow 80 traces cpp-cpu.pb.gz
wide=$(printf '\345\207\246\347\220\206%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20)
"${PYTHON3:-python3}" "$top_srcdir/tests/cli/make_profile.py" "$tmp/wide.pb" /src "main$wide;a=5" "b$wide;main$wide=3" "$wide=1"
narrow 80 top "$tmp/wide.pb"
narrow 81 tree "$tmp/wide.pb"
narrow 100 diff go-heap1.pb.gz go-heap2.pb.gz
narrow 100 trend --all go-heap1.pb.gz go-heap2.pb.gz
on_terminal 500x70 '' "$CPA" top --no-pager --wide -nodecount=0 cpp-cpu.pb.gz
"$CPA" top -nodecount=0 cpp-cpu.pb.gz >"$tmp/want"
same "--wide prints whole names" "$tmp/want" "$tmp/got"
done_testing
