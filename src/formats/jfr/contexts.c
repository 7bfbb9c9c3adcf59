/*
 * contexts.c - labels that events have by reference, as Pyroscope's agent for Java writes them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The agent's version of async-profiler adds the fields contextId, spanId and spanName to events. The labels of contexts and the
 * names of spans are not in the recording: they are sent beside it.
 */
#include "config.h"

#include "formats/jfr/jfr_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int jfr_compare_context(const void *key, const void *item)
{
	int64_t id = *(const int64_t *)key, other = ((const struct jfr_context *)item)->id;

	return (id > other) - (id < other);
}

static int jfr_compare_text(const void *key, const void *item)
{
	int64_t id = *(const int64_t *)key, other = ((const struct jfr_context_text *)item)->id;

	return (id > other) - (id < other);
}

/* Append the label of a context to those of the current event. */
static int jfr_add_context_label(struct jfr_reader *r, const char *key, const char *text, struct err *err)
{
	return jfr_add_text_label(r, strtab_addz(r->str, key), strtab_addz(r->str, text), err);
}

/* Append the labels of a span. */
static int jfr_add_span(struct jfr_reader *r, const struct jfr_fields *fields, struct err *err)
{
	const struct jfr_contexts *all = r->contexts;
	int64_t span = jfr_get(fields, SLOT_SPAN)->num, name = jfr_get(fields, SLOT_SPAN_NAME)->num;
	const struct jfr_context_text *text;
	char id[17];
	int rc = 0;

	snprintf(id, sizeof(id), "%016" PRIx64, (uint64_t)span);
	if (span)
		rc = jfr_add_context_label(r, "profile_id", id, err);
	text = name && all->n_texts ? bsearch(&name, all->text, all->n_texts, sizeof(*text), jfr_compare_text) : NULL;
	return rc == 0 && text ? jfr_add_context_label(r, "span_name", text->text, err) : rc;
}

int jfr_add_context(struct jfr_reader *r, const struct jfr_fields *fields, size_t at, struct err *err)
{
	const struct jfr_contexts *all = r->contexts;
	int64_t id = jfr_get(fields, SLOT_CONTEXT)->num;
	const struct jfr_context *c;
	int rc = 0;

	if (!all)
		return 0;
	c = id && all->n ? bsearch(&id, all->context, all->n, sizeof(*c), jfr_compare_context) : NULL;
	if (id && !c)
		skipped_add(&r->no_context, at);
	if (c && c->n > JFR_CONTEXT_LABELS_MAX)
		skipped_add(&r->long_contexts, at);
	for (size_t i = 0; c && rc == 0 && i < c->n && i < JFR_CONTEXT_LABELS_MAX; i++)
		rc = jfr_add_context_label(r, c->label[i].key, c->label[i].value, err);
	return rc < 0 ? rc : jfr_add_span(r, fields, err);
}
