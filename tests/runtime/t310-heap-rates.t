#!/bin/sh
# t310-heap-rates.t - scaled samples are unbiased for all sizes and orders of allocations
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
. "${top_srcdir:?}/tests/runtime/heap.sh"
compile_c heap_load.c load

# From each size and the rate the program computes the variance of a sum, and the largest change of the sum by one sampled
# object. A few samples that count for thousands of objects are not normally distributed, so the limit of an error is
# that of Bernstein's inequality: a sum is too high at most once in a million runs. (A sum is too low more often: in
# four runs, about two objects of a_large are missed. The test fails if nine are missed, which happens once in 7,000.)
# If no object weighs more than half a standard error, the mean of the squared errors is 1.
errors() { # append "FUNCTION ERROR VARIANCE MOST ERROR VARIANCE MOST", of objects and bytes, to the file errors
	grep '^a_' out | while read -r name objects bytes _ _ variance_objects variance_bytes most_objects most_bytes; do
		# shellcheck disable=SC2046 # four numbers
		set -- $(seen "$name")
		echo "$name $((${1:-0} - objects)) $variance_objects $most_objects $((${2:-0} - bytes)) $variance_bytes $most_bytes"
	done >>errors
}

judge() { # RUNS NAME: check that the sums over all runs are within their limits, and that there is some error
	awk -v runs="$1" 'function take(name, error, variance, most) {
			sum[name] += error
			of[name] += variance
			moved[name] = most > moved[name] ? most : moved[name]
			n[name]++
			if (most < 0.5 * sqrt(variance)) {
				squares += error ^ 2 / variance
				all++
			}
		}
		{ take($1 ": objects", $2, $3, $4); take($1 ": bytes", $5, $6, $7) }
		END {
			chance = log(2e6)
			for (f in n) {
				far = moved[f] * chance / 3
				far += sqrt(far ^ 2 + 2 * of[f] * chance)
				printf "# %s %.2f standard errors, at most %.2f\n", f, sum[f] / sqrt(of[f]), far / sqrt(of[f])
				if (n[f] != runs || sum[f] ^ 2 > far ^ 2)
					bad = 1
			}
			if (all)
				print "# mean square " squares / all " of " all
			exit bad || !all || squares / all < 0.1 || squares / all > 4
		}' errors
	measured $? "$2" see above
	rm errors
}

for i in 1 2 3 4; do
	heap 524288 load mix 524288
	errors
	is "$(awk '$1 == "row" { n += $4 } END { print n + 0 }' out)" 0 "run $i: no object is in use"
done
judge 4 'at 512 KiB the errors of objects and bytes of five size mixes are within their limits'
# two functions for which the errors of objects and of bytes are equal
for i in 1 2 3 4 5 6 7 8 9 10; do
	heap 65536 load alternate 65536
	errors
done
judge 10 'the errors of objects and bytes of two alternating functions are within their limits'

# distances of samples are geometric: 20 classes of equal probability
HEAP_WATCH_OBJECTS=1
export HEAP_WATCH_OBJECTS
heap 16384 load line 1500000
grep '^object' out | awk '$3 == 64 { print $2 }' | sort -n |
	awk 'NR > 1 { n = ($1 - last) / 80; p = exp(-64 / 16384)
			if (n == int(n)) { class = int(20 * (1 - p ^ n) ); if (class > 19) class = 19
				seen[class]++; all++ } else odd++ }
		{ last = $1 }
		END {
			p = exp(-64 / 16384)
			# distances are integers, so classes are not quite equally probable: compute their expected counts
			for (n = 1; n < 6000; n++) want[(c = int(20 * (1 - p ^ n))) > 19 ? 19 : c] += p ^ (n - 1) * (1 - p)
			for (c = 0; c < 20; c++) chi += (seen[c] - all * want[c]) ^ 2 / (all * want[c])
			print "# " all " distances, chi-square " chi " with 19 degrees of freedom, " odd + 0 " across gaps"
			exit !(all > 4000 && chi < 60)
		}'
measured $? 'distances between samples are exponential' see above
unset HEAP_WATCH_OBJECTS

heap 524288 load leak 30000000
read -r name objects bytes kept kept_bytes _ <<END
$(grep '^a_leak' out)
END
# shellcheck disable=SC2046 # four numbers
set -- $(seen a_leak)
# a sample counts for 5462 objects, so 900000 objects have 165 samples
within "$1" "$objects" 10 '30 million objects are counted'
within "$3" "$kept" 40 'the objects that leak, 3 % of all, are in use'
within "$4" "$kept_bytes" 40 'the bytes in use of the 3 % that leak are right'
is "$(fact live)" "$(awk '$1 == "row" { n += $6 } END { print n }' out)" 'the live map and the rows have the same number of bytes in use'
awk '$1 == "row" && ($4 < 0 || $5 < 0) { bad = 1 } END { exit bad }' out
ok $? 'no value in use is negative'

heap 4096 load threads 5
is "$status $(fact live) $(fact held) $(seen a_thread | cut -d ' ' -f 3-)" "0 $(fact live) 0 0 0" \
	'eight threads that free objects of each other leave none in use'
between "$(fact live)" 0 8 'threads that free all their objects leave only few objects, from libraries'

# 1 MiB, 64 KiB for the thread, and 256 bytes per live object
for n in 1000 20000; do
	alone=$(./load memory $n)
	heap 1 load memory $n
	between "$(grep -v '^row\|^process' out)" "$alone" $((alone + 1024 + 64 + n / 4)) \
		"$n live objects use little memory"
done
done_testing
