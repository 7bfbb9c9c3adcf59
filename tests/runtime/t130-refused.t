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
refused 'a static program' 'cpa: ./burn-static is linked statically, so no library can be loaded into it to profile it; link it without -static' \
	./burn-static 0.1
printf '\177ELF\002\001\001\000\000\000\000\000\000\000\000\000\002\000\050\000' >other
chmod +x other
refused 'a program of another machine' 'cpa: ./other is for another kind of machine than cpa, so it cannot be profiled' ./other
refused 'a program that is not there' 'cpa: no-such-program: no such program' no-such-program
sed 's/ld-linux-/ld-xxxxx-/' burn >foreign
chmod +x foreign
refused 'a program of another C library' \
	"cpa: ./foreign is of another C library ($(readelf -lW foreign | sed -n 's/.*interpreter: \(.*\)]/\1/p')) than cpa, so it cannot be profiled; build it for that of cpa" \
	./foreign
cp burn go && objcopy --add-section .go.buildinfo=/etc/hostname go
refused 'a Go program' 'cpa: ./go is a Go program, whose runtime keeps the signals to itself; it has profiles of its own: import net/http/pprof, then cpa top HOST:PORT' \
	./go 0.1
if [ "$(id -u)" = 0 ]; then
	cp burn rights && chown nobody rights && chmod 4755 rights
	refused 'a program with rights of another user' \
		'cpa: ./rights runs with rights that you do not have, so it cannot be profiled; profile a copy without them' \
		./rights 0.1
fi
printf '#!%s/burn-static\n' "$tmp" >static-script
chmod +x static-script
refused 'a script of a static program' \
	"cpa: $tmp/burn-static is linked statically, so no library can be loaded into it to profile it; link it without -static" \
	./static-script
run 1001 ./burn 0.1
is "$status $(cat err)" '2 cpa: --hz: from 1 to 1000 samples per second' 'a rate that is too high'
printf 'exit 4\n' >script
chmod +x script
run 100 ./script
is "$status" 4 'a script without a first line is run by sh'
for compiler in gcc clang; do
	command -v $compiler >/dev/null || continue
	for sanitizer in address thread memory leak; do
		name="a program with the $sanitizer sanitizer of $compiler"
		if ! $compiler -fsanitize=$sanitizer -O1 -g -o sane "$top_srcdir/tests/runtime/burn.c" -pthread 2>cc ||
			! ./sane 0.1 >out; then
			ok 0 "$name # SKIP it does not run here"
			continue
		fi
		run 1000 ./sane 0.5
		is "$status $(cat err)" '0 ' "$name runs"
		within "$(total p.pb.gz)" "$(cat out)" 3 'and is profiled'
	done
done
printf '#include <stddef.h>\nstatic char room[1 << 20]; static size_t n;\nvoid *malloc(size_t k) { n += (k + 15) & ~15ul; return room + n - k; }\nvoid free(void *p) { (void)p; }\nint main(void) { return malloc(5) == 0; }\n' >own.c
${CC:-cc} -O0 -rdynamic -o own own.c 2>/dev/null
"$CPA" run --heap=h.pb.gz -- ./own >out 2>err
is "$? $(cat err)" '2 cpa: ./own brings a malloc of its own, so there is no heap profile of it; link that as a shared library' \
	'the heap of a program with a malloc of its own'
"$CPA" run --heap=h.pb.gz --cpu=p.pb.gz -- ./own >out 2>err
is "$? $(cat err) $(ls p.pb.gz)" '0 cpa: ./own brings a malloc of its own, so there is no heap profile of it; link that as a shared library p.pb.gz' \
	'but its CPU time can be had'
done_testing
