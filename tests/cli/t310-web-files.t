#!/bin/sh
# t310-web-files.t - a view of the web UI as a file equals the output of the command line
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/page.sh"

# equal PATH ARG...: checks that /ui/PATH is what "cpa ARG... $source" prints
equal() {
	path=$1
	shift
	page "$path" '*/*'
	# shellcheck disable=SC2086 # source may be options and a file
	"$CPA" "$@" $options $source >"$tmp/want" 2>"$tmp/err"
	[ "$status" = 200 ] && cmp "$tmp/page" "$tmp/want" >"$tmp/diff" 2>&1
	differ=$?
	[ "$differ" -eq 0 ] || note "$tmp/diff"
	result "$differ" "$path equals cpa $* $source"
}

# bare PATH ARG...: the same for a report that refuses the options, since they have no effect on it
bare() {
	all=$options options=
	equal "$@"
	options=$all
}

# refused STATUS TEXT PATH: checks that /ui/PATH is refused with this message
refused() {
	page "$3" '*/*'
	[ "$status" = "$1" ] && has "$2" && [ "$(wc -l <"$tmp/page")" -eq 1 ]
	result $? "$3 is refused: $2"
}

source=go-cpu.pb.gz options=-source_path=make
page_start -symbolize=none $options $source
for format in txt json csv md; do
	flag=--$format
	[ $format != txt ] || flag=-trim=true
	[ $format != md ] || flag=--markdown
	equal "top.$format" top "$flag"
	equal "top.$format?f=depot&sort=cum&unit=ms&rel=t&n=7" top -focus=depot -cum -unit=ms -relative_percentages -nodecount=7 "$flag"
	equal "tree.$format?i=^runtime&h=json&nf=0.01" tree -ignore=^runtime -hide=json -nodefraction=0.01 "$flag"
	equal "peek.$format?f=nearest" peek -focus=nearest -lines "$flag" nearest
	equal "peek.$format?f=depot&arg=^shop/route" peek -focus=depot -lines "$flag" ^shop/route
	equal "labels.$format?tf=route" tags -tagfocus=route "$flag"
	bare "binaries.$format" binaries "$flag"
	equal "source.$format?f=nearest" list -focus=nearest "$flag" nearest
	equal "comments.$format" comments "$flag"
	[ $format = md ] || equal "traces.$format?f=nearest" traces -focus=nearest "$flag"
done
equal 'profile.pb.gz?f=depot' proto -focus=depot
bare 'profile.json?f=depot' speedscope -focus=depot
bare 'profile.folded?f=depot' folded -focus=depot
bare 'profile.cpuprofile?f=depot' cpuprofile -focus=depot
bare 'profile.firefox.json?f=depot' firefox -focus=depot
bare 'profile.otlp.pb?f=depot' otlp -focus=depot
equal 'profile.callgrind?f=depot' callgrind -focus=depot
equal 'profile.txt?f=depot' raw -focus=depot
equal source.txt list .
equal source.html weblist -output=- .
equal 'source.html?f=nearest' weblist -output=- -focus=nearest nearest
equal 'graph.dot?f=depot&n=20' dot -focus=depot -nodecount=20
page 'download?f=depot' '*/*'
[ "$status" = 200 ] && cp "$tmp/page" "$tmp/got.pb.gz" && [ "$("$CPA" raw "$tmp/got.pb.gz")" = "$("$CPA" raw $source)" ]
result $? 'download is the whole profile, with its own default type'
refused 404 '404 page not found' top.exe
refused 400 'no profile to compare with' diff.csv
refused 404 '404 page not found' traces.md
refused 400 'no matches found for regexp: nosuch' 'peek.txt?f=nosuch'
refused 400 'missing closing )' 'top.csv?f=('
page_stop

options=
# The numbers of a difference are those of pprof.
for base in -base -diff_base; do
	source="$base=go-heap1.pb.gz go-heap2.pb.gz"
	page_start -symbolize=none $base=go-heap1.pb.gz go-heap2.pb.gz
	equal top.txt top
	equal 'top.csv?sort=cum&si=alloc_space' top --csv -cum -sample_index=alloc_space
	equal 'tree.json?dropneg=t' tree --json -drop_negative
	equal traces.txt traces
	source="go-heap1.pb.gz go-heap2.pb.gz"
	equal diff.csv diff --csv
	equal 'diff.md?si=alloc_space' diff --markdown -sample_index=alloc_space
	page 'top?rows=all'
	"$CPA" top --csv $base=go-heap1.pb.gz go-heap2.pb.gz | tail -n +2 | cut -d, -f1 >"$tmp/want"
	grep -o '<tr data-name="[^"]*"><td data-value="[^"]*"' "$tmp/page" | sed 's/.*="\([^"]*\)"$/\1/' >"$tmp/flat"
	cmp -s "$tmp/flat" "$tmp/want"
	result $? "the page top of $base has the flat of the command line"
	page_stop
done

# Names with characters of URLs, HTML and shells.
source=edge/names-hostile.pb.gz
page_start -symbolize=none $source
for view in top traces tree; do
	equal "$view.txt" "$view"
	equal "$view.json" "$view" --json
	equal "$view.csv" "$view" --csv
done
page 'top.csv'
grep -qi '^content-disposition: attachment; filename="names-hostile-top.csv"' "$tmp/head" &&
	grep -qi '^content-type: text/csv; charset=utf-8' "$tmp/head"
result $? "a file has a type and a name"
page_stop
done_testing
