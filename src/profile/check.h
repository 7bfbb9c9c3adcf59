/*
 * check.h - is a profile what profile.h says?
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PROFILE_CHECK_H
#define PROFILE_CHECK_H

#include "base/err.h"
#include "profile/profile.h"

/*
 * Look at everything that later code relies on: columns are there, offsets rise, ids and strings
 * exist, set 0 is empty. For tests and fuzzers; readers check what they read. That equal stacks
 * share an id is not looked at, since pruning may make stacks equal.
 *
 * Fails  ERR_FORMAT with the first thing that is wrong
 */
int profile_check(const struct profile *p, struct err *err);

#endif
