# heap.sh - helpers for heap tests: run a program under heap_watch, and compare the results
# SPDX-License-Identifier: Apache-2.0
#
# Source it after lib.sh, which sets here and top_srcdir.

: "${here:?}" "${top_srcdir:?}"
watch=$here/tests/runtime/heap_watch
library=$(dirname "$CPA")/libcpaprof/libcpaprof.so

compile_c() { # NAME TO [FLAG]...: compile to a program that runs at its linked addresses
	from=$1 to=$2
	shift 2
	case $from in *.cc) compiler="${CXX:-c++} -std=c++17" ;; *) compiler=${CC:-cc} ;; esac
	# shellcheck disable=SC2086 # a command line
	$compiler -O1 -g -no-pie -fno-builtin -w "$@" -o "$to" "$top_srcdir/tests/runtime/$from" -pthread -lm -ldl || {
		echo "1..0 # SKIP no compiler"
		exit 0
	}
	nm -C "$to" | sed 's/()//' >"$to.names"
}

heap() { # RATE PROGRAM [ARGUMENT]...: run it; its output and its heap rows are in out
	rate=$1 program=$2
	shift 2
	"$watch" "$library" "$rate" "$program.names" "./$program" "$@" >out 2>err
	# shellcheck disable=SC2034 # for the tests that source this
	status=$?
}

seen() { # FUNCTION: OBJECTS BYTES KEPT_OBJECTS KEPT_BYTES of stacks in which it is the innermost function named [ax]_
	awk -v name="$1" '$1 == "row" { for (i = 11; i <= NF; i++) if ($i ~ /^[ax]_/) break
		if ($i == name) for (k = 0; k < 4; k++) n[k] += $(k + 2) }
		END { printf "%.0f %.0f %.0f %.0f\n", n[0], n[1], n[2], n[3] }' out
}

fact() { # NAME [N]: print a number from the line of the N-th ended process (default 1)
	awk -v name="$1" -v nth="${2:-1}" '$1 == "process" && ++n == nth {
		for (i = 3; i < NF; i += 2) if ($i == name) print $(i + 1) }' out
}

exact() { # NAME: compare the output of the program with its heap rows
	grep '^a_' out | while read -r name truth; do
		truth=$(echo "$truth" | cut -d ' ' -f 1-4) got=$(seen "$name")
		[ "$got" = "$truth" ] && continue
		echo "# $name: got $got, not $truth"
	done >wrong
	cat wrong
	[ ! -s wrong ]
	ok $? "$1"
}
