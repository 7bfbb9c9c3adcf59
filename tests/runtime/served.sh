# served.sh - for tests that are written in Python, of programs that serve their profiles
# SPDX-License-Identifier: Apache-2.0
#
# Source it first: it builds ./served in a folder of its own.
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

exec_python() { # SCRIPT of this folder, its words
	script=$top_srcdir/tests/runtime/$1
	shift
	top_builddir=$built CPA=$CPA PYTHONDONTWRITEBYTECODE=1 "${PYTHON3:-python3}" "$script" "$@"
}
