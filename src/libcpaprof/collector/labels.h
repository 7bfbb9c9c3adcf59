/*
 * labels.h - the labels of samples, read out of the segment
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_LABELS_H
#define LIBCPAPROF_COLLECTOR_LABELS_H

#include "libcpaprof/collector/snap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Takes a label; both texts are UTF-8, end with 0 and are good until it returns. Gives 0 to go on. */
typedef int collect_label_fn(void *arg, const char *key, size_t n_key, const char *value, size_t n_value);

/*
 * Call f with each label of a set, in order of the keys, until it gives other than 0.
 *
 * id      as in struct table_stack, struct snap_row; of a set that is none there are no labels
 * Gives   what f gave last, or 0
 *
 * What is no UTF-8 in a text becomes U+FFFD: readers of profile.proto may refuse a profile for it. A value
 * may be empty.
 */
int collect_labels(const struct collect *c, uint32_t id, collect_label_fn *f, void *arg);

/*
 * The name of a custom profile.
 *
 * number  extra of its stacks (STACK_CUSTOM)
 * Gives   false when there is none with that number; out is then untouched
 */
bool collect_profile_name(const struct collect *c, uint64_t number, char *out, size_t size);

/*
 * The custom profiles that a process has made, one after the other, as of now.
 *
 * number  the one before; 0 for the first
 * Gives   the number of the next one; 0 when there is none. name is untouched then
 */
uint64_t collect_profile_next(struct process *p, uint64_t number, char name[SNAP_NAME_MAX]);

/* How many bytes the character of UTF-8 at text has, of n that there are. 0: it is none. */
size_t collect_character(const char *text, size_t n);

#endif
