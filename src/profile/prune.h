/*
 * prune.h - remove the frames that match drop_frames of the profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PROFILE_PRUNE_H
#define PROFILE_PRUNE_H

#include "base/err.h"
#include "profile/profile.h"

#include <stddef.h>

/*
 * Cut each stack at its outermost frame that matches drop_frames and not keep_frames and that a user
 * frame calls. The frames from there to the leaf, usually of allocators and profilers, are removed. At a
 * location with inlined functions, the lines up to the outermost match are removed.
 *
 * p        modified in place; must not be shared yet. Stacks that become equal keep different ids.
 * warning  if an expression does not compile, msg names it and no frames are dropped, as in pprof,
 *          which prints no warning; else msg is empty
 * Fails    ERR_LIMIT when an expression needs too many steps for a name; p is then unchanged
 * Like     pprof profile/prune.go, RemoveUninteresting
 */
int profile_prune(struct profile *p, struct err *warning, struct err *err);

/*
 * Remove the innermost frames of each stack for which drops returns true, but not its last frame.
 *
 * p       not yet shared; afterwards its stacks may be equal
 */
void profile_drop_leaves(struct profile *p, bool (*drops)(const struct profile *p, uint32_t loc));

/*
 * The part of a function name that pruning matches: without a leading dot, and without the arguments of a C++
 * function. "(anonymous namespace)" and "operator()" are not arguments.
 *
 * n        length of name, set to the length of the part
 * Returns  start of the part
 * Like     pprof profile/prune.go, simplifyFunc
 */
const char *simplify_name(const char *name, size_t *n);

#endif
