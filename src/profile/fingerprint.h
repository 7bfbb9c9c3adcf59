/*
 * fingerprint.h - a hash of the content of a profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PROFILE_FINGERPRINT_H
#define PROFILE_FINGERPRINT_H

#include "profile/profile.h"

#include <stdint.h>

/*
 * A hash of everything that reports read from a profile. It is equal in each run of the program, so it can be part of a
 * URL. It is not cryptographic: two profiles with the same hash can be made on purpose.
 */
uint64_t profile_fingerprint(const struct profile *p);

#endif
