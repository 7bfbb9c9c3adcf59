/*
 * check.h - check the invariants of a profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PROFILE_CHECK_H
#define PROFILE_CHECK_H

#include "base/err.h"
#include "profile/profile.h"

/*
 * Check everything that later code relies on: columns exist, offsets ascend, ids are in range, label
 * set 0 is empty. For tests and fuzzers; readers check their input themselves. Duplicate stacks are
 * allowed, since pruning may make stacks equal.
 *
 * Fails  ERR_FORMAT with the first violation
 */
int profile_check(const struct profile *p, struct err *err);

#endif
