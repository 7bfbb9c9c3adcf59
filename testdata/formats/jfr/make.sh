#!/bin/sh
# make.sh - make the recordings again; needs JDK 17, JDK 25 and async-profiler
# SPDX-License-Identifier: Apache-2.0
# usage: make.sh JDK17 JDK25 LIBRARY: directories of JDKs, and libasyncProfiler.so
# The sums in tests/cli/t194-jfr.t are those of "jfr print --json" of JDK 25.
set -e
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
"$1/bin/javac" --release 11 -encoding UTF-8 -d . "$here/Brook.java"
"$1/bin/java" -XX:StartFlightRecording=settings="$here/small.jfc",filename=hotspot17.jfr -cp . Brook 1
"$2/bin/java" -XX:StartFlightRecording=settings="$here/small.jfc",filename=hotspot25.jfr -cp . Brook 1
"$1/bin/java" -agentpath:"$3"=start,jfr,file=async.jfr,event=itimer,interval=5ms,wall=20ms,lock=1ms -cp . Brook 1
gzip -9n hotspot17.jfr hotspot25.jfr async.jfr
mv ./*.jfr.gz "$here"
