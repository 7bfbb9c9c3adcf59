#!/bin/sh
# t112-blocked.t - a thread whose signal stays blocked is noticed; leaving a handler by longjmp does not block it
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile short
blocked='[cpa: signal blocked]'

run 100 ./short jump 65536 600
within "$(share p.pb.gz after)" 600000000 6 'after longjmp out of a handler on a large alternate stack sampling continues'
is "$(share p.pb.gz "$blocked")" '' 'no time is charged to a blocked signal then'
run 100 ./short jump 16384 600
within "$(share p.pb.gz after)" 600000000 6 'the same with an alternate stack of 16 KiB, as in Ruby'

# a small stack has no room for two signal frames
run 100 ./short jump 4096 600
within "$(share p.pb.gz "$blocked")" 600000000 6 'with a small alternate stack the time is charged to a blocked signal'
between "$(share p.pb.gz spin)" 0 160000000 'no stack gets the time of the blocked signal'
run 100 ./short wait 4096 2000
between "$(share p.pb.gz "$blocked")" 1500000000 2100000000 'a blocked signal is noticed even if the program is killed'
within "$(total p.pb.gz)" "$(awk '{ print $1 }' out)" 3 'the total of a killed program is its CPU time'
if command -v ruby >/dev/null; then
	cat >deep.rb <<'END'
def deep(n) = deep(n + 1)
def clock = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
3.times { begin; deep(0); rescue SystemStackError; end }
t = clock
x = 0
10_000.times { |i| x += i } while clock - t < 1
puts((clock * 1e9).to_i)
END
	run 100 ruby deep.rb
	is "$status" 0 'Ruby rescues SystemStackError'
	named=$(share p.pb.gz "$blocked")
	within "$(total p.pb.gz)" "$(cat out)" 10 'a Ruby program that rescued SystemStackError has all of its CPU time'
	between "${named:-0}" 0 100000000 'a Ruby program that rescued SystemStackError is sampled afterwards'
fi
done_testing
