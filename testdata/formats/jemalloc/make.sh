#!/bin/sh
# make.sh - make accum.heap again: blocks of three sizes, some of them freed; needs jemalloc with profiling (Debian 12: 5.3.0)
# SPDX-License-Identifier: Apache-2.0
set -e
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
gcc -O1 -o "$dir/barn" "$here/barn.c" -l:libjemalloc.so.2
cd "$dir"
MALLOC_CONF=prof:true,lg_prof_sample:12,prof_accum:true ./barn "$here/accum.heap"
