/*
 * label_order.h - the labels of a sample in the order in which they are written
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PROFILE_LABEL_ORDER_H
#define PROFILE_LABEL_ORDER_H

#include "profile/profile.h"

/*
 * Sort each label set: texts before numbers, by the bytes of their keys; labels of one key stay in
 * their order.
 *
 * Gives   [label_sets.off[label_sets.n]] label ids, at the places of the set's own; the caller
 *         frees
 * Like    pprof profile/encode.go, preEncode
 */
uint32_t *profile_label_order(const struct profile *p);

#endif
