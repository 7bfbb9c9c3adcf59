/*
 * push_parts.c - the profiles in an item of a request: one, or one per kind
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A recording of Java, and a profile of Datadog's libraries for Python, Ruby, PHP and .NET, have samples of CPU time, allocations
 * and locks in one file. The store has a series per kind, so each kind becomes a profile.
 */
#include "config.h"

#include "formats/push/push_int.h"

#include "base/mem.h"
#include "formats/jfr/jfr.h"
#include "formats/jfr/chunk.h"
#include "formats/push/push_split.h"
#include "profile/temporality.h"

#include <stdlib.h>
#include <string.h>

enum { KINDS_OF_ITEM_MAX = 64 };

void push_parts_release(struct push_parts *parts)
{
	for (size_t i = 0; i < parts->n; i++)
		profile_free(parts->part[i].profile);
	arena_free(parts->mem);
	*parts = (struct push_parts){ 0 };
}

/* Parts of an item by kind. */
struct kind_splitter {
	const struct profile *p;
	struct push_parts *to;
	const char *kind[KINDS_OF_ITEM_MAX]; /* [n] */
	size_t n;
	size_t *kind_of; /* [types] */
	bool *column;    /* [types] */
	uint32_t *row;   /* [rows] of the current part */
	size_t n_rows;
};

/* The kind of a type; that of an unknown one is its first word: "lock" of "lock-acquire-wait". */
static const char *find_part_kind(const struct kind_splitter *s, uint32_t type)
{
	const char *name = profile_text(s->p, s->p->type[type].name), *known = profile_kind_of_type(name);

	return known ? known : arena_strndup(s->to->mem, name, strcspn(name, "-"));
}

/* Find the kinds of all types. Fails with ERR_LIMIT. */
static int find_part_kinds(struct kind_splitter *s, struct err *err)
{
	for (uint32_t t = 0; t < s->p->n_types; t++) {
		const char *kind = find_part_kind(s, t);
		size_t k = 0;

		while (k < s->n && strcmp(s->kind[k], kind) != 0)
			k++;
		if (k == KINDS_OF_ITEM_MAX)
			return err_set(err, ERR_LIMIT, "more than %d kinds in a profile", (int)KINDS_OF_ITEM_MAX);
		s->kind[k] = kind;
		s->kind_of[t] = k;
		s->n += k == s->n;
	}
	return 0;
}

/* Does a row wait for another thread, not for the owner of a lock? Recordings of Java name the event in a label. */
static bool is_blocked(const struct profile *p, uint32_t row)
{
	uint32_t set = p->labels[row];

	for (uint32_t i = p->label_sets.off[set]; i < p->label_sets.off[set + 1]; i++) {
		uint32_t label = p->label_sets.item[i];

		if (strcmp(profile_text(p, p->label_key[label]), JFR_EVENT_LABEL) == 0)
			return strcmp(profile_text(p, p->label_text[label]), "jdk.JavaMonitorEnter") != 0;
	}
	return false;
}

/* Set the rows of a part: those with a value other than 0 in its columns. */
static void set_part_rows(struct kind_splitter *s, bool is_mutex, bool blocked)
{
	const struct profile *p = s->p;

	s->n_rows = 0;
	for (uint32_t i = 0; i < p->n_rows; i++) {
		bool has_value = false;

		for (uint32_t t = 0; t < p->n_types; t++)
			has_value |= s->column[t] && p->value[t][i] != 0;
		if (has_value && (!is_mutex || is_blocked(p, i) == blocked))
			s->row[s->n_rows++] = i;
	}
}

static int add_kind_part(struct kind_splitter *s, struct push_splitter *splitter, const struct push_item *item,
			 const char *kind, struct err *err)
{
	struct push_part *part = &s->to->part[s->to->n];
	int rc;

	if (s->n_rows == 0)
		return 0;
	*part = (struct push_part){ .kind = kind, .label = item->label, .n_labels = item->n_labels, .n_sent = 1 };
	rc = push_split(splitter, s->row, s->n_rows, s->column, false, &part->profile, err);
	s->to->n += rc == 0;
	return rc;
}

