/*
 * comparison.h - the two sides of a comparison, in the order of all arrays of sides
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_COMPARISON_H
#define BASE_COMPARISON_H

/* A profile without a base is the new side. */
enum side { SIDE_BASE = 0, SIDE_NEW = 1, N_SIDES };

#endif
