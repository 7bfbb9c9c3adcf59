#!/bin/sh
# run.sh - make cpa gate fail: build a program twice, with one slower function, profile and compare
# SPDX-License-Identifier: Apache-2.0
# usage: examples/gate/run.sh [FOLDER]     writes programs and profiles to FOLDER; takes half a minute
# Needs a C compiler and libprofiler. CPA=path/of/cpa overrides the cpa in PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cpa=${CPA:-cpa} cc=${CC:-cc} work=${1:-$(mktemp -d)}
missing() { echo "run.sh: missing: $1" >&2; exit 77; }
command -v "$cpa" >/dev/null || missing 'cpa (not in PATH; set CPA=build/src/cpa)'
command -v "$cc" >/dev/null || missing 'a C compiler (apt-get install gcc libc6-dev)'
mkdir -p "$work"
build() { # build NAME FLAG...
	name=$1 && shift
	"$cc" -O2 -g -o "$work/$name" "$@" "$here/orders.c" -Wl,--no-as-needed -lprofiler
}
build base 2>/dev/null || missing 'libprofiler (apt-get install libgoogle-perftools-dev)'
build slow -DTWICE

capture() { # capture PROGRAM FILE
	CPUPROFILE=$work/$2 CPUPROFILE_FREQUENCY=250 "$work/$1" >"$work/log" 2>&1
}
for run in 1 2 3 4; do # alternate, so that other load affects all programs
	capture base "base-$run.cpu"
	capture base "same-$run.cpu"
	capture slow "slow-$run.cpu"
done

# price has a fifth of the program and does its work twice: require no more than that of these short runs
gate() { # gate SIDE STATUS: compare SIDE with base; cpa must exit with STATUS
	echo "== base against $1" && status=0
	"$cpa" gate --need=20%:2 -base="$work/base-1.cpu" -base="$work/base-2.cpu" -base="$work/base-3.cpu" -base="$work/base-4.cpu" \
		"$work/$1-1.cpu" "$work/$1-2.cpu" "$work/$1-3.cpu" "$work/$1-4.cpu" || status=$?
	echo "== exit status $status"
	[ "$status" -eq "$2" ]
}
gate same 0
gate slow 1
echo "== profiles are in $work"
