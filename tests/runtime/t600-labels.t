#!/bin/sh
# t600-labels.t - CPU time is charged to the labels of the thread
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
library=${top_builddir:?}/src/libcpaprof
libs="-L$library -lcpaprof -Wl,-rpath,$library" compile labels -I"$top_srcdir/src/libcpaprof/api"

tags() { # FILE: "KEY VALUE NANOSECONDS" of each label, as cpa says
	"$CPA" tags -unit=ns "$1" 2>/dev/null | awk '
		/: Total / { key = $1; sub(/:$/, "", key); next }
		NF { at = index($0, "): "); ns = $1; sub(/ns$/, "", ns); print key, substr($0, at + 3), ns }'
}

tag() { # KEY VALUE: its nanoseconds in p.pb.gz, 0 for none
	tags "${3:-p.pb.gz}" | awk -v key="$1" -v value="$2" '$1 == key && $2 == value { n = $3 } END { print n + 0 }'
}

near() { # GOT WANTED NAME [FILE]: within ten samples and 5 %
	# one sample per tick of 4 ms; on a busy machine as few as 4 for a second of CPU time
	samples=$("$CPA" comments "${4:-p.pb.gz}" | sed -n 's/.* \([0-9.]*\) stacks per second.*/\1/p')
	# shellcheck disable=SC2046 # two numbers
	between "$1" $(awk -v n="$2" -v samples="${samples:-250}" 'BEGIN {
		ten = samples > 0 && samples < 250 ? 1e10 / samples : 4e7
		print n * 0.95 - ten, n * 1.05 + ten }') "$3"
}

check_labels() { # NAME: the labels printed in out have their time in p.pb.gz
	while read -r key value ns; do
		case $ns in *[!0-9]* | '') continue ;; esac
		near "$(tag "$key" "$value")" "$ns" "$1: $key $value"
	done <out
}

same_as_go() { # NAME [PATTERN]: of lines that have it
	if command -v go >/dev/null; then
		"$CPA" tags -unit=ns p.pb.gz 2>/dev/null | grep "${2:-.}" >cpa.tags
		go tool pprof -tags -unit=ns -symbolize=none p.pb.gz 2>/dev/null | grep "${2:-.}" >go.tags
		if [ -s go.tags ] && ! grep -q ' of ' go.tags; then # before 2025
			count=$((count + 1))
			echo "ok $count - $1 # SKIP the pprof of $(go env GOVERSION) prints tags without the total"
			return
		fi
		[ -s go.tags ] && cmp -s cpa.tags go.tags
		ok $? "$1"
	else
		count=$((count + 1))
		echo "ok $count - $1 # SKIP go not found"
	fi
}

# with cpa run, and in a program that profiles itself
for way in run self; do
	work() {
		rm -f p*.pb.gz
		if [ $way = run ]; then
			run 1000 ./labels "$1"
		else
			./labels "$1" p.pb.gz >out 2>err
			status=$?
		fi
	}

	work tenants
	is "$status" 0 "$way: the program ends the same as without cpa"
	for tenant in big small; do
		awk -v got="$(tag tenant $tenant)" -v all="$(total p.pb.gz)" -v tenant=$tenant '
			{ sum += $3 }
			$2 == tenant { mine = $3 }
			END {
				share = all && sum ? 100 * got / all - 100 * mine / sum : 100
				printf "# %.2f points\n", share
				exit !(share <= 2 && share >= -2)
			}' out
		measured $? "$way: the $tenant tenant has its share within 2 points" see above
	done
	same_as_go "$way: pprof reads the same labels"

	work nested
	check_labels "$way: the time of nested labels is right"
	is "$(sed -n 's/^left //p' out)" 0 "$way: no labels are left after the outermost scope"

	work inherit
	check_labels "$way: threads inherit the labels of their creator, unless that is disabled"
	is "$(grep -c '^was 1$' out) $(grep -c '^was 0$' out)" '1 1' "$way: setting inheritance returns the old value"

	work pool
	check_labels "$way: a task has the labels of its creator"

	work many
	check_labels "$way: the time of a label set is right"
	near "$(tag cpa_label_overflow 1)" 300000000 "$way: sets beyond the limit share an overflow set"
	is "$(sed -n 's/^same //p' out)" 1 "$way: existing sets are found when the section is full"
	between "$(sed -n 's/^over //p' out)" 34400 34500 "$way: the section has room for the expected number of sets"

	work switches
	"$CPA" raw p.pb.gz >samples 2>/dev/null
	between "$(grep -c 'a:\[' samples)" 8 10000 "$way: threads that switch sets are sampled with all of them"
	is "$(sed -n 's/.*a:\[\([^]]*\)\].*b:\[\([^]]*\)\].*c:\[\([^]]*\)\].*/\1 \2 \3/p' samples |
		awk '$1 != $2 || $2 != $3' | wc -l)" 0 "$way: no sample mixes two sets"
	is "$(grep -c '[abc]:\[' samples)" "$(grep -c 'a:\[.*b:\[.*c:\[' samples)" "$way: no sample has an incomplete set"

	work odd
	"$CPA" tags -unit=ns p.pb.gz >drawn 2>/dev/null
	is "$(cat out)" "$(printf '%s\n' 'gone x now 0' 'empty <>' '255=1022' 'each 0' 'found 1' '4=1' 'each 7' 'none 0 0 0' \
		'taken out 0')" "$way: special and long labels are stored correctly"
	is "$(grep -c "emoji" drawn) $(grep -c '^ *bad' drawn) $(grep -c '^ *last' drawn) $(grep -c '^ *gone' drawn)" '1 1 1 0' \
		"$way: special labels can be read"
	is "$(grep -c '^ *empty' drawn)" 1 "$way: a label with an empty value is kept"
	# control characters in values are printed differently
	same_as_go "$way: pprof reads the same special labels" Total
done

run 1000 ./labels fork
child=$(cat out)
near "$(tag of parent)" 400000000 'the parent keeps its label across fork'
near "$(tag of parent "p-$child.pb.gz")" 700000000 'a fork child continues with the label of its parent' "p-$child.pb.gz"
near "$(tag and child "p-$child.pb.gz")" 400000000 'a fork child has the labels that it sets itself' "p-$child.pb.gz"
done_testing
