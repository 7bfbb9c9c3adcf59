# sinks.sh - functions for tests of sinks; source it after lib.sh
# SPDX-License-Identifier: Apache-2.0
#
# contract SYSTEM STEP...: starts a server with the rules of a system; its files are in $tmp/fake, its port in $port
# push URL [KEY=VALUE...] FILE...: sends profiles; a line per try is in $tmp/out, messages in $tmp/err
# certificate HOST: makes one in $tmp/cert.pem; servers that are started have TLS until CONTRACT_CERT is unset
# keeps_rules: checks that no rule was broken
# same_rows DESCRIPTION FILE...: checks that the server has the rows of these files
# push_once SYSTEM PATH [OPTION...]: checks that cpa push sends profiles to a new server
# thirty FOLDER: writes thirty profiles of five kinds

: "${tmp:?}"
fake_pid=
trap 'kill $fake_pid 2>/dev/null; wait; rm -rf "$tmp"' EXIT

contract() {
	[ -z "$fake_pid" ] || { kill "$fake_pid" && wait "$fake_pid" 2>/dev/null; }
	rm -rf "$tmp/fake"
	mkdir "$tmp/fake"
	system=$1
	shift
	site=-S # no packages are imported, which takes long
	[ "$system" = polarsignals ] && site=-s
	"${PYTHON3:-python3}" $site "${top_srcdir:?}/tests/cli/contract.py" "$system" "$tmp/fake" "$@" >"$tmp/fake.log" 2>&1 &
	fake_pid=$!
	for _ in $(seq 600); do
		[ -f "$tmp/fake/port" ] && break
		kill -0 "$fake_pid" 2>/dev/null || break
		sleep 0.1
	done
	# shellcheck disable=SC2034 # for the tests
	port=$(cat "$tmp/fake/port") || note "$tmp/fake.log"
	touch "$tmp/fake/rows" "$tmp/fake/broken" "$tmp/fake/labels"
}

push() { "${top_builddir:?}/tests/unit/send_profiles" "$@" >"$tmp/out" 2>"$tmp/err"; }

certificate() {
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=$1" -addext "subjectAltName=DNS:$1" \
		-keyout "$tmp/key.pem" -out "$tmp/cert.pem" 2>/dev/null
	export CONTRACT_CERT="$tmp/cert.pem" CONTRACT_KEY="$tmp/key.pem"
}

keeps_rules() {
	[ -s "$tmp/fake/broken" ] && note "$tmp/fake/broken"
	[ -s "$tmp/fake/rows" ] && [ ! -s "$tmp/fake/broken" ]
	result $? 'each request keeps the rules of the system'
}

same_rows() {
	description=$1
	shift
	"${PYTHON3:-python3}" -S "$top_srcdir/tests/cli/contract.py" rows "$@" | sort >"$tmp/rows"
	sort "$tmp/fake/rows" >"$tmp/rows.got"
	cmp -s "$tmp/rows" "$tmp/rows.got"
	differ=$?
	[ "$differ" -eq 0 ] || diff "$tmp/rows" "$tmp/rows.got" | cut -c 1-300 | head -n 20 >"$tmp/diff"
	[ "$differ" -eq 0 ] || note "$tmp/diff"
	result "$differ" "$description"
}

push_once() {
	contract "$1"
	to=$1+http://127.0.0.1:$port$2
	shift 2
	"$CPA" push --to="$to" --service=shop "$@" "$tmp"/made/cpu/*.pb.gz >"$tmp/out" 2>"$tmp/err"
	status=$?
	is_equal "$status $(tail -n 1 "$tmp/out")" '0 sent 6 of 6 profiles' 'cpa push sends profiles'
	same_rows 'the server has what cpa push sent' "$tmp"/made/cpu/*.pb.gz
}

thirty() {
	for kind in cpu heap mutex; do
		"${PYTHON3:-python3}" -S "$top_srcdir/tests/cli/stored_profiles.py" "$1/$kind" "$kind" 1795953600 60 6 || return
	done
	# shellcheck disable=SC2034 # for the tests
	files=$(ls "$TESTDATA"/*.pb.gz "$1"/*/*.pb.gz)
}
