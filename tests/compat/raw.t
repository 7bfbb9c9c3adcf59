#!/bin/sh
# raw.t - cpa raw, proto and topproto write the same as pprof, with fields in another order, and pprof reads files of cpa
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/compat/pprof.sh"

# ask COMMAND ARG...: run pprof and cpa with the same arguments, and compare their outputs, decompressed and in pprof's order of fields
ask() {
	command=$1
	shift
	"$pprof" -symbolize=none "-$command" "$@" >"$tmp/want.raw" 2>/dev/null
	want=$?
	"$CPA" "$command" -symbolize=none "$@" >"$tmp/got.raw" 2>"$tmp/err"
	got=$?
	for answer in want got; do
		case $command in
		raw) mv "$tmp/$answer.raw" "$tmp/$answer" ;;
		*) "${PYTHON3:-python3}" -B "$top_srcdir/tests/compat/sort_fields.py" "$tmp/$answer.raw" >"$tmp/$answer" ;;
		esac
	done
	compare_outputs "$command $*"
}

for file in *.* edge/*; do
	case $file in *.md | *.mk) continue ;; esac
	ask raw "$file"
	ask proto "$file"
	ask proto -divide_by=3 "$file"
	ask topproto "$file"
	ask topproto -lines -unit=ms -sample_index=0 "$file"
	# pprof reads the same profile from the file that cpa wrote as from its own.
	"$CPA" proto -symbolize=none "$file" >"$tmp/ours.pb.gz" 2>"$tmp/err" || continue
	case $file in *.zst) continue ;; esac
	"$pprof" -symbolize=none -proto "$file" >"$tmp/theirs.pb.gz" 2>/dev/null
	"$pprof" -symbolize=none -raw "$tmp/theirs.pb.gz" >"$tmp/want" 2>/dev/null
	want=$?
	"$pprof" -symbolize=none -raw "$tmp/ours.pb.gz" >"$tmp/got" 2>"$tmp/err"
	got=$?
	compare_outputs "pprof -raw of cpa proto $file"
done
ask raw go-heap1.pb.gz go-heap2.pb.gz
ask proto go-heap1.pb.gz go-heap2.pb.gz
ask proto go-cpu.pb.gz go-cpu.pb.gz go-cpu.pb.gz
ask proto -add_comment=said go-cpu.pb.gz
ask proto -sample_index=alloc_space go-heap1.pb.gz
ask proto -mean -sample_index=alloc_space go-heap1.pb.gz
ask topproto -addresses -nodecount=7 cpp-cpu.pb.gz
ask topproto -mean -sample_index=delay go-mutex.pb.gz
ask topproto -unit=auto go-heap1.pb.gz
ask topproto -files -nodefraction=0 java.cpu
done_testing
