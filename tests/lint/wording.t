#!/bin/sh
# wording.t - comments, messages, names and commit subjects avoid the words of wording-rules.txt
# SPDX-License-Identifier: Apache-2.0
cd "${top_srcdir:?}" || exit 1

since=ab415a726d07 # checks the commits after this one
lint() { "${PYTHON3:-python3}" -B tests/lint/wording.py . "$@"; }
if ! command -v "${PYTHON3:-python3}" >/dev/null; then
	echo '1..0 # SKIP python3 not found: apt-get install python3'
	exit 0
fi
report() { # NUMBER NAME FINDINGS
	printf '%s' "$3" | sed 's/^/# /'
	[ -z "$3" ] || printf '\nnot '
	echo "ok $1 - $2"
}
echo 1..3
report 1 'reports each sentence of wording-examples.txt' "$(grep -v '^#' tests/lint/wording-examples.txt | while read -r kind text; do
	printf '%s\n' "$text" | lint --text "$kind"
done)"
report 2 'no comment, message, name or document breaks a rule' "$(lint)"
if git merge-base --is-ancestor $since HEAD 2>/dev/null; then
	report 3 'commit subjects are "area: imperative" within 72 columns' "$(git log --no-merges --format=%s $since..HEAD | lint --subjects)"
else
	echo 'ok 3 - commit subjects # SKIP no history'
fi
