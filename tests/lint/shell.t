#!/bin/sh
# shell.t - shell scripts pass shellcheck; those in script/ are short and start with their purpose
# SPDX-License-Identifier: Apache-2.0
cd "${top_srcdir:?}" || exit 1

ok() { echo "ok $1 - $2"; }
fail() { printf '%s\n' "$3" | sed 's/^/# /' && echo "not ok $1 - $2"; }
check() { if [ -z "$3" ]; then ok "$1" "$2"; else fail "$1" "$2" "$3"; fi; }

echo 1..4
if command -v shellcheck >/dev/null; then
	check 1 'shellcheck finds nothing' "$(find script .ci/run tests -type f \
		\( -path 'script/*' -o -name run -o -name '*.t' -o -name '*.sh' \) ! -name '*~' \
		-exec shellcheck -s sh -f gcc -e SC1091,SC2319 {} + 2>&1)"
else
	echo 'ok 1 # SKIP shellcheck not found: apt-get install shellcheck'
fi
check 2 'scripts have fewer than 40 lines' \
	"$(for f in script/* .ci/run; do awk 'END { if (NR >= 40) print FILENAME ": " NR " lines" }' "$f"; done)"
check 3 'scripts begin with #!, "name - purpose" and the SPDX line' "$(for f in script/* .ci/run; do
	awk -v name="${f##*/}" 'NR == 1 && !/^#!\/bin\/(ba)?sh$/ || NR == 2 && index($0, "# " name " - ") != 1 ||
		NR == 3 && $0 != "# SPDX-License-Identifier: Apache-2.0" { print FILENAME ":" NR ": " $0 }' "$f"; done)"
check 4 'scripts can be executed' "$(find script .ci/run -type f ! -perm -u+x)"
