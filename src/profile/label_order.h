/*
 * label_order.h - the labels of a sample in output order
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PROFILE_LABEL_ORDER_H
#define PROFILE_LABEL_ORDER_H

#include "profile/profile.h"

/*
 * Sort each label set: texts before numbers, then by the bytes of the key, then in the original order.
 *
 * Returns [label_sets.off[label_sets.n]] label ids, arranged like label_sets.item; the caller frees it
 * Like    pprof profile/encode.go, preEncode
 */
uint32_t *profile_label_order(const struct profile *p);

#endif
