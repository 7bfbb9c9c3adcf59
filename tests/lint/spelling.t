#!/bin/sh
# spelling.t - codespell finds no misspelt words
# SPDX-License-Identifier: Apache-2.0
cd "${top_srcdir:?}" || exit 1

if ! command -v codespell >/dev/null; then
	echo '1..0 # SKIP codespell not found: apt-get install codespell'
	exit 0
fi
echo 1..1
if said=$(codespell -q 3 -I tests/lint/words.txt src viewers docs script .ci tests/*/*.[ch] tests/*/*.t \
	tests/*/*.sh tests/*/*.py README.md NEWS.md Makefile.am configure.ac m4 2>&1); then
	echo 'ok 1 - no word is misspelt'
else
	printf '%s\n' "$said" | sed 's/^/# /'
	echo 'not ok 1 - no word is misspelt (words that are right: tests/lint/words.txt)'
fi
