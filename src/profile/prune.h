/*
 * prune.h - drop the frames that a profile itself calls uninteresting
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PROFILE_PRUNE_H
#define PROFILE_PRUNE_H

#include "base/err.h"
#include "profile/profile.h"

#include <stddef.h>

/*
 * Cut stacks at the outermost frame below a frame of the user that matches drop_frames and not
 * keep_frames: allocators and profilers below it are not what was asked about. Inlined lines up to
 * the outermost match go from their locations.
 *
 * p        written in place: only its loader may ask for this, before it is shared. Stacks that
 *          become equal keep their own ids.
 * warning  its msg is empty, or says which expression does not compile; then nothing is dropped,
 *          as in pprof, which does not say so
 * Fails    ERR_LIMIT when an expression needs too many steps for a name; p is unchanged
 * Like     pprof profile/prune.go, RemoveUninteresting
 */
int profile_prune(struct profile *p, struct err *warning, struct err *err);

/*
 * The part of a function's name that pruning matches: without a leading dot, and without the arguments of a C++ function.
 * "(anonymous namespace)" and "operator()" are not arguments.
 *
 * n      length of name, set to that of the part
 * Gives  where the part starts
 * Like   pprof profile/prune.go, simplifyFunc
 */
const char *simplify_name(const char *name, size_t *n);

#endif
