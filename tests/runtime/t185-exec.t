#!/bin/sh
# t185-exec.t - programs executed by a profiled program run the same as without cpa, or are profiled
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
built=$here/${top_builddir:-.}
case ${top_builddir:-.} in /*) built=$top_builddir ;; esac
library=$built/src/libcpaprof/libcpaprof.so
compile exec

same() { # NAME OPTIONS COMMAND...: compare output and status with a run without cpa
	name=$1 options=$2
	shift 2
	"$@" >alone 2>&1
	echo "status $?" >>alone
	# shellcheck disable=SC2086 # words
	"$CPA" run --quiet $options --cpu=p.pb.gz -- "$@" >both 2>&1
	echo "status $?" >>both
	# with --follow=all cpa reports the programs that cannot be profiled
	grep -v '^cpa: programs without a profile: [0-9]*, because they cannot load ' both >out
	rm -f p*.pb.gz
	sort -o alone alone
	sort -o out out
	cmp -s alone out
	alike=$?
	[ $alike = 0 ] || diff alone out | sed 's/^/# /'
	ok $alike "$name"
}

skip() { # WHY NAME
	count=$((count + 1))
	echo "ok $count - $2 # SKIP $1"
}

mkdir folder bin
cp exec bin/there
printf '#!./exec environment\n' >script
echo "echo \"\$0 \$*\"" >plain
printf '#!/nowhere/interpreter\n' >lost
printf '\177ELF not at all' >odd
: >empty
cp exec denied
chmod +x script plain lost odd empty
chmod -x denied
echo ':' >bin/denied
cp exec interpreter
exec_ways='execve execv execvp execvpe execl execlp execle fexecve execveat execveat-file'

# each way is used in a child, because the main process stays profiled through exec
for way in $exec_ways; do
	same "the program that a child executes by $way finds the same environment as without cpa" '' ./exec "fork-$way" ./exec environment
done
for way in spawn spawnp vfork-execve vfork-execlp; do
	same "a child started by $way finds the same environment as without cpa" '' ./exec $way ./exec environment
done
same 'a script in a child finds the same environment as without cpa' '' ./exec spawn ./script
# shellcheck disable=SC2016 # for that shell
same 'system and popen work the same as without cpa' '' sh -c './exec environment; x=$(./exec environment); echo "$x"'
LD_PRELOAD=libm.so.6
export LD_PRELOAD
same 'a library preloaded by the user is also preloaded in children' '' ./exec fork-execv ./exec environment
unset LD_PRELOAD
# shellcheck disable=SC2046 # words
same 'a child gets all of 3000 variables' '' env $(seq -f 'v%.0f=1' 3000) \
	./exec vfork-execv ./exec environment

for what in nowhere folder denied odd empty lost plain exec/x; do
	for options in '' --follow=all; do
		same "exec of $what fails the same as without cpa $options" "$options" sh -c "
			for way in $exec_ways; do
				./exec \$way ./$what; ./exec vfork-\$way ./$what; ./exec thread-\$way ./$what
			done
			./exec spawn ./$what; ./exec spawnp ./$what" </dev/null
	done
done
for what in there denied nowhere; do
	# shellcheck disable=SC2016
	same "the search in PATH ($what) works the same as without cpa" '' env PATH="/nowhere:$tmp/folder::$tmp/bin" \
		./exec fork-execvp $what environment
done

# programs that cannot load our library run the same as without cpa, even if all programs are followed
cat >hello.c <<-'END'
	#include <stdio.h>
	#include <stdlib.h>
	int main(void) { printf("%s %s\n", getenv("LD_PRELOAD") ? "preloaded" : "alone", getenv("CPA_SEGMENT") ? "followed" : ""); return 5; }
END
cat >small.c <<-'END'
	static int call(int n, int a, const void *b, int c)
	{
		int rc;
		__asm__ volatile("int $0x80" : "=a"(rc) : "a"(n), "b"(a), "c"(b), "d"(c) : "memory");
		return rc;
	}
	void begin(char **at) __asm__("begin");
	void begin(char **at)
	{
		for (at += (int)(long)*at + 2; *at; at++)
			if ((*at)[0] == 'L' && (*at)[1] == 'D' && (*at)[2] == '_')
				call(4, 1, "preloaded\n", 10);
		call(4, 1, "small\n", 6);
		call(1, 5, 0, 0);
	}
	__asm__(".globl _start\n_start:\nmov %esp, %eax\npush %eax\ncall begin\n");
END
others() { # NAME PROGRAM
	for options in --follow=none --follow=all; do
		for way in execve fork-execvp vfork-execl spawn spawnp thread-execv fexecve; do
			same "$1 runs the same as without cpa by $way $options" "$options" ./exec $way "$2"
		done
	done
}
if command -v musl-gcc >/dev/null && musl-gcc -o hello_musl hello.c; then
	others 'a program with another C library' ./hello_musl
	printf '#!%s\n' "$tmp/hello_musl" >script_musl
	chmod +x script_musl
	others 'a script for a program with another C library' ./script_musl
else
	skip 'musl-gcc not found' 'a program with another C library runs the same as without cpa'
fi
if ${CC:-cc} -static -o hello_static hello.c 2>/dev/null; then
	others 'a static program' ./hello_static
else
	skip 'no static C library' 'a static program runs the same as without cpa'
fi
if ${CC:-cc} -m32 -nostdlib -static -fno-pie -no-pie -fno-stack-protector -fcf-protection=none -o small small.c 2>/dev/null &&
	[ "$(./small 2>/dev/null)" ]; then
	others 'a 32-bit program' ./small
else
	skip 'no 32-bit program runs here' 'a 32-bit program runs the same as without cpa'
fi
cat >note.c <<-'END'
	__asm__(".section .note.go.buildid, \"a\", %note\n.balign 4\n.long 4, 4, 4\n.asciz \"Go\\0\"\n.ascii \"abcd\"\n");
END
${CC:-cc} -o hello_go hello.c note.c
others 'a program written in Go' ./hello_go
cp exec with_rights
if [ "$(id -u)" = 0 ] && chown 65534 with_rights && chmod 4755 with_rights; then
	same 'a setuid program runs the same as without cpa' --follow=all ./exec fork-execv ./with_rights environment
else
	skip 'not root' 'a setuid program runs the same as without cpa'
fi

# one cpa run started by another: each writes its own profile
cp exec followed
"$CPA" run --quiet --cpu=outer.pb.gz -- "$CPA" run --quiet --hz=1000 --cpu=inner.pb.gz -- ./exec burn 0.2 spawn ./exec environment >out 2>err
within "$(total inner.pb.gz)" 400000000 5 'cpa run profiles its program even if cpa itself is profiled'

# followed programs
rm -f ./*.pb.gz
"$CPA" run --quiet --follow=all --hz=1000 --cpu=p-%p.pb.gz -- ./exec burn 0.2 vfork-execv ./exec burn 0.3 execvp sh -c './exec burn 0.3 spawn ./nowhere; :' >out 2>err
sum=0
for file in p-*.pb.gz; do
	sum=$((sum + $(total "$file" || echo 0)))
done
within $sum 1300000000 5 'the profiles of followed programs contain all of their time'

# profiles enabled by the environment
rm -f ./*.pb.gz
export CPA_CPUPROFILE=c.pb.gz CPA_CPU_HZ=1000
LD_PRELOAD=$library ./exec burn 0.8 execv ./exec burn 0.2 execv ./exec environment >out 2>err
within "$(total c.pb.gz)" 800000000 5 'a program writes its profile before it executes another program'
one=$(find . -name 'c-*.pb.gz' ! -name 'c-*-2.pb.gz')
within "$(total "$one")" 200000000 5 'the executed program writes its own file'
is "$(cat err)" '' 'profiles of both programs are written without a message'
rm -f ./*.pb.gz
${CC:-cc} -o lost hello.c -Wl,-dynamic-linker=/nowhere/ld-linux.so
LD_PRELOAD=$library ./exec burn 0.3 execv ./lost >out 2>err
is "$(cat out err)" 'No such file or directory' 'a program continues after a failed exec'
within "$(total c.pb.gz)" 600000000 5 'the profile of a program with a failed exec is complete'
unset CPA_CPUPROFILE CPA_CPU_HZ
CPA_HEAPPROFILE=h.pb.gz CPA_HEAP_RATE=1 LD_PRELOAD=$library ./exec burn 0.1 execv ./lost >out 2>err
is "$(cat out err) $(files 'h*.pb.gz')" 'No such file or directory h.pb.gz ' 'a program with a failed exec writes one heap profile'
CPA_HEAPPROFILE='h-%p.pb.gz' CPA_HEAP_RATE=1 LD_PRELOAD=$library ./exec burn 0.1 execv ./exec environment >out 2>err
is "$(files 'h-*.pb.gz' | wc -w) $(cat err)" '2 ' 'the programs before and after an exec have a heap profile each'
done_testing
