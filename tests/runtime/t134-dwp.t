#!/bin/sh
# t134-dwp.t - split DWARF in a package (.dwp) has the functions and lines that .dwo files have; what is missing is named
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
unset DEBUGINFOD_URLS
cat >w.c <<'END'
static volatile double sink;
__attribute__((noinline)) static void inner_work(int n) { for (int i = 0; i < n; i++) sink += i * 0.5; }
static inline void inl(int n) { for (int i = 0; i < n; i++) sink *= 1.0001; }
void second(void);
__attribute__((noinline)) void outer(void) { inner_work(2000000); inl(3000000); }
int main(void) { for (int i = 0; i < 20; i++) { outer(); second(); } return 0; }
END
cat >v.c <<'END'
static volatile double sink;
static inline void mid(int n) { sink *= 2; for (int i = 0; i < n; i++) sink -= i; }
void second(void) { mid(3000000); }
END
package() { # OUTPUT: some versions of llvm-dwp hang on input that they cannot read
	for tool in llvm-dwp llvm-dwp-14 llvm-dwp-15 llvm-dwp-16 llvm-dwp-17 llvm-dwp-18 llvm-dwp-19; do
		command -v $tool >where && timeout 20 $tool -e "$1" -o "$1.dwp" 2>err && return
	done
	return 1
}
build() { # NAME FLAG...: with split DWARF; a package of earlier units may have the same ids
	name=$1
	shift
	rm -f "$name.dwp"
	clang -O2 -g -gsplit-dwarf "$@" -c w.c v.c 2>err && clang -o "$name" w.o v.o 2>err
}
rows() { # rows of the report, without a cache; the message is in err
	"$CPA" top -no_cache -lines -nodefraction=0 p.pb.gz 2>err | sed '1,/flat%/d'
}
if ! command -v clang >where || ! build w -gdwarf-5 || ! package w; then
	echo '1..0 # SKIP no clang or llvm-dwp'
	exit 0
fi
for flags in '' '-ffunction-sections'; do
	# shellcheck disable=SC2086 # words
	build w -gdwarf-5 $flags
	"$CPA" run --quiet --no-symbolize --hz=1000 --cpu=p.pb.gz -- ./w
	rows >dwo.txt
	is "$(sed -n 's/.* \(inl\|mid\) .*(inline)$/\1/p' dwo.txt | sort -u | tr '\n' ' ')$(grep -c 'split' err)" 'inl mid 0' "$flags: inlined functions of .dwo files"
	package w
	rm ./*.dwo
	rows >dwp.txt
	cmp -s dwo.txt dwp.txt
	ok $? "$flags: a package has the same functions and lines"
	is "$(grep -c 'split' err)" 0 "$flags: nothing is missing"
done
"$CPA" symbolize -no_cache -o whole.pb.gz p.pb.gz 2>err

# damaged packages: no crash, and names from what can be read
cat >damage.py <<'END'
import random, subprocess, sys
good = open('w.dwp', 'rb').read()
random.seed(7)
bad = 0
for i in range(60):
    data = bytearray(good)
    if i < 20:
        data = data[:random.randrange(len(data))]
    else:
        for _ in range(1 + i % 4):
            data[random.randrange(len(data))] = random.randrange(256)
    open('w.dwp', 'wb').write(data)
    p = subprocess.run([sys.argv[1], 'top', '-no_cache', 'p.pb.gz'], capture_output=True, timeout=60)
    if p.returncode != 0 or b' outer\n' not in p.stdout:
        bad += 1
        print('#', i, p.returncode, p.stderr.decode(errors='replace')[-300:])
open('w.dwp', 'wb').write(good)
print('bad', bad)
END
is "$("${PYTHON3:-python3}" damage.py "$CPA")" 'bad 0' 'damaged packages lose no function'

rm w.dwp
rows >none.txt
is "$(grep -c '(inline)$' none.txt) $(sed -n 's/.*; w: //p' err)" '0 split debug information (.dwo) of 2 units not found' 'missing files are named'
XDG_CACHE_HOME=$tmp/none "$CPA" run --quiet --hz=1000 --cpu=p.pb.gz -- ./w 2>err
is "$(sed -n 's/.*; w: //p' err)" 'split debug information (.dwo) of 2 units not found' 'also when names are written into a file'
build w -gdwarf-4
"$CPA" run --quiet --no-symbolize --hz=1000 --cpu=p.pb.gz -- ./w
rows >dwo.txt
package w && rm ./*.dwo
rows >old.txt
said=$(sed -n 's/.*; w: .*\(w.dwp: .*\)/\1/p' err)
! cmp -s dwo.txt old.txt || said=${said:-w.dwp: only packages of DWARF 5 can be read} # by cpa itself; libdw reads it since 0.192
is "$said" 'w.dwp: only packages of DWARF 5 can be read' 'a package of DWARF 4 is read by libdw, or named'
printf 'not ELF' >w.dwp
rows >old.txt
is "$(sed -n 's/.*; w: .*\(w.dwp: .*\)/\1/p' err)" 'w.dwp: not an ELF file of this kind of machine' 'a file that is no package is named'
done_testing
