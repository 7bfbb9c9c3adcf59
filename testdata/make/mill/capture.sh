#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# capture.sh - make the repeated profiles of testdata/gate from one program with different build tags
# usage: capture.sh FOLDER WORK     writes into FOLDER, builds in WORK; 6 minutes on two idle cores
#
# Every round takes one profile of each build, so that other load affects all builds alike.
set -eu
out=$1 work=$2
cd "$(dirname "$0")"

for build in base slow mixed renamed newcode moved more; do
	go build -trimpath -tags "$build" -o "$work/$build" .
done
cp "$work/base" "$work/same" # another run of the same program

# The true cost of each step: the minimum of many tries, without a profiler.
for build in base slow mixed renamed newcode moved; do
	"$work/$build" time | sed "s/^/$build /"
done >"$out/truth.txt"

take() { # take KIND BUILD NAME; Go warns on stderr that the rate is already set
	"$work/$2" "$1" "$out/$3.pb.gz" 2>"$work/said" || { cat "$work/said" >&2; exit 1; }
}

for run in 1 2 3 4 5 6; do
	for build in base same slow mixed; do
		take cpu "$build" "$build-$run"
	done
	[ $run -le 3 ] || continue
	for build in renamed newcode moved; do
		take cpu "$build" "$build-$run"
	done
	for build in base same more; do
		take heap "$build" "heap-$build-$run"
	done
	for build in base more; do
		take mutex "$build" "mutex-$build-$run"
		take block "$build" "block-$build-$run"
	done
done
take short base short-base
take short slow short-slow
