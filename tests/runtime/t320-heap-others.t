#!/bin/sh
# t320-heap-others.t - objects of other allocators are counted, or reported as not measurable
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
. "${top_srcdir:?}/tests/runtime/heap.sh"
compile_c heap_exact.cc exact
compile_c heap_load.c load

find_library() { # NAME: its path, or nothing
	for folder in /usr/lib/*-linux-gnu /usr/lib64 /usr/lib; do
		[ -e "$folder/$1" ] && echo "$folder/$1" && return
	done
}

skip() { # N NAME
	for i in $(seq "$1"); do
		count=$((count + 1))
		echo "ok $count - $i of $2 # SKIP $2 is not installed"
	done
}

# bits of enum proc_heap
foreign=2 deepbind=8

for other in libtcmalloc.so.4 libtcmalloc_minimal.so.4 libjemalloc.so.2; do
	path=$(find_library $other)
	[ "$path" ] || { skip 7 $other; continue; }
	case $other in libje*) without=those ;; *) without= ;; esac
	# shellcheck disable=SC2086 # an argument or none
	LD_PRELOAD=$path ./exact $without >alone
	export LD_PRELOAD="$path"
	# shellcheck disable=SC2086 # an argument or none
	heap 1 exact $without
	is "$status $(grep '^a_' out)" "0 $(cat alone)" "$other loaded after the library works"
	is "$(fact reported)" 0 'the heap of an allocator loaded after the library can be profiled'
	exact 'the counts of an allocator loaded after the library are exact, also those of operator new'
	between "$(grep -c '^a_' alone)" 20 22 'a program with another allocator makes all calls'
	library=+$library
	# shellcheck disable=SC2086 # an argument or none
	heap 1 exact $without
	is "$status $(grep '^a_' out)" "0 $(cat alone)" "$other loaded before the library works"
	is "$(fact reported) $(grep -c '^row' out)" "$foreign 0" 'a heap profile that is missing because another allocator is loaded first is reported'
	library=${library#+}
	heap 4096 load threads 1
	is "$status $(seen a_thread | cut -d ' ' -f 3-)" '0 0 0' 'threads that free objects of each other leave none in use'
	unset LD_PRELOAD
done

# the program's own malloc
cat >own.c <<'END'
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static _Alignas(16) char memory[8 << 20];
static size_t used;
void *malloc(size_t n) { void *p = memory + used; used += (n + 31) / 16 * 16; return p; }
void free(void *p) { (void)p; }
void *calloc(size_t n, size_t m) { return memset(malloc(n * m), 0, n * m); }
void *realloc(void *p, size_t n) { void *q = malloc(n); if (p) memcpy(q, p, n); return q; }
int main(void) { for (int i = 0; i < 100; i++) free(strdup("text")); puts("done"); return 3; }
END
${CC:-cc} -O1 -w -fno-builtin -o own own.c
nm own >own.names
heap 1 own
is "$status $(grep -v '^process' out)" '3 done' 'a program with its own malloc runs'
is "$(fact reported)" $foreign 'a heap profile that is missing because the program has its own malloc is reported'

# in a non-PIE program the address of malloc is in the program
cat >address.c <<'END'
#include <stdlib.h>
static void *(*volatile get)(size_t) = malloc;
__attribute__((noinline)) void a_get(void) { get(1000); __asm__ volatile(""); }
int main(void) { a_get(); return get == malloc ? 0 : 1; }
END
${CC:-cc} -O1 -w -fno-builtin -no-pie -fno-pic -o address address.c
nm address >address.names
heap 1 address
is "$status $(fact reported) $(seen a_get)" '0 0 1 1000 1 1000' 'a program that takes the address of malloc has a heap profile'

# RTLD_DEEPBIND bypasses our malloc
echo 'int nothing;' >nothing.c
${CC:-cc} -shared -fPIC -o nothing.so nothing.c
heap 1 load deepbind ./nothing.so
is "$status $(grep loaded out)" '0 loaded 1' 'a library is loaded with RTLD_DEEPBIND'
is "$(fact reported)" $deepbind 'a library loaded with RTLD_DEEPBIND is reported'
exact 'objects of a library loaded with RTLD_DEEPBIND are not counted'

# a C++ plugin of a C program: there is no operator new after ours
cat >plugin.cc <<'END'
#include <new>
#include <stdexcept>
static const volatile unsigned long most = 1UL << 62;
extern "C" __attribute__((noinline)) int a_plugin()
{
	int caught = 0;
	for (int i = 0; i < 10; i++) { int *p = new int[4]; __asm__ volatile("" : : "r"(p)); if (i % 2) delete[] p; }
	try { (void)operator new(most); } catch (const std::bad_alloc &) { caught++; }
	try { throw std::runtime_error("x"); } catch (const std::exception &) { caught++; }
	return caught;
}
END
cat >host.c <<'END'
#include <dlfcn.h>
int main(int argc, char **argv) { void *h = dlopen(argv[1], RTLD_NOW); int (*f)(void); (void)argc;
	if (!h || !(f = (int (*)(void))dlsym(h, "a_plugin"))) return 99; return f(); }
END
${CC:-cc} -O1 -no-pie -o host host.c -ldl
nm host >host.names
for how in -shared-libgcc '-static-libstdc++ -static-libgcc'; do
	# shellcheck disable=SC2086 # options
	${CXX:-c++} -O1 -w -fno-builtin -shared -fPIC $how -o plugin.so plugin.cc
	heap 1 host ./plugin.so
	is "$status" 2 "a C program with a C++ plugin, $how, allocates and throws"
	between "$(awk '$1 == "row" && $3 / $2 == 16 { n += $2 } END { print n }' out)" 10 30 'the objects of a C++ plugin are counted'
done
done_testing
