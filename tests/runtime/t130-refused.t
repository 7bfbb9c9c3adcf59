#!/bin/sh
# t130-refused.t - what cannot be profiled is refused in a sentence
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile burn

refused() { # NAME SENTENCE COMMAND...
	name=$1 sentence=$2
	shift 2
	run 100 "$@"
	is "$status $(cat err)" "2 $sentence" "$name"
	is "$(cat out)" '' 'and nothing is run'
}

${CC:-cc} -static -O1 -o burn-static "$top_srcdir/tests/runtime/burn.c" -pthread 2>cc || : >burn-static
refused 'a static program' 'cpa: ./burn-static is linked statically, so no library can be loaded into it to profile it' \
	./burn-static 0.1
printf '\177ELF\002\001\001\000\000\000\000\000\000\000\000\000\002\000\050\000' >other
chmod +x other
refused 'a program of another machine' 'cpa: ./other is for another kind of machine than cpa, so it cannot be profiled' ./other
refused 'a program that is not there' 'cpa: no-such-program: no such program' no-such-program
sed 's/ld-linux-/ld-xxxxx-/' burn >foreign
chmod +x foreign
refused 'a program of another C library' \
	"cpa: ./foreign is of another C library ($(readelf -lW foreign | sed -n 's/.*interpreter: \(.*\)]/\1/p')) than cpa, so it cannot be profiled" \
	./foreign
run 1001 ./burn 0.1
is "$status $(cat err)" '2 cpa: --hz: from 1 to 1000 samples per second' 'a rate that is too high'
printf 'exit 4\n' >script
chmod +x script
run 100 ./script
is "$status" 4 'a script without a first line is run by sh'
for sanitizer in address thread; do
	if ${CC:-cc} -fsanitize=$sanitizer -O1 -g -o sane "$top_srcdir/tests/runtime/burn.c" -pthread 2>cc && ./sane 0.1 >out; then
		run 1000 ./sane 0.5
		is "$status $(cat err)" '0 ' "a program with the $sanitizer sanitizer runs"
		within "$(total p.pb.gz)" "$(cat out)" 3 'and is profiled'
	fi
done
done_testing