static int split_kinds(struct kind_splitter *s, const struct push_item *item, const struct format_options *options,
		       struct err *err)
{
	static const char mutex[] = "mutex", block[] = "block";
	struct push_splitter *splitter = push_splitter_new(s->p, options);
	int rc = 0;

	/* each kind, and block beside mutex */
	s->to->part = arena_alloc(s->to->mem, s->n + 1, sizeof(*s->to->part));
	for (size_t k = 0; k < s->n && rc == 0; k++) {
		bool is_mutex = strcmp(s->kind[k], mutex) == 0;

		for (uint32_t t = 0; t < s->p->n_types; t++)
			s->column[t] = s->kind_of[t] == k;
		set_part_rows(s, is_mutex, false);
		rc = add_kind_part(s, splitter, item, s->kind[k], err);
		if (rc == 0 && is_mutex) {
			set_part_rows(s, true, true);
			rc = add_kind_part(s, splitter, item, block, err);
		}
	}
	push_splitter_free(splitter);
	return rc;
}

/* Has a profile types of Datadog's libraries, whose names have hyphens, of several kinds? */
static bool has_several_kinds(const struct kind_splitter *s)
{
	for (uint32_t t = 0; t < s->p->n_types; t++)
		if (strchr(profile_text(s->p, s->p->type[t].name), '-'))
			return s->n > 1;
	return false;
}

/* Make parts of a profile, which is freed or becomes the only part. */
static int make_parts_of(struct profile *p, bool is_recording, const struct push_item *item,
			 const struct format_options *options, struct push_parts *to, struct err *err)
{
	struct kind_splitter s = { .p = p,
				   .to = to,
				   .kind_of = mem_alloc((size_t)p->n_types + 1, sizeof(*s.kind_of)),
				   .column = mem_alloc((size_t)p->n_types + 1, sizeof(*s.column)),
				   .row = mem_alloc((size_t)p->n_rows + 1, sizeof(*s.row)) };
	bool can_split = (is_recording || item->has_kinds) && !p->forest;
	int rc = can_split ? find_part_kinds(&s, err) : 0;

	if (rc == 0 && can_split && (is_recording || has_several_kinds(&s))) {
		rc = split_kinds(&s, item, options, err);
	} else if (rc == 0) {
		to->part = arena_alloc(to->mem, 1, sizeof(*to->part));
		to->part[to->n++] = (struct push_part){ p, item->kind, item->label, item->n_labels, 1 };
		p = NULL;
	}
	profile_free(p);
	free(s.kind_of);
	free(s.column);
	free(s.row);
	return rc;
}

/* Read an item that is a file. */
static int push_read_file(const struct push_item *item, const struct format_options *options, struct profile **out,
			  bool *is_recording, struct err *err)
{
	struct bytes copy = { .data = mem_alloc(item->n + 1, 1), .n = item->n }, data = { 0 };
	int rc;

	memcpy(copy.data, item->data, item->n);
	rc = format_inflate(&copy, options, &data, err);
	if (rc < 0)
		return rc;
	*is_recording = jfr_chunk_is_at(data.data, data.n, 0);
	if (!*is_recording)
		return formats_read(&data, options, out, err);
	rc = push_read_recording(item, data.data, data.n, options, out, err);
	free(data.data);
	return rc;
}

int push_make_parts(const struct push *p, const struct push_item *item, const struct format_options *options,
		    struct push_parts *out, struct err *err)
{
	struct push_parts parts = { .mem = arena_new() };
	struct profile *made = NULL;
	bool is_recording = false;
	int rc;

	if (p->format == PUSH_OTLP) {
		rc = push_make_otlp_parts(item, options, &parts, err);
	} else {
		if (p->format == PUSH_PPROF && item->n > 0)
			rc = push_read_file(item, options, &made, &is_recording, err);
		else
			rc = push_make_profile(p, item, options, &made, err);
		rc = rc < 0 ? rc : make_parts_of(made, is_recording, item, options, &parts, err);
	}
	if (rc < 0)
		push_parts_release(&parts);
	else
		*out = parts;
	return rc;
}
