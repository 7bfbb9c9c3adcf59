#!/bin/sh
# t107-own.t - CPU time of the library itself is attributed to the functions that called it
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"

cat >own.c <<'EOF'
#include <stdlib.h>
#include <time.h>
__attribute__((noinline)) void take_and_give(void) { free(*(void *volatile[]){ malloc(40) }); }
int main(void)
{
	while (clock() < 3 * CLOCKS_PER_SEC / 2)
		for (int i = 0; i < 10000; i++)
			take_and_give();
}
EOF
${CC:-cc} -O1 -g -fno-builtin -o own own.c || {
	echo '1..0 # SKIP no compiler'
	exit 0
}

"$CPA" run --quiet --hz=1000 --cpu=p.pb.gz --heap=h.pb.gz -- ./own 2>err
is "$? $(cat err)" '0 ' 'the program runs'
leaves() { # FILE: functions with flat time
	"$CPA" top -nodecount=0 -trim=false "$1" 2>/dev/null | awk 'f && $1 != "0" { print $6 } /flat%/ { f = 1 }'
}
is "$(leaves p.pb.gz | grep 'cpi_\|cpa_')" '' 'no function of the library has flat time'
within "$(share p.pb.gz take_and_give)" "$(total p.pb.gz)" 10 'the time of the library is attributed to the calling function'
agree 'pprof sees the same total'

# stripped, as installed
mkdir -p bin/libcpaprof
cp "$CPA" bin/cpa
objcopy --strip-all "$(dirname "$CPA")/libcpaprof/libcpaprof.so" bin/libcpaprof/libcpaprof.so
bin/cpa run --quiet --hz=1000 --cpu=p.pb.gz --heap=h.pb.gz -- ./own 2>err
is "$? $(cat err)" '0 ' 'the program runs with a stripped library'
is "$(leaves p.pb.gz | grep 'cpaprof\|cpi_\|cpa_')" '' 'no code of the stripped library has flat time'
within "$(share p.pb.gz take_and_give)" "$(total p.pb.gz)" 10 'the time of the stripped library is attributed to the caller'

# functions of the library that the program calls itself are part of its profile
cat >api.c <<'EOF'
#include <cpa/pprof.h>
#include <time.h>
int main(void)
{
	while (clock() < CLOCKS_PER_SEC)
		for (int i = 0; i < 100; i++)
			cpa_profile_write_path(cpa_profile_lookup("heap"), 0, "/no/such/folder/heap.pb.gz", 0);
}
EOF
built=$(dirname "$CPA")/libcpaprof
if ${CC:-cc} -O1 -g -I"$top_srcdir/src/libcpaprof/api" -o api api.c -L"$built" -Wl,-rpath,"$built" -lcpaprof; then
	"$CPA" run --quiet --hz=1000 --cpu=p.pb.gz -- ./api 2>err
	is "$? $(cat err)" '0 ' 'a program that calls the library runs'
	is "$(leaves p.pb.gz | grep -c '^cpa_profile_write_path$')" 1 'a function of the library that the program calls has flat time'
	is "$(leaves p.pb.gz | grep 'cpi_\|out_path')" '' 'functions that a called library function calls have no flat time'
fi
done_testing
