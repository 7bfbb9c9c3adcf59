/*
 * samples.c - samples as rows: one per stack and labels, with a value per sample type
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/otlp/otlp_int.h"

#include "base/num.h"

#include <inttypes.h>
#include <string.h>

/* The row of a stack and the current labels. */
static int otlp_find_row(struct otlp_reader *r, uint32_t stack, uint32_t *out, struct err *err)
{
	uint32_t ids[OTLP_LABELS_MAX + 1], labels;
	int rc;

	for (size_t k = 0; k < r->n_labels; k++)
		ids[k] = r->label[k].label;
	rc = builder_label_set(r->b, ids, r->n_labels, &labels, err);
	return rc < 0 ? rc : merged_rows_find(r->rows, stack, labels, out, err);
}

static int otlp_add_value(struct otlp_reader *r, uint32_t stack, size_t column, int64_t value, struct err *err)
{
	int64_t *at;
	uint32_t row;
	int rc = otlp_find_row(r, stack, &row, err);

	if (rc < 0)
		return rc;
	at = &builder_values(r->b, r->column[column])[row];
	*at = num_add_capped(*at, value);
	return 0;
}

/* Add a row per time stamp of the sample, with its value, or 1. */
static int otlp_add_times(struct otlp_reader *r, uint32_t stack, struct err *err)
{
	str_id key = strtab_addz(builder_strings(r->b), PROFILE_TIME_LABEL);
	size_t n_labels = r->n_labels;
	int rc = 0;

	if (n_labels == OTLP_LABELS_MAX)
		return err_set(err, ERR_LIMIT, "more than %d attributes", (int)OTLP_LABELS_MAX);
	for (size_t i = 0; i < r->times.n && rc == 0; i++) {
		r->label[n_labels].key = key;
		rc = builder_time_label(r->b, (int64_t)(r->times.v[i] - r->first_time_ns), &r->label[n_labels].label,
					err);
		r->n_labels = n_labels + 1;
		rc = rc < 0 ? rc : otlp_add_value(r, stack, 0, r->values.n ? (int64_t)r->values.v[i] : 1, err);
	}
	r->n_labels = n_labels;
	return rc;
}

/* Add the values: one per type before 1.8; since 1.8 one, or one per time stamp, or a time stamp for each event. */
static int otlp_add_values(struct otlp_reader *r, uint32_t stack, struct err *err)
{
	int64_t sum = 0;
	int rc = 0;

	if (r->values.n == 0 && r->times.n == 0)
		skipped_add(&r->empty, r->n_samples);
	if (r->options->keeps_times && r->times.n && r->n_columns == 1 &&
	    (r->values.n == 0 || r->values.n == r->times.n))
		return otlp_add_times(r, stack, err);
	if (r->options->keeps_times && r->times.n)
		skipped_add(&r->untimed, r->n_samples);
	if (r->n_columns > 1 && r->values.n && r->values.n != r->n_columns)
		return err_set(err, ERR_FORMAT, "%zu values for %zu sample types", r->values.n, r->n_columns);
	for (size_t i = 0; r->n_columns > 1 && i < r->n_columns && rc == 0; i++)
		rc = otlp_add_value(r, stack, i, r->values.n ? (int64_t)r->values.v[i] : (int64_t)r->times.n, err);
	if (r->n_columns > 1)
		return rc;
	for (size_t i = 0; i < r->values.n; i++)
		sum = num_add_capped(sum, (int64_t)r->values.v[i]);
	return otlp_add_value(r, stack, 0, r->values.n ? sum : (int64_t)r->times.n, err);
}

/* The id of the stack of a sample. */
static int otlp_find_stack(struct otlp_reader *r, uint64_t start, uint64_t length, uint32_t *out, struct err *err)
{
	if (r->release >= OTLP_1_8)
		return otlp_stack(r, start, out, err);
	if (length == 0)
		return otlp_stack_of(r, r->direct.v, r->direct.n, out, err);
	if (start > r->indices.n || length > r->indices.n - start)
		return err_set(err, ERR_FORMAT, "locations %" PRIu64 " to %" PRIu64 " of %zu do not exist", start,
			       start + length, r->indices.n);
	r->n_frames += length;
	if (r->n_frames > r->max_frames)
		return err_set(err, ERR_LIMIT, "all samples together have more than %" PRIu64 " frames", r->max_frames);
	return otlp_stack_of(r, r->indices.v + start, (size_t)length, out, err);
}

int otlp_read_sample(struct otlp_reader *r, struct otlp_span sample, struct err *err)
{
	const struct otlp_fields *n = r->fields;
	struct cursor c = otlp_cursor(sample);
	uint64_t start = 0, length = 0, link = r->release >= OTLP_1_8 ? 0 : UINT64_MAX;
	struct field f;
	uint32_t stack;
	int rc = 0;

	r->values.n = r->attributes.n = r->times.n = r->direct.n = 0;
	memcpy(r->label, r->inherited, r->n_inherited * sizeof(*r->label));
	r->n_labels = r->n_replaceable = r->n_inherited;
	while (rc == 0 && otlp_next_field(&c, &f)) {
		if (f.number == n->sample_stack)
			start = otlp_number(&c, &f);
		else if (f.number == n->sample_length)
			length = otlp_number(&c, &f);
		else if (f.number == n->sample_values)
			rc = otlp_add_ints(&r->values, &f, false, err);
		else if (f.number == n->sample_attributes)
			rc = otlp_add_ints(&r->attributes, &f, false, err);
		else if (f.number == n->sample_link)
			link = otlp_number(&c, &f);
		else if (f.number == n->sample_times)
			rc = otlp_add_ints(&r->times, &f, r->release >= OTLP_1_8, err);
		else if (r->release == OTLP_1_3 && f.number == 1)
			rc = otlp_add_ints(&r->direct, &f, false, err);
	}
	rc = rc < 0 ? rc : otlp_check(&c, err);
	for (size_t i = 0; i < r->attributes.n && rc == 0; i++)
		rc = otlp_add_table_attribute(r, r->attributes.v[i], err);
	if (rc == 0 && link != UINT64_MAX)
		rc = otlp_add_link(r, link, err);
	rc = rc < 0 ? rc : otlp_find_stack(r, start, length, &stack, err);
	return rc < 0 ? rc : otlp_add_values(r, stack, err);
}
