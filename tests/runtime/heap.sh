# heap.sh - what the tests of the heap share: run a program under heap_watch, and compare what it says
# SPDX-License-Identifier: Apache-2.0
#
# Source it behind lib.sh, which gives here and top_srcdir.

: "${here:?}" "${top_srcdir:?}"
watch=$here/tests/runtime/heap_watch
library=$(dirname "$CPA")/libcpaprof/libcpaprof.so

compile_c() { # NAME TO [FLAG]...: where functions are linked to is where they are
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

heap() { # RATE PROGRAM [ARGUMENT]...: what it prints and what is seen of it is in out
	rate=$1 program=$2
	shift 2
	"$watch" "$library" "$rate" "$program.names" "./$program" "$@" >out 2>err
	# shellcheck disable=SC2034 # for those who source this
	status=$?
}

seen() { # FUNCTION: OBJECTS BYTES KEPT_OBJECTS KEPT_BYTES of stacks in which it is the first one named [ax]_
	awk -v name="$1" '$1 == "row" { for (i = 11; i <= NF; i++) if ($i ~ /^[ax]_/) break
		if ($i == name) for (k = 0; k < 4; k++) n[k] += $(k + 2) }
		END { printf "%.0f %.0f %.0f %.0f\n", n[0], n[1], n[2], n[3] }' out
}

fact() { # NAME [N]: a number of the line of the N-th process that ended; 1 if not said
	awk -v name="$1" -v nth="${2:-1}" '$1 == "process" && ++n == nth {
		for (i = 3; i < NF; i += 2) if ($i == name) print $(i + 1) }' out
}

exact() { # PREFIX: is all that the program says also seen?
	grep '^a_' out | while read -r name truth; do
		truth=$(echo "$truth" | cut -d ' ' -f 1-4) got=$(seen "$name")
		[ "$got" = "$truth" ] && continue
		echo "# $name: got $got, not $truth"
	done >wrong
	cat wrong
	[ ! -s wrong ]
	ok $? "$1"
}
