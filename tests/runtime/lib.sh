# lib.sh - what the tests of cpa run share: TAP, programs, sums
# SPDX-License-Identifier: Apache-2.0
#
# Source it first; call done_testing last. CPA and top_srcdir come from make check.

: "${CPA:?}" "${top_srcdir:?}"
export LC_ALL=C.UTF-8 NO_COLOR=1
unset LD_PRELOAD CPA_SEGMENT
here=$(pwd)
case $CPA in /*) ;; *) CPA=$here/$CPA ;; esac
case $top_srcdir in /*) ;; *) top_srcdir=$here/$top_srcdir ;; esac
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
export XDG_STATE_HOME="$tmp/state" PPROF_TMPDIR="$tmp/state" # nobody's saved profiles are added to
count=0
libs=

compile() { # NAME [FLAG]...: tests/runtime/NAME.c to ./NAME, with $libs
	name=$1
	shift
	# shellcheck disable=SC2086 # a command line
	${CC:-cc} -O1 -g "$@" -o "$name" "$top_srcdir/tests/runtime/$name.c" -pthread $libs && return
	echo "1..0 # SKIP no compiler"
	exit 0
}

ok() { # STATUS NAME
	count=$((count + 1))
	[ "$1" = 0 ] && echo "ok $count - $2" || echo "not ok $count - $2"
}

is() { # GOT WANTED NAME
	[ "$1" = "$2" ]
	same=$?
	[ $same = 0 ] || printf '# got %s\n# not %s\n' "$1" "$2"
	ok $same "$3"
}

measured() { # STATUS NAME WHAT...: a check of clocks or samples; script/again asks those once more, alone
	measured_status=$1 measured_name=$2
	shift 2
	[ "$measured_status" = 0 ] || echo "# measured: $*"
	ok "$measured_status" "$measured_name"
}

within() { # GOT WANTED PERCENT NAME
	awk -v got="${1:-0}" -v want="$2" -v percent="$3" \
		'BEGIN { d = got - want; exit !(d * d <= (want * percent / 100) ^ 2) }'
	measured $? "$4" "got $1, not $2 within $3 %"
}

between() { # GOT LOW HIGH NAME
	awk -v got="${1:-0}" -v low="$2" -v high="$3" 'BEGIN { exit !(got >= low && got <= high) }'
	measured $? "$4" "got $1, not between $2 and $3"
}

run() { # HZ COMMAND...: profile it into p.pb.gz; its output is in out, its status in status
	hz=$1
	shift
	rm -f p*.pb.gz
	"$CPA" run --hz="$hz" --cpu=p.pb.gz -- "$@" >out 2>err
	# shellcheck disable=SC2034 # for those who source this
	status=$?
}

total() { # FILE: nanoseconds of CPU time in it, as cpa says; 0 for none
	"$CPA" top -unit=ns "$1" 2>/dev/null |
		sed -n 's/^Showing nodes accounting for .* of \([0-9]*\)ns total$/\1/p'
}

pprof_total() { # FILE: the same as go tool pprof says
	go tool pprof -top -unit=ns -symbolize=none "$1" 2>/dev/null |
		sed -n 's/^Showing nodes accounting for .* of \([0-9]*\)ns total$/\1/p'
}

share() { # FILE FUNCTION [COLUMN]: its nanoseconds, cum (4) or flat (1)
	"$CPA" top -unit=ns -nodecount=0 -trim=false "$1" 2>/dev/null |
		awk -v name="$2" -v column="${3:-4}" '{ f = $6; for (i = 7; i <= NF; i++) f = f " " $i }
			f == name { sub(/ns$/, "", $column); print $column }'
}

agree() { # NAME: do both readers see the same total in p.pb.gz?
	if command -v go >/dev/null; then
		is "$(pprof_total p.pb.gz)" "$(total p.pb.gz)" "$1"
	else
		count=$((count + 1))
		echo "ok $count - $1 # SKIP go not found"
	fi
}

files() { # PATTERN: the names here that it matches
	find . -maxdepth 1 -name "$1" | sort | sed 's|^\./||' | tr '\n' ' '
}

done_testing() {
	echo "1..$count"
}
