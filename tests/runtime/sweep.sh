#!/bin/sh
# sweep.sh - programs of Debian behave the same under cpa run as without cpa
# SPDX-License-Identifier: Apache-2.0
#
# usage: CPA=... sweep.sh [-q]    -q: only quick programs
# Each command runs without cpa and with it, at 1000 Hz with all kinds of profiles, first with all programs that it
# starts: output, errors and exit status must be equal, and each profile readable. Then again with only the program
# itself. One TAP line per command.
# shellcheck disable=SC2016 # other programs expand these
. "${top_srcdir:?}/tests/runtime/lib.sh"
quick=${1:-}
skipped=

# Input data of the programs, equal in each run.
mkdir in home
export HOME="$tmp/home" TZ=UTC
awk 'BEGIN { srand(1); for (i = 0; i < 60000; i++) printf "%d,%s,%d\n", rand() * 1000000, substr("abcdefghijklmnopqrstuvwxyz", 1 + int(rand() * 20), 6), i }' >in/numbers
head -c 3000000 "$CPA" >in/binary
for i in 1 2 3 4 5 6; do
	printf '#include <stdio.h>\nint f%d(int n) { int s = 0; for (int i = 0; i < n; i++) s += i ^ %d; return s; }\n' $i $i >in/f$i.c
done
printf 'int main(void) { return 0; }\n' >in/main.c
printf 'all: f1.o f2.o f3.o f4.o f5.o f6.o\n%%.o: %%.c\n\t$(CC) -O2 -c -o $@ $<\n\tsha1sum $@\n' >in/Makefile
cat >in/threads.py <<'END'
import hashlib, os, queue, subprocess, threading
q, out = queue.Queue(), []
def work():
    while (item := q.get()) is not None:
        out.append((item, hashlib.sha256(b"%d" % item * 20000).hexdigest()[:8]))
threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads: t.start()
for i in range(60): q.put(i)
for t in threads: q.put(None)
for t in threads: t.join()
for i in range(3):
    if (pid := os.fork()) == 0:
        sum(range(200000)); os._exit(i)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
print(sorted(out)[:5], subprocess.run(["echo", "child"], capture_output=True).stdout)
try: open("/no/such")
except OSError as e: print(e)
END
cat >in/work.pl <<'END'
my %n; open my $f, "<", "in/numbers" or die; while (<$f>) { my @c = split /,/; $n{$c[1]} += $c[0]; }
print "$_ $n{$_}\n" for sort keys %n; $SIG{ALRM} = sub { print "alarm\n" }; alarm 1; select undef, undef, undef, 1.2;
my $pid = fork; if (!$pid) { exec "sh", "-c", "exit 5" } waitpid $pid, 0; print $? >> 8, "\n"; open(F, "/no/such") or print "$!\n";
END
cat >in/work.sh <<'END'
f() { local i s=0; for ((i = 0; i < 20000; i++)); do ((s += i)); done; echo $s; }
trap 'echo usr1' USR1; kill -USR1 $$; f; x=$(f | tr 0-9 a-j); echo $x; cat < <(echo sub) | sort; (exit 4); echo $?
sleep 5 & kill $!; wait $!; echo $?; ulimit -n; read -r -t 0.1 </dev/zero; echo $?; exec 9>&1; echo nine >&9
END
printf 'define f(n) { if (n < 2) return n; return f(n-1) + f(n-2); }\nf(18)\nscale=300\n4*a(1)\n' >in/work.bc
gzip -c in/numbers >in/numbers.gz

