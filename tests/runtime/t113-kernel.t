#!/bin/sh
# t113-kernel.t - time in the kernel is charged to its system calls by all engines, or to [cpa: kernel]
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
. "${top_srcdir:?}/tests/runtime/endpoint.sh"
compile short
chmod 755 .

percent() { # NAMES: their share of p.pb.gz together
	"$CPA" top -cum -nodefraction=0 p.pb.gz 2>/dev/null |
		awk -v names="$1" '{ f = $6; for (i = 7; i <= NF; i++) f = f " " $i } f != "" && index(names, "<" f ">") { sub(/%/, "", $5); n += $5 }
			END { print n + 0 }'
}

other() { # COMMAND...: run it as a user whose events exclude the kernel
	setpriv --reuid=65534 --clear-groups --bounding-set=-all --inh-caps=-all "$@"
}

for engine in timer itimer perf; do
	export CPA_CPU_ENGINE=$engine
	run 1000 ./short kernel 800
	between "$(percent '<kernel><[cpa: kernel]>')" 36 64 "$engine: half of the CPU time is in system calls of kernel()"
	between "$(percent '<user>')" 36 64 "$engine: half of the CPU time is in user()"
done
perf_kernel=$(percent '<[cpa: kernel]>')
run 1000 ./short chain 100
is "$status" 0 'a signal of a perf event never reaches the next program'
serve --enable-profiling -- ./short kernel 4000
"$CPA" proto -output=e.pb.gz "$base/debug/pprof/profile?seconds=2&engine=perf&hz=1000" 2>/dev/null
kill $cpa
wait $cpa
mv p.pb.gz kept.pb.gz
mv e.pb.gz p.pb.gz
between "$(percent '<kernel><[cpa: kernel]>')" 38 62 'a capture of the endpoint with perf events includes the kernel'
mv kept.pb.gz p.pb.gz
if "$CPA" comments p.pb.gz | grep -q 'no perf events'; then
	echo '# no perf events here'
elif [ "$(id -u)" = 0 ]; then
	is "$perf_kernel" 0 'perf events of root count the kernel'
	if ! command -v setpriv >/dev/null || [ "$(cat /proc/sys/kernel/perf_event_paranoid)" != 2 ]; then
		echo '# no other user whose events exclude the kernel'
	elif ! other "$CPA" run --quiet -- true >/dev/null 2>&1; then
		echo '# other users cannot run programs of this folder'
	else
		mkdir -m 777 other
		(cd other && other "$CPA" run --quiet --hz=1000 --cpu=p.pb.gz -- ../short kernel 500 >out 2>err)
		[ -f other/p.pb.gz ] && mv other/p.pb.gz p.pb.gz
		between "$(percent '<kernel><[cpa: kernel]>')" 40 60 'without the right to count the kernel it is half of the CPU time'
		between "$(percent '<[cpa: kernel]>')" 25 60 'without that right most of it is shown as [cpa: kernel]'
		is "$("$CPA" comments p.pb.gz | grep -c 'shown as \[cpa: kernel\]')" 1 'a comment names it'
	fi
fi
done_testing
