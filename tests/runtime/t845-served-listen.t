#!/bin/sh
# t845-served-listen.t - CPA_LISTEN makes unmodified programs serve their profiles
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/served.sh"
# shellcheck disable=SC2034 # for compile
libs=
printf '#include <unistd.h>\nint main(void) { char c; while (read(0, &c, 1) > 0); return 0; }\n' >plain.c
${CC:-cc} -g -o plain plain.c || exit 1
exec_python served_listen.py