same_with() { # NAME OPTION...: run $command, then run it under cpa run with these options
	name=$1
	shift
	rm -rf work p && mkdir work p && cp -r in work
	(cd work && exec sh -c "$command") >got 2>got.err </dev/null
	got=$? # the shell here reports signals
	rm -rf work && mkdir work && cp -r in work
	(cd work && exec timeout 120 "$CPA" run --quiet --hz=1000 --cpu=../p/cpu-%p.pb.gz --heap=../p/heap-%p.pb.gz --heap-rate=64kB \
		--block=../p/block-%p.pb.gz --mutex=../p/mutex-%p.pb.gz --threadcreate=../p/create-%p.pb.gz "$@" \
		-- sh -c "$command") >prof 2>prof.err </dev/null
	prof=$?
	# ignore messages of cpa: scripts that execute static programs have no profile
	grep -v '^cpa: ' prof.err >prof.own
	cmp -s got prof && cmp -s got.err prof.own && [ $got = $prof ]
	same=$?
	if [ $same != 0 ]; then
		echo "# $command: status $got alone, $prof profiled"
		diff got prof | head -n 3 | sed 's/^/# /'
		diff got.err prof.own | head -n 5 | sed 's/^/# /'
	fi
	ok $same "$name"
	find p -name '*.pb.gz' | while read -r file; do
		"$CPA" raw -symbolize=none "$file" >/dev/null 2>bad || echo "$file: $(cat bad)"
	done >broken
	if [ -s broken ]; then
		sed 's/^/# /' broken | head -n 3
		ok 1 "$name: the profiles can be read"
	fi
	n_files=$((n_files + $(find p -name '*.pb.gz' | wc -l)))
}

n_files=0 n_commands=0
try() { # PROGRAM COMMAND: test a command line for sh if PROGRAM is installed
	command=$2
	if ! command -v "$1" >/dev/null; then
		skipped="$skipped $1"
		return
	fi
	n_commands=$((n_commands + 1))
	same_with "$1 $n_commands" --follow
	[ "$quick" = -q ] || same_with "$1 $n_commands alone"
}
# Long commands.
long() {
	[ "$quick" = -q ] || try "$@"
}

