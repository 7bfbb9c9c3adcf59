#!/bin/sh
# t130-sources.t - several sources, dropped frames, completion
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

golden top -nodecount=5 go-heap1.pb.gz go-heap2.pb.gz
golden top edge/merge-ms.pb.gz edge/merge-ns.pb.gz
golden top -all_frames edge/drop-frames.pb.gz
fails 'no sample type is in all profiles: go-cpu.pb.gz has' top go-cpu.pb.gz go-heap1.pb.gz

"$CPA" completion bash >"$tmp/bash" && bash -n "$tmp/bash"
result $? "the bash completion is valid"
completes() { # WANTED WORD...: bash completes the last word to this, among others
	wanted=$1
	shift
	# shellcheck disable=SC2016 # for bash
	bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cpa; printf "%s\n" "${COMPREPLY[@]}"' \
		sh "$tmp/bash" "$@" 2>/dev/null | grep -q -x -e "$wanted *"
	result $? "bash completes $* to $wanted"
}
completes -nodecount= cpa -node
completes --nodecount= cpa top --nodec
completes -top cpa -to
completes always cpa top --color = a
completes minimum cpa top -unit =
completes fish cpa completion ''
completes nodecount cpa help nodec
for shell in zsh fish; do
	"$CPA" completion $shell >"$tmp/$shell" || result 1 "completion $shell"
	if command -v $shell >/dev/null; then
		$shell -n "$tmp/$shell"
		result $? "the $shell completion is valid"
	else
		result 0 "the $shell completion is valid # SKIP no $shell"
	fi
done
fails 'usage: cpa completion' completion tcsh
done_testing
