# served.sh - run a Python test of a program that serves its profiles
# SPDX-License-Identifier: Apache-2.0
#
# Source it first: it builds ./served in its own folder.
. "${top_srcdir:?}/tests/runtime/lib.sh"
built=$here/${top_builddir:-.}
case ${top_builddir:-.} in /*) built=$top_builddir ;; esac
command -v "${PYTHON3:-python3}" >/dev/null || {
	echo '1..0 # SKIP python3 not found'
	exit 0
}
# shellcheck disable=SC2034 # for compile
libs="-L$built/src/libcpaprof -Wl,-rpath,$built/src/libcpaprof -lcpaprof"
compile served -I"$top_srcdir/src/libcpaprof/api"

exec_python() { # SCRIPT ARGUMENT...: run a script of this folder
	script=$top_srcdir/tests/runtime/$1
	shift
	top_builddir=$built CPA=$CPA PYTHONDONTWRITEBYTECODE=1 "${PYTHON3:-python3}" "$script" "$@"
}
