#!/bin/sh
# t745-sink-coroot.t - profiles are sent to Coroot as its agent does
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/sinks.sh"
thirty "$tmp/made"
echo 'X-API-Key: key-of-the-project' >"$tmp/key" && chmod 600 "$tmp/key"
one=$TESTDATA/go-cpu.pb.gz

contract coroot
files=$(echo "$files" | grep -v -e threadcreate -e node- -e allocs)
# shellcheck disable=SC2086 # names without blanks
push "coroot+http://127.0.0.1:$port/base" header-file="$tmp/key" "$one"
is_equal "$(cat "$tmp/out")" 'refused HTTP 400: the path is /base/v1/profiles' 'the path is below that of the URL'
contract coroot
# shellcheck disable=SC2086
push "coroot+http://127.0.0.1:$port" header-file="$tmp/key" label:pod=a label:a%26b='c&d=e' label:service.name=x $files
is_equal "$(sort "$tmp/out" | uniq -c | tr -s ' ')" ' 26 sent the label service.name is left out' 'profiles are sent'
keeps_rules
# shellcheck disable=SC2086
"${PYTHON3:-python3}" -S "$top_srcdir/tests/cli/contract.py" rows $files | grep -v '^samples count' | sort >"$tmp/rows"
sort "$tmp/fake/rows" >"$tmp/rows.got"
cmp "$tmp/rows" "$tmp/rows.got"
result $? 'the server has the stacks, labels and values of the files, without counts of samples'
is_equal "$(sort -u "$tmp/fake/labels")" 'a%26b=c&d=e pod=a service.name=shop' 'labels are in the query'
push "coroot+http://127.0.0.1:$port" header-file="$tmp/key" "$tmp/made/cpu/000.pb.gz" "$tmp/made/heap/000.pb.gz"
is_equal "$(tail -n 2 "$tmp/fake/times" | sed 's/000000000//g' | tr '\n' ' ')" '1795953600 1795953601 1795953540 1795953600 ' 'times are those of the end'

contract coroot 503 429:7 half 404
push "coroot+http://127.0.0.1:$port" header-file="$tmp/key" "$one" "$TESTDATA/go-threadcreate.pb.gz"
sed 's/http.*shop: //' "$tmp/out" >"$tmp/got"
cat >"$tmp/wanted" <<'END'
later 0 HTTP 503: the step of the scenario
later 7 HTTP 429: the step of the scenario
later 0 the server closed the connection early, after 0 bytes
denied HTTP 404: the step of the scenario
refused Coroot has no profiles of the kind threadcreate
END
same 'each status is handled' "$tmp/wanted" "$tmp/got"
contract coroot
"$CPA" push --to="coroot+http://127.0.0.1:$port" --header-file="$tmp/key" --service=shop "$tmp"/made/heap/*.pb.gz >"$tmp/out" 2>"$tmp/err"
is_equal "$? $(tail -n 1 "$tmp/out")" '0 sent 6 of 6 profiles' 'cpa push sends profiles'
is_equal "$(awk '/^alloc_space/ { sum += $3 } END { print sum }' "$tmp/fake/rows")" 25000 'counters are sent as increases'
done_testing
