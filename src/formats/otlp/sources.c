/*
 * sources.c - marks the samples of a request with the profile and the resource that they are from
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A collector of OpenTelemetry sends profiles of many services in one request, with one dictionary. They are read as one
 * profile, so that the dictionary is read once.
 */
#include "config.h"

#include "formats/otlp/otlp.h"
#include "formats/otlp/otlp_int.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

/* Resources or messages of a request. */
enum { OTLP_SOURCES_MAX = 100000 };

int otlp_sources_add_resource(struct otlp_reader *r, struct err *err)
{
	struct otlp_sources *s = r->sources;

	if (s->n_resources == OTLP_SOURCES_MAX)
		return err_set(err, ERR_LIMIT, "more than %d resources", (int)OTLP_SOURCES_MAX);
	s->label = mem_grow(s->label, &s->cap_labels, s->n_labels + r->n_labels + 1, sizeof(*s->label));
	for (size_t i = 0; i < r->n_labels; i++)
		s->label[s->n_labels++] = r->label[i].label;
	s->label_end = mem_grow(s->label_end, &s->cap_resources, s->n_resources + 1, sizeof(*s->label_end));
	s->label_end[s->n_resources++] = s->n_labels;
	r->label[0] = (struct otlp_label){ 0 }; /* the mark, set for each profile */
	r->n_labels = r->n_replaceable = 1;
	return 0;
}

int otlp_sources_add(struct otlp_reader *r, struct err *err)
{
	struct otlp_sources *s = r->sources;
	const struct builder_label mark = { .num = (int64_t)s->n };

	assert(s->n_resources > 0);
	if (s->n == OTLP_SOURCES_MAX)
		return err_set(err, ERR_LIMIT, "more than %d profiles", (int)OTLP_SOURCES_MAX);
	s->source = mem_grow(s->source, &s->cap, s->n + 1, sizeof(*s->source));
	s->source[s->n++] = (struct otlp_source){ .resource = (uint32_t)s->n_resources - 1 };
	return builder_label(r->b, &mark, &r->inherited[0].label, err);
}

void otlp_sources_release(struct otlp_sources *s)
{
	free(s->source);
	free(s->label_end);
	free(s->label);
	*s = (struct otlp_sources){ 0 };
}
