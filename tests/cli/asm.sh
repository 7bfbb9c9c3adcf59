# asm.sh - a program and profiles of it for the tests of disasm and weblist
# SPDX-License-Identifier: Apache-2.0
#
# Source it after lib.sh. Builds $tmp/prog; skips the test if that is not possible.
for tool in "${CC:-cc}" objdump nm readelf; do
	command -v "${tool%% *}" >/dev/null && continue
	echo "1..0 # SKIP $tool not found"
	exit 0
done
# shellcheck disable=SC2154 # set in lib.sh
source=$top_srcdir/tests/symbol/asm.c
# shellcheck disable=SC2086,SC2154 # a command line
if ! ${CC:-cc} -O1 -g -fno-pie -no-pie -o "$tmp/prog" "$source" 2>"$tmp/cc"; then
	echo "1..0 # SKIP the compiler builds no programs at fixed addresses"
	exit 0
fi
mkdir "$tmp/gnu"
ln -s "$(command -v objdump)" "$tmp/gnu/objdump"

# address PROGRAM SYMBOL: prints the address of the symbol in hexadecimal, without 0x
address() {
	nm "$1" | sed -n "s/^0*\([0-9a-f]*\) [tT] $2\$/\1/p"
}

# after PROGRAM SYMBOL: prints the address of the next symbol
after() {
	nm -n --defined-only "$1" | sed "1,/ $2\$/d; s/^0*//; s/ .*//" | grep -v -x "$(address "$1" "$2")" | head -n 1
}

# profile PROGRAM BIAS ADDRESS...: prints a profile of the program, loaded BIAS bytes above the addresses of its
# file, with 1 B at the first address, 2 B at the second and so on. It contains ADDRESS + 1, like a return address.
profile() {
	profiled=$1 bias=$2 value=0
	shift 2
	echo 'heap profile: 0: 0 [0: 0] @ heapprofile'
	for at; do
		value=$((value + 1))
		printf '1: %d [1: %d] @ 0x%x\n' $value $value $((0x$at + bias + 1))
	done
	echo 'MAPPED_LIBRARIES:'
	code "$profiled" | while read -r start end offset; do
		printf '%x-%x r-xp %x 00:00 0 %s\n' $((start + bias)) $((end + bias)) "$offset" "$profiled"
	done
}

# code PROGRAM: prints the mapping of its code: start, end, offset in the file
code() {
	readelf -lW "$1" | while read -r type offset start _ _ size flags more; do
		case $type-$flags-$more in LOAD-R-E*) ;; *) continue ;; esac
		echo $((start & ~4095)) $(((start & ~4095) + ((size + 8191) & ~4095))) $((offset & ~4095))
	done
}

# named PROGRAM FUNCTION FILE LINE ADDRESS: prints a profile of the program with 1 B at an address, which is in the function
named() {
	# shellcheck disable=SC2046 # start, end and offset
	PYTHONPATH=$top_srcdir/tests/cli "${PYTHON3:-python3}" - "$@" $(code "$1" | head -n 1) <<-'END'
		import sys
		from wire import message, number
		program, name, file, line, address, start, end, offset = sys.argv[1:]
		out = message(1, number(1, 1) + number(2, 2)) + message(2, number(1, 1) + number(2, 1))
		out += message(3, number(1, 1) + number(2, int(start)) + number(3, int(end)) + number(4, int(offset)) + number(5, 3) + number(7, 1))
		out += message(4, number(1, 1) + number(2, 1) + number(3, int(address, 16)) + message(4, number(1, 1) + number(2, int(line))))
		out += message(5, number(1, 1) + number(2, 4) + number(3, 4) + number(4, 5))
		sys.stdout.buffer.write(out + b"".join(message(6, s.encode()) for s in ("", "space", "bytes", program, name, file)))
	END
}
