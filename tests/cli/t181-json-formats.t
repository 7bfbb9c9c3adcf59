#!/bin/sh
# t181-json-formats.t - profiles in JSON: V8, speedscope, Firefox Profiler
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
formats=$top_srcdir/testdata/formats

# Numbers of the files, added up by tests/cli/json_formats.py
for file in v8/mill.cpuprofile v8/mill.heapprofile v8/mill.trace.json.gz speedscope/mill.speedscope.json; do
	python3 "$top_srcdir/tests/cli/json_formats.py" "$formats/$file" >"$tmp/want"
	"$CPA" folded "$formats/$file" 2>"$tmp/err" | sed 's/^<no stack> / /' | awk '
		{ n = $NF; sub(/ [0-9]+$/, ""); k = split($0, frame, ";"); sum[frame[k]] += n }
		END { for (name in sum) print sum[name], name }' | sort >"$tmp/got"
	same "$file has the sums of its own format per function" "$tmp/want" "$tmp/got"
	[ ! -s "$tmp/err" ]
	result $? "$file causes no message" || note "$tmp/err"
	case $file in *.gz) cat "$formats/$file" ;; *) gzip -c "$formats/$file" ;; esac >"$tmp/zipped"
	"$CPA" folded "$formats/$file" >"$tmp/want" && "$CPA" folded - <"$tmp/zipped" >"$tmp/got"
	same "$file is recognized without its name, and in gzip" "$tmp/want" "$tmp/got"
	"$CPA" proto -o "$tmp/twice.pb.gz" "$formats/$file" "$formats/$file" && "$CPA" folded -divide_by=2 "$tmp/twice.pb.gz" >"$tmp/got"
	same "$file merged with itself is twice as much" "$tmp/want" "$tmp/got"
	case $file in *.gz) continue ;; esac
	n=$(($(wc -c <"$formats/$file") / 2))
	head -c $n "$formats/$file" >"$tmp/cut"
	fails 'the input ends within JSON' top "$tmp/cut"
done
gzip -dc "$formats/v8/mill.trace.json.gz" | head -c 5000 >"$tmp/cut"
"$CPA" top "$tmp/cut" >"$tmp/got" 2>&1
grep -q 'the file ends within an event, at byte 5000; events before it are read' "$tmp/got" && grep -q ' sort$' "$tmp/got"
result $? "a trace that is cut is read up to there" || note "$tmp/got"
"$CPA" tags "$formats/speedscope/mill.speedscope.json" >"$tmp/got" 2>&1
grep -q ' 600ms .*: worker one' "$tmp/got" && grep -q ' 700ms .*: 2030' "$tmp/got"
result $? "threads of py-spy are labels" || note "$tmp/got"

# Files that cpa writes are read with equal stacks and values, for all types.
for profile in go-cpu.pb.gz go-heap1.pb.gz rust-cpu.pb.gz node-wall.pb.gz edge/empty-stacks.pb.gz; do
	"$CPA" speedscope "$profile" >"$tmp/written" 2>"$tmp/err"
	for type in $("$CPA" raw "$profile" | sed -n '/^Samples:/{n;s,/[^ ]*,,gp}' | sed 's/\[dflt\]//g'); do
		"$CPA" folded "-sample_index=$type" "$profile" >"$tmp/want" 2>"$tmp/err"
		"$CPA" folded "-sample_index=$type" "$tmp/written" >"$tmp/got" 2>"$tmp/err"
		same "speedscope of $profile has the same $type" "$tmp/want" "$tmp/got"
		"$CPA" firefox "-sample_index=$type" "$profile" >"$tmp/firefox" 2>"$tmp/err"
		"$CPA" folded "$tmp/firefox" >"$tmp/got" 2>"$tmp/err"
		same "firefox of $profile has the same $type" "$tmp/want" "$tmp/got"
	done
done
for args in 'cpu go-cpu.pb.gz' 'wall node-wall.pb.gz' 'cpu node-wall.pb.gz' 'delay go-mutex.pb.gz' 'delay java.contention' \
	'cpu edge/empty-stacks.pb.gz' 'cpu -lines edge/inline-sometimes.pb.gz'; do
	# shellcheck disable=SC2086 # words
	"$CPA" folded -sample_index=$args >"$tmp/want" 2>"$tmp/err"
	case $args in *java*) sed -i 's/$/000000/' "$tmp/want" ;; esac # of ms
	# shellcheck disable=SC2086
	"$CPA" cpuprofile -sample_index=$args >"$tmp/written" 2>"$tmp/err"
	case $args in *-lines*) lines=-lines ;; *) lines=-functions ;; esac
	"$CPA" folded $lines "$tmp/written" >"$tmp/got" 2>"$tmp/err"
	same "cpuprofile of $args has the same stacks" "$tmp/want" "$tmp/got"
done
fails 'a .cpuprofile has times, and samples has none; select another type with -sample_index=cpu' \
	cpuprofile -sample_index=samples go-cpu.pb.gz
fails 'the profile has no sample type of time' cpuprofile go-heap1.pb.gz
for report in cpuprofile firefox; do
	fails 'has negative values, which ' $report edge/negative-values.pb.gz
done

fails 'it looks like a heap snapshot of V8' top /dev/fd/3 3<<'END'
{"snapshot":{"meta":{}},"nodes":[1,2]}
END
fails 'record with the category disabled-by-default-v8.cpu_profiler' top /dev/fd/3 3<<'END'
[{"name":"x","ph":"B","ts":1,"pid":1,"tid":1},{"ph":"E","ts":2}]
END
done_testing