try sort 'exec sort -t, -k2,2 -k1,1n in/numbers'
try sort 'sort --parallel=4 -S 1M -n in/numbers | tail -n 5'
try gcc 'gcc -O2 -c -o x.o in/f1.c && sha1sum x.o; exec gcc -c in/none.c'
try xz 'xz -T2 -c in/binary | sha1sum; xz -dc in/numbers.gz'
try python3 'exec python3 in/threads.py'
try perl 'exec perl in/work.pl'
try awk 'exec awk -F, "{ n[\$2] += \$1 } END { for (k in n) print k, n[k] | \"sort\" }" in/numbers'
try tar 'tar cf x.tar --mtime=@0 in && tar tf x.tar | sort && sha1sum <x.tar; exec tar xf none.tar'
try gzip 'gzip -9c in/binary | gzip -dc | sha1sum; exec gzip -d in/binary'
try bzip2 'bzip2 -c in/binary | bzip2 -dc | sha1sum'
try zstd 'zstd -q -T2 -c in/binary | zstd -dc | sha1sum'
try find 'find in -type f -size +1 -exec md5sum {} + | sort; exec find /no/such'
try grep 'grep -cE "(a|b)c.*9$" in/numbers; exec grep x in/none'
try sed 'exec sed -nE "s/^([0-9]+),(.*)$/\2 \1/; 1,20p" in/numbers'
try bash 'exec bash in/work.sh'
try dash 'exec dash -c "sleep 5 & kill \$!; wait \$!; echo \$?; f() { f; }; kill -TERM \$\$"'
try make 'make -s -j2 -C in | sort; exec make -s -C in none'
try bc 'exec bc -l in/work.bc'
try git 'git init -q r && cd r && cp -r ../in . && git add . && GIT_AUTHOR_DATE=@1 GIT_COMMITTER_DATE=@1 git -c user.name=a -c user.email=a@b commit -qm x && git log --oneline --stat && git fsck; exec git show none'
try ssh 'exec ssh -V'
try ssh-keygen 'ssh-keygen -q -t ed25519 -N "" -f k && exec ssh-keygen -lf none'
try openssl 'openssl enc -aes-256-ctr -pass pass:x -nosalt -pbkdf2 -in in/binary | sha1sum; openssl x509 -in none 2>/dev/null'
try sqlite3 'exec sqlite3 :memory: "create table t(a,b); with recursive c(x) as (select 1 union all select x+1 from c where x<50000) insert into t select x, x*x%97 from c; select b, count(*) from t group by b limit 5; select * from none"'
try curl 'curl --version; exec curl -s http://127.0.0.1:9/'
try ld 'gcc -c -o m.o in/main.c && ld --version | head -n 1; exec ld -o x m.o none.o'
try as 'echo "f: ret" | as -o x.o - && sha1sum x.o; echo bad instruction | as -o y.o -'
try objdump 'objdump -d --no-show-raw-insn /bin/true | sha1sum'
try readelf 'exec readelf -aW /bin/true'
try nm 'exec nm -D /bin/bash'
try rsync 'rsync -a in/ out && find out | sort; exec rsync none out'
try jq 'exec jq -nc "[range(20000)] | map(. * . % 97) | group_by(.) | map(length)"'
try dd 'dd if=/dev/zero bs=64k count=200 status=none | md5sum; exec dd if=none status=none'
try screen 'exec screen -v'
try man 'exec man --version'
try node 'exec node -e "let s = 0; for (let i = 0; i < 3e6; i++) s += i % 7; console.log(s); setTimeout(() => process.exit(3), 50)"'
try diff 'exec diff in/f1.c in/f2.c'
try openssl 'exec openssl rand -hex 0'
try python3 'exec python3 -c "import signal, os, time; signal.signal(signal.SIGALRM, lambda *a: print(\"alarm\")); signal.setitimer(signal.ITIMER_REAL, .1); time.sleep(.3); os.abort()"'
try python3 'exec python3 -c "import multiprocessing as m; print(m.Pool(3).map(abs, range(-9, 9)))"'
try python3 'exec python3 -c "import ctypes; ctypes.string_at(0)"'
try file 'file -b in/numbers.gz /bin/true in/f1.c'
try xargs 'seq 200 | xargs -P 4 -n 20 sh -c "exit 0"; seq 3 | xargs sh -c "exit 9"'
try md5sum 'exec md5sum in/binary none'
try nohup 'nohup sh -c "kill -HUP \$\$; echo here"'
try setsid 'setsid -w sh -c "exit 6"'
try env 'exec env -i /bin/sh -c "env | grep -c CPA; exit 8"'
try timeout 'exec timeout -s KILL 0.2 sleep 5'
try nice 'exec nice -n 5 sh -c "ps -o ni= -p \$\$ 2>/dev/null || echo 5"'
try busybox 'busybox echo static'
long openssl 'openssl speed -seconds 1 -bytes 1024 sha256 2>/dev/null | grep -c sha256'
long clang 'clang -O2 -c -o x.o in/f2.c && sha1sum x.o; exec clang -c in/none.c'
long cmake 'cmake --version | head -n 1; exec cmake -P none.cmake'
long gdb 'gdb -batch -nx -ex "print 6*7" -ex run /bin/true | sed "s/process [0-9]*/process/"'
long valgrind 'exec valgrind -q --error-exitcode=3 /bin/true'
long g++ 'printf "#include <map>\n#include <regex>\nint main() { return std::regex_match(\"a\", std::regex(\"b\")); }\n" >x.cc && g++ -O1 -c -o x.o x.cc && sha1sum x.o'
long strace 'strace -f -o t sh -c "exit 3"'
long chromium 'chromium --version'
long dot 'echo "digraph { a -> b -> c; a -> c }" | dot -Tsvg'
long java 'exec java -version'
long go 'exec go version'
long rustc 'exec rustc --version'

[ $n_commands -ge 30 ]
ok $? "there are at least 30 commands ($n_commands, $n_files profiles)"
[ -z "$skipped" ] || echo "# not installed here:$skipped"
done_testing
