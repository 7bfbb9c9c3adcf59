/*
 * push_int.h - internals shared by the readers of pushed profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_PUSH_PUSH_INT_H
#define FORMATS_PUSH_PUSH_INT_H

#include "base/arena.h"
#include "base/buf.h"
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
 * Read a form (multipart/form-data) into an item: the part profile or jfr, the part labels of recordings, and
 * sample_type_config, which sets kind and is_cumulative.
 *
 * item   data: [n] the body; out: that of the part
 * Fails  ERR_FORMAT
 */
int push_read_form(const char *content_type, struct push_item *item, struct err *err);

enum { PUSH_FORM_PARTS_MAX = 256 };

/* A part of a form. Borrows from the body. */
struct push_form_part {
	const char *name, *file; /* [n_name], [n_file] parameters; "" if there is none */
	size_t n_name, n_file;
	const uint8_t *data;
	size_t n;
};

struct push_form {
	struct buf mark; /* CR LF and the boundary */
	const uint8_t *at, *end;
};

/* Open a form. Fails with ERR_FORMAT if the content type has no boundary. Released with push_form_release, also on failure. */
int push_form_open(struct push_form *f, const char *content_type, const uint8_t *data, size_t n, struct err *err);
void push_form_release(struct push_form *f);

/* Read the next part. Returns false after the last complete one. */
bool push_form_next(struct push_form *f, struct push_form_part *out);
bool push_form_is(const struct push_form_part *part, const char *name);

/* Append an item; cap: its capacity. Fails with ERR_LIMIT. */
int push_add_item(struct push *p, size_t *cap, const struct push_item *item, struct err *err);

/* Is it UTF-8 without control characters? */
bool push_is_text(const char *s, size_t n);

/* The parts of a request of OTLP. As push_make_parts. */
int push_make_otlp_parts(const struct push_item *item, const struct format_options *options, struct push_parts *parts,
			 struct err *err);

/* Read a recording of Java with the labels of the item. As jfr_read. */
int push_read_recording(const struct push_item *item, const uint8_t *data, size_t n,
			const struct format_options *options, struct profile **out, struct err *err);

#endif
