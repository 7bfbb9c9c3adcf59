#!/bin/sh
# copies.sh - make many copies of a C++ object file with much DWARF, with different symbol names
# SPDX-License-Identifier: Apache-2.0
# usage: copies.sh N FILE...     writes to the current folder: copyN.o, and others.c with int others(int), which calls all
# Link with -z muldefs -lstdc++ -lm. FILE is symbols.cc, or another file with go(int).
set -eu
n=$1 && shift
g++ -g -O1 -std=c++17 -c "$1" -o one.o
ld -r --force-group-allocation -o grouped.o one.o && objcopy --keep-global-symbol=go grouped.o local.o
for i in $(seq "$n"); do
	objcopy --redefine-sym "go=go$i" local.o "copy$i.o"
	echo "int go$i(int); static int call$i(int x) { return go$i(x); }"
done >others.c
{ echo 'int others(int r);' && echo 'int others(int r) {' && seq -f 'r += call%g(r);' "$n" && echo 'return r; }'; } >>others.c
rm -f one.o grouped.o local.o
