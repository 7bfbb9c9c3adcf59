/*
 * summed.c - stores of servers that return sums
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/pyroscope/summed.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "fetch/url.h"

#include <stdlib.h>
#include <string.h>

int summed_open(const struct store_backend *backend, const char *url, const char *prefix,
		const struct fetch_options *options, struct store **out, struct err *err)
{
	const char *server = url + (starts_with(url, prefix) ? strlen(prefix) : 0);
	struct pyro_store *s;
	struct url parsed;
	int rc = url_parse(server, 0, &parsed, err);

	if (rc < 0)
		return rc;
	s = mem_zalloc(1, sizeof(*s));
	s->store.backend = backend;
	s->server = mem_strndup(server, strlen(server));
	url_redact(server, &s->name);
	url_release(&parsed);
	s->options = *options;
	s->options.stays_on_server = true;
	*out = &s->store;
	return 0;
}

void summed_close(struct store *store)
{
	struct pyro_store *s = (struct pyro_store *)store;

	buf_release(&store->damage);
	buf_release(&s->name);
	free(s->server);
	free(s);
}

int summed_each_mark(struct store *s, const char *service, bool is_pattern, const char *kind, store_mark_fn *fn,
		     void *arg, struct err *err)
{
	(void)s, (void)service, (void)is_pattern, (void)kind, (void)fn, (void)arg, (void)err;
	return 0;
}

int summed_each_pin(struct store *s, store_pin_fn *fn, void *arg, struct err *err)
{
	(void)s, (void)fn, (void)arg, (void)err;
	return 0;
}

int summed_each_set(const struct pyro_sets *sets, const struct pyro_span *span, store_series_fn *fn, void *arg,
		    struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sets->n_sets; i++) {
		const struct store_series series = { .service = sets->set[i].service,
						     .kind = sets->set[i].kind,
						     .label = sets->set[i].label,
						     .n_labels = sets->set[i].n_labels,
						     .first_ns = span->start_ms * NS_PER_MS,
						     .last_ns = span->end_ms * NS_PER_MS };

		rc = fn(arg, &series, err);
	}
	return rc;
}

int summed_add_total(void *arg, const struct pyro_set *set, int64_t start_ns, int64_t value, struct err *err)
{
	const struct summed_totals *x = arg;
	const enum temporality delta = TEMPORALITY_DELTA;
	const struct store_block_total t = { .service = set->service,
					     .kind = set->kind,
					     .label = set->label,
					     .n_labels = set->n_labels,
					     .t0 = start_ns,
					     .t1 = start_ns,
					     .profiles = x->counts,
					     .n_types = 1,
					     .type = &x->column->type,
					     .unit = &x->column->unit,
					     .temporality = &delta,
					     .total = &value };

	return x->fn(x->arg, &t, err);
}

void summed_list_init(struct summed_list *x, const struct pyro_sets *sets, int64_t step_ms, store_item_fn *fn,
		      void *arg)
{
	*x = (struct summed_list){ .n_types = (uint32_t)sets->n_columns, .step_ms = step_ms, .fn = fn, .arg = arg };
	x->type = arena_alloc(sets->memory, sets->n_columns, sizeof(*x->type));
	x->unit = arena_alloc(sets->memory, sets->n_columns, sizeof(*x->unit));
	for (size_t i = 0; i < sets->n_columns; i++) {
		x->type[i] = sets->column[i].type;
		x->unit[i] = sets->column[i].unit;
	}
}

int summed_add_item(void *arg, const struct pyro_set *set, int64_t start_ns, int64_t value, struct err *err)
{
	const struct summed_list *x = arg;
	const struct store_item item = { .service = set->service,
					 .kind = set->kind,
					 .label = set->label,
					 .n_labels = set->n_labels,
					 .start_ns = start_ns,
					 .duration_ns = x->step_ms * NS_PER_MS,
					 .n_types = x->n_types,
					 .type = x->type,
					 .unit = x->unit };

	(void)value;
	return x->fn(x->arg, &item, err);
}
