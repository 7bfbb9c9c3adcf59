#!/bin/sh
# t133-own-frames.t - dumps of threads have no frames of our library, and PPROFLISTEN starts the server
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/served.sh"
# shellcheck disable=SC2034 # for compile
libs=
compile waits
printf '#include <unistd.h>\nint main(void) { char c; while (read(0, &c, 1) > 0); return 0; }\n' >plain.c
${CC:-cc} -g -o plain plain.c || exit 1
exec_python own_frames.py
