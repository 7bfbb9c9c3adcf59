/*
 * push_int.h - internals shared by the readers of pushed profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_PUSH_PUSH_INT_H
#define FORMATS_PUSH_PUSH_INT_H

#include "base/arena.h"
#include "formats/push/push.h"

#include <stdbool.h>

/* Labels that are being collected. */
struct push_labels {
	struct push_label label[PUSH_LABELS_MAX];
	size_t n;
};

/* Add a label, by copy. Fails with ERR_FORMAT, naming the label, or ERR_LIMIT. */
int push_add_label(struct push *p, struct push_labels *to, const char *name, size_t n_name, const char *value,
		   size_t n_value, struct err *err);

/* Copy collected labels into the arena. */
const struct push_label *push_copy_labels(struct push *p, const struct push_labels *from);

/* Does the JSON have brackets deeper than the limit? libjansson recurses. */
bool push_is_deep(const uint8_t *data, size_t n);

/* The kind in the name of a sample type, like mutex_count and block_duration; "": by the type. */
const char *push_kind_of_name(const char *name);

/*
 * Read a form (multipart/form-data): the part profile, and sample_type_config, which sets kind and is_cumulative.
 *
 * data   [n] the body; out: that of the part
 * Fails  ERR_FORMAT
 */
int push_read_form(struct push *p, const char *content_type, const uint8_t **data, size_t *n, struct err *err);

#endif
