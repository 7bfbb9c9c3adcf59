# cpa.m4 - configure checks that name the Debian package of what they miss
# SPDX-License-Identifier: Apache-2.0

# CPA_MISS(what, Debian package): remember that something needed was not found
AC_DEFUN([CPA_MISS],
[cpa_missing="$cpa_missing
    $1 not found: apt-get install $2"
cpa_packages="$cpa_packages $2"])

# CPA_LIBRARY(VARIABLE, pkg-config module, Debian package): sets VARIABLE_CFLAGS and VARIABLE_LIBS
AC_DEFUN([CPA_LIBRARY],
[PKG_CHECK_MODULES([$1], [$2], [], [CPA_MISS(m4_bpatsubst([$2], [ .*]), [$3])])])

# CPA_PROGRAM(VARIABLE, program, Debian package)
AC_DEFUN([CPA_PROGRAM],
[AC_ARG_VAR([$1], [the program $2])
AC_CHECK_PROGS([$1], [$2])
AS_IF([test -z "$$1"], [CPA_MISS([$2], [$3])])])

# CPA_COMPLAIN: stop here when anything was missed, and say everything at once
AC_DEFUN([CPA_COMPLAIN],
[AS_IF([test -n "$cpa_missing"],
  [AC_MSG_ERROR([$cpa_missing
  All at once: apt-get install$cpa_packages
  On Debian 12, script/setup installs everything that cpa and its tests need.])])])
