#!/bin/sh
# answers.t - a Go server with net/http/pprof still gives the recorded answers
# SPDX-License-Identifier: Apache-2.0
#
# tests/unit/test_serve_answers and tests/runtime/t880-answers.t compare our server with the recorded answers. To record
# them again after a change of Go, run with RECORD=1 in a clean tree.
: "${top_srcdir:?}" "${PYTHON3:=python3}"
PATH=$PATH:/usr/local/go/bin
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
here=$top_srcdir/tests/compat
mkdir "$tmp/goserver" && cp "$here/goserver/main.go" "$tmp/goserver"
printf 'module goserver\n\ngo 1.26\n' >"$tmp/goserver/go.mod" # older ones have the answers of Go 1.21
if ! command -v go >/dev/null || ! (cd "$tmp/goserver" && GOTOOLCHAIN=local go build -o ../server .) 2>"$tmp/err"; then
	echo '1..0 # SKIP no Go of 1.26 or later to build its server with'
	exit 0
fi
"$tmp/server" >"$tmp/port" 2>"$tmp/err" &
server=$!
trap 'kill "$server"; rm -rf "$tmp"' EXIT
for _ in $(seq 100); do
	[ -s "$tmp/port" ] && break
	sleep 0.1
done
read -r port version <"$tmp/port"
"$PYTHON3" "$here/go_answers.py" "$port" "$version" <"$here/requests.txt" >"$tmp/got" || exit 1
"$PYTHON3" "$here/text_kinds.py" "$port" "$version" >"$tmp/texts" || exit 1
[ -z "${RECORD:-}" ] || cp "$tmp/texts" "$here/recorded/texts.txt"
[ -z "${RECORD:-}" ] || cp "$tmp/got" "$here/recorded/answers.txt"
grep -v '^#' "$here/recorded/answers.txt" >"$tmp/want"
grep -v '^#' "$tmp/got" >"$tmp/now"
echo "1..3"
[ "$(grep -c '^>' "$tmp/now")" -gt 120 ] && echo 'ok 1 - a Go server answers' || echo 'not ok 1 - a Go server answers'
if diff -u "$tmp/want" "$tmp/now" >"$tmp/diff"; then
	echo "ok 2 - $version gives the recorded answers"
else
	sed 's/^/# /' "$tmp/diff"
	echo "not ok 2 - $version gives the recorded answers"
fi
grep -v '^#  *kinds' "$here/recorded/texts.txt" >"$tmp/want"
if grep -v '^#  *kinds' "$tmp/texts" | diff -u "$tmp/want" - >"$tmp/diff"; then
	echo "ok 3 - texts have the recorded kinds of lines"
else
	sed 's/^/# /' "$tmp/diff"
	echo "not ok 3 - texts have the recorded kinds of lines"
fi
