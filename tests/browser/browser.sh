# browser.sh - shared by the browser tests: find a Python that can control Chromium, run scripts with a time limit
# SPDX-License-Identifier: Apache-2.0
#
# Tests source this file after tests/cli/lib.sh. It skips the test with a reason if a program is missing.

browser_skip() {
	echo "1..0 # SKIP $1"
	exit 0
}

command -v chromium >/dev/null || browser_skip 'chromium not found: apt-get install chromium'
command -v chromedriver >/dev/null || browser_skip 'chromedriver not found: apt-get install chromium-driver'
browser_python=
for python in "${PYTHON3:-python3}" /usr/bin/python3; do
	if [ -z "$browser_python" ] && "$python" -c 'import selenium' 2>/dev/null; then browser_python=$python; fi
done
[ -n "$browser_python" ] || browser_skip 'selenium for Python not found: apt-get install python3-selenium'

# browser SCRIPT ARG...: run a script of this folder, which prints TAP, at most five minutes (45 s on two busy processors)
browser() {
	script=$1
	shift
	TMPDIR=$tmp PYTHONDONTWRITEBYTECODE=1 timeout -k 10 600 \
		"$browser_python" "${top_srcdir:?}/tests/browser/$script" "$@" 2>"${tmp:?}/browser.err"
	status=$?
	note "$tmp/browser.err"
	[ "$status" -le 1 ] || echo "Bail out! the browser took too long or did not start (status $status)"
}
