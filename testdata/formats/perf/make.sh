#!/bin/sh
# make.sh - make the recordings in this folder again, on x86-64 with perf and gcc
# SPDX-License-Identifier: Apache-2.0
# usage: testdata/formats/perf/make.sh      (tests contain numbers of the committed ones)
set -eu
cd "$(dirname "$0")"
dir=$(mktemp -d)
gcc -O1 -static -nostdlib -no-pie -fomit-frame-pointer -fasynchronous-unwind-tables -Wl,--build-id -Wl,-z,noseparate-code \
	-Wl,-z,max-page-size=4096 -o "$dir/perfmill" mill.c
strip --keep-symbol=_start --keep-symbol=mill_main --keep-symbol=turn --keep-symbol=grind "$dir/perfmill"
gzip -9nc "$dir/perfmill" >mill.gz
record="perf record -q --no-buildid-cache -F 499"
$record -e cpu-clock:u --call-graph dwarf,256 -o dwarf.data "$dir/perfmill"
$record -e cpu-clock:u -o - "$dir/perfmill" >pipe.data
$record -e cpu-clock:u,page-faults:u -z -o two-zstd.data "$dir/perfmill"
$record -e cpu-clock:u --threads=cpu -z -o threads.data sh -c "taskset -c 0 $dir/perfmill & taskset -c 1 $dir/perfmill; wait"
chmod 755 threads.data
chmod 644 dwarf.data pipe.data two-zstd.data threads.data/*
rm -r "$dir"
