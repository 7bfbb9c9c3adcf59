#!/bin/sh
# make.sh - records mill.c with perf, and writes the text of perf script with several fields, and a callgrind file
# SPDX-License-Identifier: Apache-2.0
#
# usage: make.sh DIR; numbers differ in each run, and tests contain those of the committed files
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
cp "$here/mill.c" .
gcc -O2 -g -fno-omit-frame-pointer -o mill mill.c -lpthread
perf record -q -o perf.data -F 200 -e cpu-clock:u -e page-faults:u -g ./mill 60000000
perf script -i perf.data >chains.txt
perf script -i perf.data -F comm,pid,tid,time,event,period,ip,sym,dso,srcline >source.txt
perf record -q -o flat.data -F 200 -e cpu-clock:u ./mill 60000000
perf script -i flat.data >flat.txt
valgrind -q --tool=callgrind --callgrind-out-file=mill.out --toggle-collect=main --cache-sim=yes ./mill
valgrind -q --tool=callgrind --callgrind-out-file=instr.out --toggle-collect=main --dump-instr=yes \
	--compress-strings=no ./mill
