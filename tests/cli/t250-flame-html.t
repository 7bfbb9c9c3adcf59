#!/bin/sh
# t250-flame-html.t - flame graphs as web pages: policy, data, sums, reproducibility; t251 runs them in a browser
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

# page NAME ARG...: compares the page of "cpa flame ARG..." with its golden file, without style, script and controls
page() {
	name=$golden_dir/flame-page.$1
	shift
	"$CPA" flame --format=html "$@" | sed -e '/^<style>/,/^<\/style>/d' -e '/^<script>/,/^<\/script>/d' \
		-e '/^<div id="bar"/,/^<\/dialog>/d' \
		-e "s/sha256-[^']*'/sha256-SUM'/g" -e 's/, "\([a-zA-Z0-9]*\)": /,\n"\1": /g' |
		sed -e '/^"light": /d' -e '/^"dark": /d' >"$tmp/page"
	[ -n "${UPDATE:-}" ] && cp "$tmp/page" "$name"
	same "cpa flame --format=html $* draws $(basename "$name")" "$name" "$tmp/page"
}

page plain --title='<b>"title" & more' edge/inline-sometimes.pb.gz
page diff --icicle --theme=dark --order=weight -base compare/words-base.pb.gz compare/words-new.pb.gz
page hostile edge/files-hostile.pb.gz

"$CPA" flame --format=html -sample_index=alloc_objects go-allocs.pb.gz >"$tmp/page"
grep -q '^<p>go-allocs.pb.gz · total 56,717,823 ' "$tmp/page" && grep -q '<td>55,857,116</td>' "$tmp/page"
result $? "large counts have groups of digits"

# check DESCRIPTION [FOLDED]: checks the policy and the data of the page, and its sums against the stacks in FOLDED
python=${PYTHON3:-python3}
check() {
	description=$1
	shift
	if "$python" -c '' 2>/dev/null; then
		"$python" "$top_srcdir/tests/cli/flame_page.py" "$tmp/page" "$@" >"$tmp/errors" 2>&1
		status=$?
		note "$tmp/errors"
		result $status "$description: policy, data and sums are right"
	else
		count=$((count + 1))
		echo "ok $count - $description # SKIP python3 not found"
	fi
}

for profile in go-cpu.pb.gz cpp-cpu.pb.gz node-heap.pb.gz edge/names-hostile.pb.gz edge/recursion.pb.gz edge/labels.pb.gz; do
	"$CPA" flame --format=html --min-width=0 $profile >"$tmp/page"
	"$CPA" flame --format=folded $profile >"$tmp/folded"
	check "$profile" "$tmp/folded"
done
for args in '--min-width=20 go-cpu.pb.gz' '--inverted go-cpu.pb.gz' '-focus=nosuch go-cpu.pb.gz' '--by=label:route edge/labels.pb.gz' \
	'-base compare/build-base.pb.gz compare/build-new.pb.gz' '-diff_base compare/build-base.pb.gz --diff-self compare/build-new.pb.gz'; do
	# shellcheck disable=SC2086 # words
	"$CPA" flame --format=html $args >"$tmp/page" 2>"$tmp/err"
	check "$args"
done

# More boxes than one thread writes alone.
awk 'BEGIN { for (i = 0; i < 21000; i++) printf "main;f%d;g%d %d\n", i % 300, i, i % 7 + 1 }' >"$tmp/many.folded"
for threads in 1 3; do
	"$CPA" flame --format=html --min-width=0 --threads=$threads "$tmp/many.folded" >"$tmp/page.$threads"
done
same "the page does not depend on the number of threads" "$tmp/page.1" "$tmp/page.3"
LC_ALL=C grep -qaP '[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80[\xa8-\xae]|\xe2\x81[\xa6-\xa9]' "$tmp/page"
[ $? -eq 1 ]
result $? "a page contains no control character"
done_testing
