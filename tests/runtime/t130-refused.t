#!/bin/sh
# t130-refused.t - programs that cannot be profiled are refused with a message
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile burn

refused() { # NAME SENTENCE COMMAND...
	name=$1 sentence=$2
	shift 2
	run 100 "$@"
	is "$status $(cat err)" "2 $sentence" "$name is refused"
	is "$(cat out)" '' 'a refused program is not run'
}

${CC:-cc} -static -O1 -o burn-static "$top_srcdir/tests/runtime/burn.c" -pthread 2>cc || : >burn-static
refused 'a static program' 'cpa: ./burn-static: cannot load the library of cpa into a statically linked program; use cpa record, or cpa record -p PID while it runs' \
	./burn-static 0.1
printf '\177ELF\002\001\001\000\000\000\000\000\000\000\000\000\002\000\050\000' >other
chmod +x other
refused 'a program for another machine' 'cpa: ./other: cannot profile a program for a different architecture' ./other
refused 'a program that does not exist' 'cpa: no-such-program: no such program' no-such-program
sed 's/ld-linux-/ld-xxxxx-/' burn >foreign
chmod +x foreign
refused 'a program of another C library' \
	"cpa: ./foreign: cannot load the library of cpa into a program with a different C library ($(readelf -lW foreign | sed -n 's/.*interpreter: \(.*\)]/\1/p')); use cpa record, or cpa record -p PID while it runs" \
	./foreign
cp burn go && objcopy --add-section .go.buildinfo=/etc/hostname go
refused 'a Go program' 'cpa: ./go: cannot load the library of cpa into a Go program; use cpa record, or cpa record -p PID while it runs, or its own profiles: import net/http/pprof, then cpa top HOST:PORT' \
	./go 0.1
if [ "$(id -u)" = 0 ]; then
	cp burn rights && chown nobody rights && chmod 4755 rights
	refused 'a set-user-ID program' \
		'cpa: ./rights: cannot load the library of cpa into a program with setuid, setgid or capabilities; profile a copy without them, or start it, then as root cpa record -p PID' \
		./rights 0.1
fi
printf '#!%s/burn-static\n' "$tmp" >static-script
chmod +x static-script
refused 'a script with a static interpreter' \
	"cpa: $tmp/burn-static: cannot load the library of cpa into a statically linked program; use cpa record, or cpa record -p PID while it runs" \
	./static-script
run 1001 ./burn 0.1
is "$status $(cat err)" '2 cpa: --hz must be 1 to 1000' 'a rate that is too high is refused'
printf 'exit 4\n' >script
chmod +x script
run 100 ./script
is "$status" 4 'a script without #! is run by sh'
for compiler in gcc clang; do
	command -v $compiler >/dev/null || continue
	for sanitizer in address thread memory leak; do
		name="a program with the $sanitizer sanitizer of $compiler"
		if ! $compiler -fsanitize=$sanitizer -O1 -g -o sane "$top_srcdir/tests/runtime/burn.c" -pthread 2>cc ||
			! ./sane 0.1 >out; then
			ok 0 "$name # SKIP it does not run here"
			continue
		fi
		run 1000 ./sane 1 # the last ticks, up to 16 ms on a busy machine, are below 3 %
		is "$status $(cat err)" '0 ' "$name runs"
		within "$(total p.pb.gz)" "$(cat out)" 3 'a program with a sanitizer is profiled'
	done
done
printf '#include <stddef.h>\nstatic char room[1 << 20]; static size_t n;\nvoid *malloc(size_t k) { n += (k + 15) & ~15ul; return room + n - k; }\nvoid free(void *p) { (void)p; }\nint main(void) { return malloc(5) == 0; }\n' >own.c
${CC:-cc} -O0 -rdynamic -o own own.c 2>/dev/null
"$CPA" run --quiet --heap=h.pb.gz -- ./own >out 2>err
is "$? $(cat err)" '2 cpa: ./own: no heap profile, because the program contains malloc; link it as a shared library' \
	'a heap profile of a program with its own malloc is refused'
"$CPA" run --quiet --heap=h.pb.gz --cpu=p.pb.gz -- ./own >out 2>err
is "$? $(cat err) $(ls p.pb.gz)" '0 cpa: ./own: no heap profile, because the program contains malloc; link it as a shared library p.pb.gz' \
	'a program with its own malloc still gets a CPU profile'
done_testing
