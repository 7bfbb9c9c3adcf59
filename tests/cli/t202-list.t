#!/bin/sh
# t202-list.t - cpa list: source lines with their values; tests/compat compares the numbers with pprof
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
export HOME="$tmp" GOROOT=/nonexistent

golden list Price -source_path=make/shop go-cpu.pb.gz
golden list nearest -source_path=make --color=always go-cpu.pb.gz
golden list Depot -source_path=make/shop --json -base=go-heap1.pb.gz go-heap2.pb.gz
golden list nearest -source_path=make --csv go-cpu.pb.gz
golden list nearest -source_path=make --markdown go-cpu.pb.gz
golden list winner -source_path=make/tally -noinlines rust-cpu.pb.gz
golden list Price -source_path=none go-cpu.pb.gz
golden list -trim_path=shop -source_path=none:make/shop nearest go-cpu.pb.gz
golden -list=. -source_path=none edge/inline-sometimes.pb.gz
fails 'no matches found for regexp: nosuch$' list nosuch go-cpu.pb.gz
fails 'parsing argument regexp' list 'a(' go-cpu.pb.gz
fails 'list needs a REGEX and a source' list go-cpu.pb.gz

# The paths searched for a source file are printed on standard error only.
"$CPA" list nearest -source_path="$tmp/a:$tmp/b" go-cpu.pb.gz 2>"$tmp/err" >"$tmp/out"
grep -q "^cpa: shop/route/route.go was not found; tried $tmp/a/shop/route/route.go, $tmp/b/shop/route/route.go, " "$tmp/err"
result $? "the most likely paths are printed on standard error"
grep -q "^ Error: could not find file shop/route/route.go on path $tmp/a:$tmp/b\$" "$tmp/out"
result $? "the report contains the error text of pprof"

# Sources in another folder are found by the name of the module and by the end of the path.
cp -R make/shop "$tmp/mine"
chmod -R u+w "$tmp/mine"
"$CPA" list nearest -source_path=make go-cpu.pb.gz >"$tmp/want"
"$CPA" list nearest -source_path="$tmp/mine" go-cpu.pb.gz >"$tmp/got" 2>"$tmp/err"
same "Go's main module is found by its name in go.mod" "$tmp/want" "$tmp/got"
mkdir "$tmp/deep"
mv "$tmp/mine" "$tmp/deep/mine"
"$CPA" list nearest -source_path="$tmp/deep" go-cpu.pb.gz >"$tmp/got" 2>"$tmp/err"
same "a file below a folder is found by the end of its path" "$tmp/want" "$tmp/got"

# Names in a profile, and the text of the source files, may contain any bytes.
for f in edge/*.pb* edge/*.txt; do
	"$CPA" list . --color=never "$f" 2>/dev/null
done >"$tmp/all"
LC_ALL=C tr -d '\n\t' <"$tmp/all" | LC_ALL=C grep -q '[[:cntrl:]]'
result $((! $?)) "list prints no control character of a hostile name"
mkdir -p "$tmp/hostile/shop/route"
sed "60s/\$/$(printf '\033[2J\014\351')/" make/shop/route/route.go >"$tmp/hostile/shop/route/route.go"
"$CPA" list nearest -source_path="$tmp/hostile" go-cpu.pb.gz >"$tmp/out"
# shellcheck disable=SC1003 # literal backslashes
grep -q -F '     60:		if !u {\x1b[2J\x0c\xe9' "$tmp/out"
result $? "control characters in a source line are escaped, except tabs"

for threads in 1 2 5; do
	"$CPA" list . --json --threads=$threads -source_path=make go-cpu.pb.gz 2>/dev/null >"$tmp/threads.$threads"
done
same "two threads print the same as one" "$tmp/threads.1" "$tmp/threads.2"
same "five threads print the same as one" "$tmp/threads.1" "$tmp/threads.5"

if ! "${PYTHON3:-python3}" -c 'import jsonschema' 2>/dev/null; then
	echo "ok $((count += 1)) - the JSON of list is valid against the schema # SKIP no python3-jsonschema"
	done_testing
	exit 0
fi
"${PYTHON3:-python3}" - "$top_srcdir/docs/schema/report.schema.json" "$tmp/threads.1" <<'PY' >"$tmp/schema" 2>&1
import json, sys, jsonschema
check = jsonschema.Draft201909Validator(json.load(open(sys.argv[1])))
report = json.load(open(sys.argv[2]))
check.validate(report)
assert {row["role"] for row in report["rows"]} == {"routine", "line", "inlined"}
PY
status=$?
[ $status -eq 0 ] || note "$tmp/schema"
result $status "the JSON of list is valid against the schema"
done_testing
