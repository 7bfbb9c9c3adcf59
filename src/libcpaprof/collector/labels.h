/*
 * labels.h - the labels of samples, read from the segment
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_LABELS_H
#define LIBCPAPROF_COLLECTOR_LABELS_H

#include "libcpaprof/collector/snap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Called with a label. Both texts are UTF-8, end with NUL, and are valid during the call. Returns 0 to continue. */
typedef int collect_label_fn(void *arg, const char *key, size_t n_key, const char *value, size_t n_value);

/*
 * Call f for each label of a set, sorted by key, until it returns non-zero.
 *
 * id      label set, as in struct table_stack and struct snap_row; an invalid set has no labels
 * Returns the last result of f, or 0
 *
 * Invalid UTF-8 is replaced by U+FFFD, because readers of profile.proto may refuse it. A value may be empty.
 */
int collect_labels(const struct collect *c, uint32_t id, collect_label_fn *f, void *arg);

/*
 * Read the name of a custom profile.
 *
 * number  of the profile: the field extra of its stacks (STACK_CUSTOM)
 * Returns false if there is none with that number; then out is unchanged
 */
bool collect_profile_name(const struct collect *c, uint64_t number, char *out, size_t size);

/*
 * Iterate over the custom profiles of a process.
 *
 * number  of the previous profile; 0 for the first
 * Returns the number of the next profile; 0 if there is none, and then name is unchanged
 */
uint64_t collect_profile_next(struct process *p, uint64_t number, char name[SNAP_NAME_MAX]);

/* The length in bytes of the UTF-8 character at text, which has n bytes. 0: invalid UTF-8. */
size_t collect_utf8_length(const char *text, size_t n);

#endif
