# gate.sh - functions for the tests of cpa gate; source it after lib.sh
# SPDX-License-Identifier: Apache-2.0
#
# gate_options: options for each run, may be empty

: "${tmp:?}" "${CPA:?}" "${top_srcdir:?}"
gate_options=

# side SET N: prints the file names SET-1.pb.gz to SET-N.pb.gz
side() { for i in $(seq "$2"); do echo "$1-$i.pb.gz"; done; }
# base N [SET]: prints -base options for the first N profiles of the set
base() { side "${2:-base}" "$1" | sed 's/^/-base=/'; }

# gate ARG...: runs cpa gate; standard output is in out, standard error in err, the exit status in $status
gate() {
	# shellcheck disable=SC2086 # a list of options
	"$CPA" gate $gate_options "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
}

# exits_with STATUS DESCRIPTION ARG...: checks the exit status of "cpa gate ARG..."
exits_with() {
	expected=$1 description=$2
	shift 2
	gate "$@"
	[ "$status" -eq "$expected" ]
	good=$?
	[ $good -eq 0 ] || { note "$tmp/out" && note "$tmp/err"; }
	result $good "$description (status $status)"
}

# prints PATTERN DESCRIPTION: checks that a line of the last output matches
prints() {
	grep -q -e "$1" "$tmp/out"
	good=$?
	[ $good -eq 0 ] || note "$tmp/out"
	result $good "$2"
}

# omits PATTERN DESCRIPTION: checks that no line of the last output matches
omits() {
	[ -s "$tmp/out" ] && ! grep -q -e "$1" "$tmp/out"
	good=$?
	[ $good -eq 0 ] || note "$tmp/out"
	result $good "$2"
}

# valid_ci_files NAME FOLDER STATUS: checks the files sarif, github, markdown and junit of a gate that exited with STATUS
valid_ci_files() {
	if "${PYTHON3:-python3}" -c 'import jsonschema' 2>/dev/null; then
		"${PYTHON3:-python3}" "$top_srcdir/tests/cli/gate_ci.py" "$top_srcdir/tests/cli/sarif.schema.json" "$2" "$3" \
			>"$tmp/err" 2>&1
		good=$?
		[ $good -eq 0 ] || note "$tmp/err"
		result $good "$1: SARIF is valid against the schema, and annotations and Markdown are well-formed"
	else
		result 0 "$1: SARIF is valid # SKIP no python3-jsonschema"
	fi
	if command -v xmllint >/dev/null; then
		xmllint --noout --schema "$top_srcdir/tests/cli/junit.xsd" "$2/junit" >"$tmp/err" 2>&1
		good=$?
		[ $good -eq 0 ] || note "$tmp/err"
		result $good "$1: JUnit is valid against the schema"
	else
		result 0 "$1: JUnit is valid # SKIP xmllint not found: apt-get install libxml2-utils"
	fi
}
