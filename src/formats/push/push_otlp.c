/*
 * push_otlp.c - requests of OTLP: a profile per resource, kind and time
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A message Profile has one sample type since release 1.8, so those of one heap are four messages. Messages of one resource with
 * the same time, duration and kind become one profile again.
 */
#include "config.h"

#include "formats/push/push_int.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "formats/otlp/otlp.h"
#include "formats/push/push_split.h"
#include "profile/temporality.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct otlp_parts {
	struct push_parts *to;
	struct profile *p;
	struct otlp_sources sources;
	uint32_t *kind_of;               /* [types] the first type with the same kind */
	uint32_t *order;                 /* [sources] those of a part in succession */
	uint32_t *part_of;               /* [sources] */
	uint32_t *row;                   /* [rows] those of a part in succession */
	size_t *first_row;               /* [parts + 1] */
	size_t *first;                   /* [parts + 1] in order */
	size_t n;                        /* parts */
	const struct push_label **label; /* [resources] */
	size_t *n_labels;
};

static const char *otlp_part_kind(const struct otlp_parts *o, uint32_t type)
{
	const char *name = profile_text(o->p, o->p->type[type].name), *kind = profile_kind_of_type(name);

	return kind ? kind : name;
}

static void otlp_part_find_kinds(struct otlp_parts *o)
{
	for (uint32_t t = 0; t < o->p->n_types; t++) {
		uint32_t k = 0;

		while (strcmp(otlp_part_kind(o, k), otlp_part_kind(o, t)) != 0)
			k++;
		o->kind_of[t] = k;
	}
}

static uint32_t otlp_part_kind_of(const struct otlp_parts *o, const struct otlp_source *s)
{
	return s->types ? o->kind_of[__builtin_ctzll(s->types)] : 0;
}

/* Compare what the messages of a part have in common. */
static int otlp_part_compare(const struct otlp_parts *o, const struct otlp_source *x, const struct otlp_source *y)
{
	uint32_t kind_x = otlp_part_kind_of(o, x), kind_y = otlp_part_kind_of(o, y);

	if (x->resource != y->resource)
		return x->resource < y->resource ? -1 : 1;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	if (x->duration_ns != y->duration_ns)
		return x->duration_ns < y->duration_ns ? -1 : 1;
	return (kind_x > kind_y) - (kind_x < kind_y);
}

static int otlp_part_compare_order(const void *a, const void *b, void *arg)
{
	const struct otlp_parts *o = arg;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	int order = otlp_part_compare(o, &o->sources.source[i], &o->sources.source[k]);

	return order ? order : (i > k) - (i < k);
}

/* Find the parts: runs of equal sources. Fails with ERR_LIMIT. */
static int otlp_part_find(struct otlp_parts *o, struct err *err)
{
	const struct otlp_source *s = o->sources.source;
	size_t n = o->sources.n;

	for (uint32_t i = 0; i < n; i++)
		o->order[i] = i;
	qsort_r(o->order, n, sizeof(*o->order), otlp_part_compare_order, o);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || otlp_part_compare(o, &s[o->order[i]], &s[o->order[i - 1]]) != 0)
			o->first[o->n++] = i;
		o->part_of[o->order[i]] = (uint32_t)o->n - 1;
	}
	o->first[o->n] = n;
	return o->n > PUSH_ITEMS_MAX
		       ? err_set(err, ERR_LIMIT, "more than %d profiles in a request", (int)PUSH_ITEMS_MAX)
		       : 0;
}

/* The part of a row: of its first label, the number of its source. */
static uint32_t otlp_part_of_row(const struct otlp_parts *o, uint32_t row)
{
	const struct profile *p = o->p;

	return o->part_of[p->label_num[p->label_sets.item[p->label_sets.off[p->labels[row]]]]];
}

/* Sort the rows by their part. */
static void otlp_part_sort_rows(struct otlp_parts *o)
{
	size_t *next = mem_zalloc(o->n + 1, sizeof(*next));

	for (uint32_t i = 0; i < o->p->n_rows; i++)
		next[otlp_part_of_row(o, i) + 1]++;
	for (size_t k = 0; k < o->n; k++)
		next[k + 1] += next[k];
	memcpy(o->first_row, next, (o->n + 1) * sizeof(*next));
	for (uint32_t i = 0; i < o->p->n_rows; i++)
		o->row[next[otlp_part_of_row(o, i)]++] = i;
	free(next);
}

/* The name of an attribute as label of a series. */
static const char *otlp_part_label_name(const char *key)
{
	if (strcmp(key, "service.name") == 0)
		return "service_name";
	if (strcmp(key, "deployment.environment.name") == 0 || strcmp(key, "deployment.environment") == 0)
		return "env";
	return key;
}

/* Append the service, as OpenTelemetry names one that is not known. */
static void otlp_part_add_service(struct otlp_parts *o, struct push_label *label, size_t *n)
{
	const char *given = push_find_label(label, *n, "service_name"),
		   *program = push_find_label(label, *n, "process.executable.name");
	struct buf name = { 0 };

	if (given && *given)
		return;
	buf_addf(&name, "unknown_service%s%s", program ? ":" : "", program ? program : "");
	label[(*n)++] = (struct push_label){ "service_name", arena_strndup(o->to->mem, name.data, name.len) };
	buf_release(&name);
}

/* Copy a text. Bytes that are not UTF-8, and control characters, as in command lines of several lines, become question marks. */
static const char *otlp_part_copy_text(struct otlp_parts *o, const char *text)
{
	size_t n = strlen(text);
	char *copy = arena_strndup(o->to->mem, text, n);

	for (size_t at = 0, width; at < n; at += width) {
		uint32_t c;

		width = utf8_decode(copy + at, n - at, &c);
		if (width && utf8_is_safe(c))
			continue;
		width = width ? width : 1;
		memset(copy + at, '?', width);
	}
	return copy;
}

