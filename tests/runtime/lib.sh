# lib.sh - helpers of the tests of cpa run: TAP output, compiling, sums of profiles
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
export XDG_STATE_HOME="$tmp/state" PPROF_TMPDIR="$tmp/state" # do not add to the user's saved profiles
count=0
libs=

compile() { # NAME [FLAG]...: compile tests/runtime/NAME.c to ./NAME, with $libs
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

measured() { # STATUS NAME WHAT...: a check of clocks or samples; script/rerun-measured repeats failed ones when nothing else runs
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

run() { # HZ COMMAND...: profile the command into p.pb.gz; its output is in out, its exit status in $status
	hz=$1
	shift
	rm -f p*.pb.gz
	"$CPA" run --quiet --hz="$hz" --cpu=p.pb.gz -- "$@" >out 2>err
	# shellcheck disable=SC2034 # used by the tests
	status=$?
}

total() { # FILE: its CPU time in nanoseconds, read by cpa; 0 for none
	"$CPA" top -unit=ns "$1" 2>/dev/null |
		sed -n 's/^Showing nodes accounting for .* of \([0-9]*\)ns total$/\1/p'
}

pprof_total() { # FILE: the same, read by go tool pprof
	go tool pprof -top -unit=ns -symbolize=none "$1" 2>/dev/null |
		sed -n 's/^Showing nodes accounting for .* of \([0-9]*\)ns total$/\1/p'
}

samples() { # FILE: its number of samples, read by cpa
	"$CPA" top -sample_index=samples "$1" 2>/dev/null |
		sed -n 's/^Showing nodes accounting for .* of \([0-9]*\) total$/\1/p'
}

stacks() { # FILE: its number of stacks, from its comments
	"$CPA" comments "$1" | sed -n 's/^stacks, .* of \([0-9]*\) (.*/\1/p' | head -1
}

share() { # FILE FUNCTION [COLUMN]: CPU time of the function in nanoseconds, cum (4) or flat (1)
	"$CPA" top -unit=ns -nodecount=0 -trim=false "$1" 2>/dev/null |
		awk -v name="$2" -v column="${3:-4}" '{ f = $6; for (i = 7; i <= NF; i++) f = f " " $i }
			f == name { sub(/ns$/, "", $column); print $column }'
}

agree() { # NAME: cpa and pprof read the same total from p.pb.gz
	if command -v go >/dev/null; then
		is "$(pprof_total p.pb.gz)" "$(total p.pb.gz)" "$1"
	else
		count=$((count + 1))
		echo "ok $count - $1 # SKIP go not found"
	fi
}

files() { # PATTERN: the files in this directory that match it
	find . -maxdepth 1 -name "$1" | sort | sed 's|^\./||' | tr '\n' ' '
}

done_testing() {
	echo "1..$count"
}
