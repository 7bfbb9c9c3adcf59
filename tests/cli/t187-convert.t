#!/bin/sh
# t187-convert.t - cpa convert: the ending of the file or --to chooses the format; --from and --to select by time
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

"$CPA" folded go-cpu.pb.gz >"$tmp/want"
"$CPA" convert -o "$tmp/go.folded" go-cpu.pb.gz 2>"$tmp/err"
same "the ending .folded writes folded stacks" "$tmp/want" "$tmp/go.folded"
"$CPA" convert --to=collapsed go-cpu.pb.gz >"$tmp/got"
same "--to names a format, also by its other names, and needs no file" "$tmp/want" "$tmp/got"
"$CPA" convert --from=folded --to=pprof - <"$tmp/go.folded" >"$tmp/go.pb.gz" && "$CPA" folded "$tmp/go.pb.gz" | sort >"$tmp/got"
sort "$tmp/want" >"$tmp/sorted"
same "--from names the format of the sources" "$tmp/sorted" "$tmp/got"
"$CPA" speedscope -focus=main go-cpu.pb.gz >"$tmp/want"
"$CPA" convert -focus=main -o "$tmp/go.speedscope.json" go-cpu.pb.gz 2>"$tmp/err"
same "the longest ending decides, and filters apply" "$tmp/want" "$tmp/go.speedscope.json"

fails '^cpa: convert: -o FILE is missing; its ending chooses the format$' convert go-cpu.pb.gz
fails '^cpa: convert: -o .*x.unknown: no format that cpa writes; add --to=FORMAT: pprof, ' convert -o "$tmp/x.unknown" go-cpu.pb.gz
fails '^cpa: convert: --to=jfr: no format that cpa writes' convert --to=jfr -o "$tmp/x.folded" go-cpu.pb.gz
fails '^cpa: convert: --from=nothing: no such format' convert --from=nothing -o "$tmp/x.folded" go-cpu.pb.gz
[ ! -e "$tmp/x.folded" ] && [ ! -e "$tmp/x.unknown" ]
result $? "nothing is written after an error"
fails '^cpa: go-cpu.pb.gz: no sample has a time, which --times, --from and --to need$' top --from=1s go-cpu.pb.gz
fails '^cpa: go-cpu.pb.gz: no sample has a time' top --times go-cpu.pb.gz
fails '^cpa: --from=2s --to=1s: no time is between them$' top --from=2s --to=1s go-cpu.pb.gz
fails '^cpa: --from=folded: not a duration' top --from=folded go-cpu.pb.gz
"$CPA" anonymize -o "$tmp/go.speedscope.json" go-cpu.pb.gz 2>&1 | tail -1 | sed "s,$tmp/,," >"$tmp/got"
echo 'cpa: go.speedscope.json is in the format .pb.gz, in spite of its ending; cpa convert writes the format of the ending' >"$tmp/want"
same "an ending of another format is reported" "$tmp/want" "$tmp/got"
for format in speedscope cpuprofile firefox otlp callgrind; do
	set -- "$format"
	[ "$format" != callgrind ] || set -- callgrind -unit=ns
	"$CPA" "$@" go-cpu.pb.gz >"$tmp/want"
	"$CPA" convert -o "$tmp/go.$format" --to="$format" go-cpu.pb.gz 2>"$tmp/err" && cmp -s "$tmp/want" "$tmp/go.$format" ||
		echo "$format"
done >"$tmp/wrong"
"$CPA" convert -o "$tmp/go.firefox.json" go-cpu.pb.gz 2>"$tmp/err" && cmp -s "$tmp/go.firefox.json" "$tmp/go.firefox" || echo ending >>"$tmp/wrong"
[ ! -s "$tmp/wrong" ]
result $? "convert writes each format as its report does" || note "$tmp/wrong"
for end in speedscope.json cpuprofile firefox.json otlp.pb callgrind; do
	"$CPA" convert -o "$tmp/two.$end" formats/perf/two-zstd.data 2>/dev/null
	"$CPA" top -unit=ns "$tmp/two.$end" 2>/dev/null | awk -v end=$end '$5 == "100%" { print end, $1 + 0 }'
done >"$tmp/got"
"$CPA" top -unit=ns formats/perf/two-zstd.data 2>/dev/null | awk '$5 == "100%" { print $1 + 0 }' >"$tmp/total"
for end in speedscope.json cpuprofile firefox.json otlp.pb callgrind; do
	echo "$end $(cat "$tmp/total")"
done >"$tmp/want"
same "each format has the default type, exactly" "$tmp/want" "$tmp/got"
fails '^cpa: convert: -o .*x.json: no format that cpa writes' convert -o "$tmp/x.json" go-cpu.pb.gz

sed -n '/^Recognized/q; s/^  \([a-z][a-z0-9-]*\) .*/\1/p' <<-END | sort >"$tmp/read"
	$("$CPA" help formats)
END
# shellcheck disable=SC2016 # backquotes of Markdown
grep -o '^| `[^|]*' "$top_srcdir/docs/formats.md" | grep -o '`[a-z0-9-]*`' | tr -d '`' | sort -u >"$tmp/documented"
comm -23 "$tmp/read" "$tmp/documented" >"$tmp/missing"
[ -s "$tmp/read" ] && [ ! -s "$tmp/missing" ]
result $? "docs/formats.md has a row for each format that is read" || note "$tmp/missing"
done_testing
