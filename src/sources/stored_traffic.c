/*
 * stored_traffic.c - the stored profiles of a side of a comparison
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/strtab.h"
#include "sources/stored.h"
#include "store/instance.h"

#include <stdlib.h>
#include <string.h>

struct traffic_counter {
	struct side_traffic *out;
	struct strtab *instances, *versions; /* ids count from 1 */
	struct buf name;
};

static int traffic_add_profile(void *arg, const struct store_item *item, struct err *err)
{
	struct traffic_counter *c = arg;

	(void)err;
	c->out->profiles++;
	c->out->covered_ns = num_add_capped(c->out->covered_ns, item->duration_ns);
	instance_begin(&c->name, item->service);
	for (size_t i = 0; i < item->n_labels; i++) {
		instance_add(&c->name, item->label[i].name, item->label[i].value);
		if (strcmp(item->label[i].name, "version") == 0)
			strtab_addz(c->versions, item->label[i].value);
	}
	strtab_add(c->instances, c->name.data, c->name.len);
	return 0;
}

static int traffic_add_samples(void *arg, const struct store_block_total *t, struct err *err)
{
	struct traffic_counter *c = arg;

	(void)err;
	for (uint32_t i = 0; i < t->n_types; i++)
		if (strcmp(t->type[i], "samples") == 0 && strcmp(t->unit[i], "count") == 0 && t->total[i] > 0)
			c->out->samples += (uint64_t)t->total[i];
	return 0;
}

static int traffic_add_source(struct traffic_counter *c, const char *source, const struct query *q, struct err *err)
{
	struct stored_source s;
	int rc = stored_open(source, q, &s, err);

	rc = rc < 0 ? rc : store_list(s.store, &s.query, q->stop, traffic_add_profile, c, err);
	rc = rc < 0 ? rc : store_totals(s.store, &s.query, q->stop, traffic_add_samples, c, err);
	stored_close(&s);
	return rc;
}

bool stored_find_traffic(const char *const *word, size_t n, const struct query *q, struct arena *mem,
			 struct side_traffic *out)
{
	struct traffic_counter c = { .out = out, .instances = strtab_new(), .versions = strtab_new() };
	struct err ignored; /* the source is read later, and fails then */
	bool is_known = n > 0;

	*out = (struct side_traffic){ 0 };
	for (size_t i = 0; is_known && i < n; i++)
		is_known = stored_is_source(word[i]) && traffic_add_source(&c, word[i], q, &ignored) == 0;
	out->instances = strtab_count(c.instances) - 1;
	out->n_versions = strtab_count(c.versions) - 1;
	out->version = arena_alloc(mem, out->n_versions, sizeof(*out->version));
	for (uint32_t i = 0; i < out->n_versions; i++) {
		const char *text = strtab_text(c.versions, i + 1);

		out->version[i] = arena_strndup(mem, text, strlen(text));
	}
	strtab_free(c.instances);
	strtab_free(c.versions);
	buf_release(&c.name);
	return is_known && out->profiles;
}