/* Make the labels of a resource. */
static int otlp_part_make_labels(struct otlp_parts *o, size_t resource, struct err *err)
{
	const struct otlp_sources *s = &o->sources;
	size_t first = resource ? s->label_end[resource - 1] : 0, n = 0;
	struct push_label *label = arena_alloc(o->to->mem, s->label_end[resource] - first + 1, sizeof(*label));
	const struct profile *p = o->p;

	for (size_t i = first; i < s->label_end[resource]; i++) {
		uint32_t id = s->label[i];
		const char *key = profile_text(p, p->label_key[id]), *text = profile_text(p, p->label_text[id]);
		struct buf number = { 0 };

		if (!*key)
			continue;
		if (!p->label_is_text[id]) {
			buf_addf(&number, "%" PRId64, p->label_num[id]);
			text = arena_strndup(o->to->mem, number.data, number.len);
			buf_release(&number);
		}
		label[n++] = (struct push_label){ otlp_part_copy_text(o, otlp_part_label_name(key)),
						  otlp_part_copy_text(o, text) };
	}
	otlp_part_add_service(o, label, &n);
	if (strlen(push_find_label(label, n, "service_name")) > PUSH_LABEL_BYTES_MAX)
		return err_set(err, ERR_FORMAT, "resource %zu: service.name is longer than %d bytes", resource + 1,
			       (int)PUSH_LABEL_BYTES_MAX);
	o->label[resource] = label;
	o->n_labels[resource] = n;
	return 0;
}

static int otlp_part_make(struct otlp_parts *o, struct push_splitter *splitter, size_t k, struct err *err)
{
	const struct otlp_source *s = &o->sources.source[o->order[o->first[k]]];
	struct push_part *part = &o->to->part[o->to->n];
	const char *kind = otlp_part_kind(o, otlp_part_kind_of(o, s));
	bool column[64] = { false };
	uint64_t types = 0;
	int rc;

	for (size_t i = o->first[k]; i < o->first[k + 1]; i++)
		types |= o->sources.source[o->order[i]].types;
	if (!types)
		return 0; /* messages without fields */
	for (size_t t = 0; t < sizeof(column); t++)
		column[t] = types >> t & 1;
	*part = (struct push_part){ .kind = profile_kind_of_type(kind) ? ""
								       : arena_strndup(o->to->mem, kind, strlen(kind)),
				    .label = o->label[s->resource],
				    .n_labels = o->n_labels[s->resource],
				    .n_sent = o->first[k + 1] - o->first[k] };
	o->p->meta.time_ns = s->time_ns;
	o->p->meta.duration_ns = s->duration_ns;
	o->p->meta.period_type = s->period_type;
	o->p->meta.has_period_type = s->has_period_type;
	o->p->meta.period = s->period;
	rc = push_split(splitter, o->row + o->first_row[k], o->first_row[k + 1] - o->first_row[k], column, true,
			&part->profile, err);
	o->to->n += rc == 0;
	return rc;
}

static int otlp_parts_make(struct otlp_parts *o, const struct format_options *options, struct err *err)
{
	struct push_splitter *splitter = push_splitter_new(o->p, options);
	int rc = 0;

	o->to->part = arena_alloc(o->to->mem, o->n + 1, sizeof(*o->to->part));
	o->label = arena_alloc(o->to->mem, o->sources.n_resources + 1, sizeof(*o->label));
	o->n_labels = arena_alloc(o->to->mem, o->sources.n_resources + 1, sizeof(*o->n_labels));
	for (size_t i = 0; i < o->sources.n_resources && rc == 0; i++)
		rc = otlp_part_make_labels(o, i, err);
	for (size_t k = 0; k < o->n && rc == 0; k++)
		rc = otlp_part_make(o, splitter, k, err);
	push_splitter_free(splitter);
	return rc;
}

int push_make_otlp_parts(const struct push_item *item, const struct format_options *options, struct push_parts *parts,
			 struct err *err)
{
	struct otlp_parts o = { .to = parts };
	size_t n;
	int rc;

	if (item->n == 0)
		return 0; /* a message without fields */
	rc = otlp_read_sources(item->data, item->n, options, &o.sources, &o.p, err);

	if (rc == 0) {
		n = o.sources.n;
		o.kind_of = mem_alloc((size_t)o.p->n_types + 1, sizeof(*o.kind_of));
		o.order = mem_alloc(n + 1, sizeof(*o.order));
		o.part_of = mem_alloc(n + 1, sizeof(*o.part_of));
		o.row = mem_alloc((size_t)o.p->n_rows + 1, sizeof(*o.row));
		o.first = mem_alloc(n + 1, sizeof(*o.first));
		o.first_row = mem_alloc(n + 1, sizeof(*o.first_row));
		otlp_part_find_kinds(&o);
		rc = otlp_part_find(&o, err);
	}
	if (rc == 0) {
		otlp_part_sort_rows(&o);
		rc = otlp_parts_make(&o, options, err);
	}
	profile_free(o.p);
	otlp_sources_release(&o.sources);
	free(o.kind_of);
	free(o.order);
	free(o.part_of);
	free(o.row);
	free(o.first);
	free(o.first_row);
	return rc;
}

int push_read_otlp(const uint8_t *data, size_t n, struct push *out, struct err *err)
{
	struct push p = { .mem = arena_new(), .n = 1, .format = PUSH_OTLP, .skipped = "" };

	(void)err;
	p.item = arena_alloc(p.mem, 1, sizeof(*p.item));
	*p.item = (struct push_item){ .id = "", .kind = "", .data = data, .n = n };
	*out = p;
	return 0;
}
