# endpoint.sh - helpers for tests of cpa run --enable-profiling
# SPDX-License-Identifier: Apache-2.0
#
# Source it after lib.sh.
# shellcheck disable=SC2034 # for the tests that source this

client="${top_srcdir:?}/tests/runtime/endpoint.py"
command -v "${PYTHON3:-python3}" >/dev/null || {
	echo '1..0 # SKIP no Python'
	exit 0
}
cpa=

ask() { # get|post|abort|many|used|left ...: see endpoint.py
	"${PYTHON3:-python3}" "$client" "$@"
}

serve() { # WORD...: run cpa run WORD... in the background; sets cpa to its pid and base to its address
	rm -f out err
	"$CPA" run --quiet "$@" >out 2>err &
	cpa=$!
	base=
	case "$*" in *--enable-profiling=false*) return ;; esac
	for _ in $(seq 200); do
		base=$(sed -n 's|^cpa: profiling server listening on \([^ ]*\)$|\1|p' err 2>/dev/null)
		[ -n "$base" ] && break
		kill -0 $cpa 2>/dev/null || break
		sleep 0.05
	done
	base=${base%/debug/pprof/}
}

serve_ready() { # WORD...: the same with serves, until it is ready; sets pid and children
	serve "$@"
	pid=
	for _ in $(seq 200); do
		# shellcheck disable=SC2046 # words
		set -- $(sed -n 's/^ready //p' out)
		[ -n "${1:-}" ] && break
		sleep 0.05
	done
	pid=${1:-}
	shift
	children=$*
}

sampled() { # wait until a capture samples CPU time: a running thread has a timer
	for _ in $(seq 400); do
		[ "$(grep -c ^ID "/proc/$pid/timers")" != 0 ] && break
		sleep 0.05
	done
}

worked() { # SECONDS: wait until the program has used that much more CPU time
	"${PYTHON3:-python3}" - "$pid" "$1" <<-'END'
		import sys, time
		clock = ~int(sys.argv[1]) << 3 | 2  # as in clock_getcpuclockid
		end = time.clock_gettime(clock) + float(sys.argv[2])
		while time.clock_gettime(clock) < end:
		    time.sleep(0.02)
	END
}

end() { # SIGNAL: end the program; sets status to that of cpa
	kill "-$1" "$pid" 2>/dev/null
	wait "$cpa"
	status=$?
	cpa=
}

get() { # PATH [FILE [HEADER:VALUE]...]: STATUS TYPE FILENAME
	path=/debug/pprof$1
	shift
	ask get "$base" "$path" "$@"
}

cleanup() {
	[ -z "$cpa" ] || kill -KILL "$cpa" 2>/dev/null
	[ -z "${pid:-}" ] || kill -KILL "$pid" 2>/dev/null
	rm -rf "${tmp:?}"
}
trap cleanup EXIT
