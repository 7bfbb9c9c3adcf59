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

# CPA_PART(part, NAME, description): the option --without-part; afterwards CPA_PART_LIBRARY for each library, then CPA_PART_END
AC_DEFUN([CPA_PART],
[AC_ARG_WITH([$1], [AS_HELP_STRING([--without-$1], [leave out $3])], [], [with_$1=auto])
cpa_lacks=
AS_IF([test "x$with_$1" = xno], [cpa_lacks="configured --without-$1"])])

# CPA_PART_LIBRARY(part, VARIABLE, pkg-config module, Debian package): without it the part is missing, unless --with-part was given
AC_DEFUN([CPA_PART_LIBRARY],
[AS_IF([test "x$with_$1" != xno], [PKG_CHECK_MODULES([$2], [$3], [],
  [AS_IF([test "x$with_$1" = xyes], [CPA_MISS(m4_bpatsubst([$3], [ .*]), [$4])],
    [cpa_lacks="${cpa_lacks:+$cpa_lacks, }$4 not found"])])])])

# CPA_PART_END(part, NAME): defines the condition WITH_NAME, and PART_NAME for built_parts.h: what is missing, empty if built
AC_DEFUN([CPA_PART_END],
[AS_IF([test -n "$cpa_lacks" && test "x$with_$1" = xauto], [AC_MSG_WARN([building without $1: $cpa_lacks])])
AM_CONDITIONAL([WITH_$2], [test -z "$cpa_lacks"])
AC_SUBST([PART_$2], [$cpa_lacks])])

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
