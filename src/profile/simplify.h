/*
 * simplify.h - the part of a function's name that pruning looks at
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PROFILE_SIMPLIFY_H
#define PROFILE_SIMPLIFY_H

#include <stddef.h>

/*
 * Leave out the dot in front of a name and the arguments of a C++ function; "(anonymous namespace)"
 * and "operator()" are no arguments.
 *
 * n      length of name, set to that of the part
 * Gives  where the part starts
 * Like   pprof profile/prune.go, simplifyFunc
 */
const char *simplify_name(const char *name, size_t *n);

#endif
