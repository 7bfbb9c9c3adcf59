#!/bin/sh
# agents.t - real agents push every kind of profile to a collector, and the store has the same profiles
# SPDX-License-Identifier: Apache-2.0
# Needs CPA_AGENTS, a folder made by tests/compat/agents/install.sh.
[ -d "${CPA_AGENTS:-}" ] || {
	echo '1..0 # SKIP no CPA_AGENTS; tests/compat/agents/install.sh FOLDER installs agents'
	exit 0
}
agents_home=$HOME
. "${top_srcdir:?}/tests/cli/lib.sh"
export HOME="$agents_home"
sh "$top_srcdir/tests/compat/agents/run.sh" "$CPA_AGENTS" "$CPA" "$tmp/work" >"$tmp/results" 2>&1
awk '/^(not )?ok - / { sub(/ok -/, "ok " ++n " -"); } { print } END { print "1.." n + 0 }' "$tmp/results"
