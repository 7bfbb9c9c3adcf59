#!/bin/sh
# t350-heap-run.t - pprof and cpa read the same values from heap profiles of cpa run
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
. "${top_srcdir:?}/tests/runtime/heap.sh"
compile_c heap_exact.cc exact
compile_c heap_load.c load

numbers() { # TOOL INDEX: "FUNCTION NUMBER" of h.pb.gz, cumulated, without units
	case $2 in *space) unit=bytes ;; *) unit=count ;; esac
	case $1 in cpa) tool=$CPA ;; *) tool='go tool pprof' ;; esac
	# shellcheck disable=SC2086 # a command line
	$tool -top -unit=$unit -nodecount=0 -nodefraction=0 -sample_index="$2" h.pb.gz 2>/dev/null |
		awk '$6 ~ /^a_/ { sub(/B$/, "", $4); sub(/\(\)$/, "", $6); print $6, $4 }'
}

tools=cpa
command -v go >/dev/null && tools='cpa pprof'

"$CPA" run --quiet --heap-rate=1 --heap=h.pb.gz -- ./exact >out 2>err
is "$?" 0 'cpa run succeeds'
column=2
for index in alloc_objects alloc_space inuse_objects inuse_space; do
	# below functions that throw or start threads, libraries allocate, too
	grep '^a_' out | cut -d ' ' -f 1,$column | grep -v '_throws\|_other_thread' | grep -v ' 0$' | sort >truth
	for tool in $tools; do
		numbers "$tool" "$index" | grep -v '_throws\|_other_thread' | grep -v ' 0$' | sort >got
		diff truth got >wrong
		same=$?
		sed 's/^/# /' wrong
		ok $same "$tool reports the exact $index of every function"
	done
	column=$((column + 1))
done
is "$("$CPA" top -sample_index=alloc_objects h.pb.gz 2>/dev/null | grep -c 'operator new')" 0 \
	'operator new is not shown'
cat >keeps.cc <<'EOF'
#include <cstdlib>
#include <map>
#include <memory>
#include <vector>
__attribute__((noinline)) void a_vector(std::vector<int> &v) { v.resize(100000); v[0] = 1; }
__attribute__((noinline)) void a_map(std::map<int, int> &m) { for (int i = 0; i < 1000; i++) m[i] = i; }
__attribute__((noinline)) void a_shared(std::shared_ptr<int> &p) { p = std::make_shared<int>(1); }
int main() { std::vector<int> v; std::map<int, int> m; std::shared_ptr<int> p; a_vector(v); a_map(m); a_shared(p); _Exit(v[0] + m[0]); }
EOF
for level in 0 2; do
	rm -f h.pb.gz
	c++ -O$level -g -o keeps keeps.cc && "$CPA" run --quiet --symbolize --heap-rate=1 --heap=h.pb.gz -- ./keeps >out 2>err
	for tool in $tools; do
		is "$(numbers "$tool" inuse_objects | sort | tr '\n' ' ')" 'a_map 1000 a_shared 1 a_vector 1 ' "$tool: containers at -O$level"
		case $tool in cpa) t=$CPA ;; *) t='go tool pprof' ;; esac
		is "$($t -top -nodecount=0 -nodefraction=0 h.pb.gz 2>/dev/null | grep -c 'allocator\|allocate\|operator new')" 0 \
			"$tool: memory is attributed to containers, not to their allocators"
	done
done
"$CPA" run --quiet --heap-rate=1 --heap=h.pb.gz -- ./exact >out 2>err
"$CPA" raw h.pb.gz 2>/dev/null | grep -q 'bytes:\[500000\]'
ok $? 'samples have the size of their objects as a label'

"$CPA" run --quiet --heap-rate=1 --allocs=h.pb.gz -- ./exact >out 2>err
is "$("$CPA" top h.pb.gz 2>/dev/null | sed -n 's/^Type: //p')" alloc_space 'the default sample type of allocs is alloc_space'

for how in kill _exit; do
	case $how in kill) end='kill -KILL $$' ;; *) end='exit 5' ;; esac
	"$CPA" run --quiet --heap-rate=1 --heap=h.pb.gz -- sh -c "for i in 1 2 3; do x=\$x\$i\$i; done; sleep 0.3; $end" >out 2>err
	between "$("$CPA" top -unit=count -sample_index=alloc_objects h.pb.gz 2>/dev/null |
		sed -n 's/.* of \([0-9]*\) total$/\1/p')" 5 100000 "a profile is written after $how"
done

for other in libtcmalloc.so.4 libjemalloc.so.2; do
	if ! LD_PRELOAD=$other ./load line 1 2>&1 | grep -q 'cannot be preloaded'; then
		LD_PRELOAD=$other "$CPA" run --quiet --heap-rate=1 --heap=h.pb.gz -- ./exact those >out 2>err
		is "$? $(numbers cpa alloc_space | sed -n 's/^a_new //p')" '0 89' "a preloaded $other is profiled"
	else
		count=$((count + 1))
		echo "ok $count - a preloaded $other is profiled # SKIP it is not installed"
	fi
done
echo 'int nothing;' >nothing.c
${CC:-cc} -shared -fPIC -o nothing.so nothing.c
"$CPA" run --quiet --heap-rate=1 --heap=h.pb.gz -- ./load deepbind ./nothing.so >out 2>err
"$CPA" comments h.pb.gz | grep -q '^heap: incomplete, .*RTLD_DEEPBIND'
ok $? 'an incomplete profile explains why'
done_testing
