#!/bin/sh
# t111-accounted.t - every CPU second of a program is in its profile: sampled, or named as not sampled
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile short

all() { # FILE...: the CPU time of all files together
	"$CPA" top -unit=ns "$@" 2>/dev/null | sed -n 's/^Showing nodes accounting for .* of \([0-9]*\)ns total$/\1/p'
}

truth() { # CPU time that the program printed: its own and that of its children
	awk '{ print $1 + $2 }' out
}

run_followed() { # COMMAND...: with its children, and what cpa says in err
	rm -f p*.pb.gz
	"$CPA" run --follow --cpu=p.pb.gz -- "$@" >out 2>err
}

said() { # the numbers of the summary: sampled, total, processes
	sed -n 's/^cpa: sampled \([0-9.e-]*\) of \([0-9.e-]*\) s of CPU time in \([0-9]*\) process.*/\1 \2 \3/p' err
}

for mode in forked killed; do
	run_followed ./short $mode 60 3
	within "$(all p*.pb.gz)" "$(truth)" 5 "$mode: the time of processes shorter than a period is in the profile"
	within "$(said | awk '{ print $2 * 1e9 }')" "$(truth)" 5 "$mode: the summary has the CPU time of all processes"
done
run_followed ./short forked 60 3
is "$(said | cut -d' ' -f3)" 61 'children of fork without a sample are counted'
between "$("$CPA" top -cum -unit=ns -nodefraction=0 p.pb.gz 2>/dev/null | awk '$6 == "short" { print $4 }' | tr -d ns)" \
	1000000 240000000 'CPU time without a sample has the name of the program'

run 100 ./short threads 100 3
within "$(total p.pb.gz)" "$(truth)" 5 'the time of threads shorter than a period is in the profile'
for ms in 1 4 25 103; do
	run 10 ./short self $ms
	within "$(total p.pb.gz)" "$(truth)" "$(awk -v ms=$ms 'BEGIN { print 3 + 60 / ms }')" \
		"a process of $ms ms has its CPU time, not a multiple of the period"
done
# the mean of many processes, each shorter than a period, is unbiased: each is not sampled, or scaled to its time
run_followed sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do ./short self 5; done' # ends by exit
within "$(all p*.pb.gz)" "$(said | awk '{ print $2 * 1e9 }')" 2 'a shell loop of short programs is accounted for'
between "$(said | awk '{ print $2 }')" 0.1 0.4 'the programs of a shell loop are counted from their exec'
is "$(grep -c '^cpa: sampled ' err)" 1 'the end of a recording is one line'
run 100 ./short self 20
is "$(cat err)" '' '--quiet prints no summary'
"$CPA" record -o r.pb.gz --top=0 -- ./short self 300 >out 2>err
between "$(said | awk '{ print $1 / $2 }')" 0.9 1 'cpa record prints how much was sampled'
within "$(total r.pb.gz)" "$(truth)" 3 'the file of cpa record has the CPU time of the program'
is "$(sed -n 's/^cpa: sampled .* in 1 process, \(.*\) % complete$/\1/p' err)" 100 'the summary has the share of complete stacks'
done_testing
