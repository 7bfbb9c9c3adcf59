#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make.sh - create testdata/ again: real profiles from small programs, then the hand-made ones.
# usage: make.sh [PART...]     PART: go cpp rust node java edge bad compare gate readme; default all
#
# Builds in a temporary folder, which is removed. Real profiles differ in each run, so tests that contain
# their numbers change too.
set -eu

make=$(cd "$(dirname "$0")" && pwd)
out=$(dirname "$make")
work=$(mktemp -d /tmp/cpa-testdata.XXXXXX)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
export PYTHONDONTWRITEBYTECODE=1
pprof_version=v0.0.0-20260906184651-6331bc6350fe

say() { echo "make.sh: $*"; }

# need PART TOOL... - check that the tools are installed; name a missing one
need() {
	part=$1
	shift
	for tool in "$@"; do
		command -v "$tool" >/dev/null || { say "$part: no $tool here, skipped"; return 1; }
	done
	say "$part"
}

# note PART TEXT - save the tools of a part for the README
note() {
	touch "$make/versions.txt"
	{ grep -v "^$1: " "$make/versions.txt" || true; echo "$1: $2"; } | sort >"$work/versions"
	cp "$work/versions" "$make/versions.txt"
}

make_go() {
	need go go || return 0
	(cd "$make/shop" && go build -trimpath -o "$work/shop" .)
	"$work/shop" "$out"
	note go "$(go version | cut -d' ' -f3,4)"
}

make_cpp() {
	need cpp g++ go python3 || return 0
	g++ -std=c++17 -O2 -g -fno-omit-frame-pointer -ffile-prefix-map="$make=/src" -Wall -Wextra -o "$work/grid" \
		"$make/grid/main.cpp" "$make/grid/watch.cpp" -ltcmalloc_and_profiler -pthread ||
		{ say "cpp: needs libgoogle-perftools-dev, skipped"; return 0; }
	for kind in cpu heap heap_v2 growth contention contentionz threadz; do
		TCMALLOC_SAMPLE_PARAMETER=65536 "$work/grid" $kind "$out/cpp.$kind"
	done
	for as in "32 little 32le" "32 big 32be" "64 big 64be"; do
		set -- $as
		python3 "$make/grid/reencode.py" "$out/cpp.cpu" "$1" "$2" "$out/cpp-$3.cpu"
	done
	GOBIN=$work go install "github.com/google/pprof@$pprof_version"
	"$work/pprof" -symbolize=local -proto -output "$out/cpp-cpu.pb.gz" "$work/grid" "$out/cpp.cpu"
	note cpp "g++ $(g++ -dumpfullversion), gperftools $(pkg-config --modversion libtcmalloc), google/pprof $pprof_version, $(llvm-symbolizer --version 2>/dev/null | grep -o 'LLVM version.*' || addr2line --version | head -1)"
}

make_rust() {
	need rust cargo gzip || return 0
	cp -r "$make/tally" "$work/tally"
	(cd "$work/tally" && RUSTFLAGS="--remap-path-prefix=$work/tally=/src/tally --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}/registry/src=/cargo" \
		cargo build --release --quiet --locked && ./target/release/tally "$work/rust-cpu.pb")
	gzip -9nc "$work/rust-cpu.pb" >"$out/rust-cpu.pb.gz"
	note rust "$(rustc --version | cut -d' ' -f1,2), pprof-rs 0.15.0"
}

make_node() {
	need node node npm || return 0
	mkdir "$work/ledger"
	cp "$make/ledger/package.json" "$make/ledger/ledger.js" "$work/ledger/"
	(cd "$work/ledger" && npm install --silent --no-audit --no-fund && node ledger.js "$out")
	note node "Node $(node --version), @datadog/pprof 5.20.0"
}

make_java() {
	need java javac java || return 0
	javac -Xlint:all -d "$work/orchard" "$make/orchard/Orchard.java"
	for kind in cpu heap contention; do
		java -cp "$work/orchard" Orchard $kind "$out/java.$kind"
	done
	note java "$(java -version 2>&1 | sed -n 2p | sed 's/.*build \(.*\))/OpenJDK \1/')"
}

make_edge() { need edge python3 && mkdir -p "$out/edge" && python3 "$make/edge.py" "$out/edge"; }
make_bad() { need bad python3 && mkdir -p "$out/bad" && python3 "$make/bad.py" "$out/bad"; }
make_compare() { need compare python3 && mkdir -p "$out/compare" && python3 "$make/compare.py" "$out/compare"; }
make_gate() { # minutes of work
	need gate go python3 || return 0
	mkdir -p "$out/gate" "$work/gate"
	sh "$make/mill/capture.sh" "$out/gate" "$work/gate" && python3 "$make/gate.py" "$out/gate"
}
make_readme() { need readme python3 go && python3 "$make/readme.py" "$out"; }

[ $# -gt 0 ] || set -- go cpp rust node java edge bad compare gate readme
for part in "$@"; do
	"make_$part" || say "$part: not made"
done
