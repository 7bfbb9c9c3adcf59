/*
 * copy.c - a profile as a system wants it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sinks/copy.h"

#include "base/arena.h"
#include "profile/temporality.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

/* The numbers from 1 to n. */
static uint64_t *sink_copy_ids(struct arena *mem, uint32_t n)
{
	uint64_t *id = arena_alloc(mem, n, sizeof(*id));

	for (uint32_t i = 0; i < n; i++)
		id[i] = i + UINT64_C(1);
	return id;
}

void sink_copy_make(const struct sink_item *item, struct sink_copy *out)
{
	const struct profile *from = item->profile;
	struct profile *p = &out->p;

	assert(from && !from->forest);
	*p = *from;
	p->mem = arena_new();
	p->owner = from;
	p->loc_id = sink_copy_ids(p->mem, p->n_locs);
	p->func_id = sink_copy_ids(p->mem, p->n_funcs);
	p->map = arena_alloc(p->mem, p->n_maps, sizeof(*p->map));
	for (uint32_t i = 0; i < p->n_maps; i++) {
		p->map[i] = from->map[i];
		p->map[i].id = i + UINT64_C(1);
	}
	p->type = arena_alloc(p->mem, p->n_types, sizeof(*p->type));
	p->value = arena_alloc(p->mem, p->n_types, sizeof(*p->value));
	for (uint32_t i = 0; i < p->n_types; i++) {
		p->type[i] = from->type[i];
		p->value[i] = from->value[i];
	}
	p->meta.time_ns = item->start_ns;
	p->meta.duration_ns = item->duration_ns;
	out->more = strtab_new();
}

void sink_copy_release(struct sink_copy *c)
{
	strtab_free(c->more);
	arena_free(c->p.mem);
}

str_id sink_copy_text(struct sink_copy *c, const char *text)
{
	const struct strtab *base = c->p.owner->str;
	str_id id;

	if (strtab_find(base, text, strlen(text), &id))
		return id;
	return strtab_count(base) - 1 + strtab_addz(c->more, text);
}

void sink_copy_seal(struct sink_copy *c)
{
	if (strtab_count(c->more) > 1)
		c->p.str = strtab_make_concat(c->p.owner->str, c->more, c->p.mem);
}

uint32_t sink_copy_select(struct sink_copy *c, bool gauges)
{
	struct profile *p = &c->p;
	uint32_t n = 0;

	for (uint32_t t = 0; t < p->n_types; t++) {
		if ((profile_temporality(c->p.owner, t) == TEMPORALITY_GAUGE) != gauges)
			continue;
		p->type[n] = p->type[t];
		p->value[n++] = p->value[t];
	}
	return p->n_types = n;
}

void sink_add_name(struct buf *out, const char *text, const char *allowed)
{
	if (isdigit((unsigned char)*text))
		buf_addz(out, "_");
	for (; *text; text++)
		buf_add(out, isalnum((unsigned char)*text) || strchr(allowed, *text) ? text : "_", 1);
}

const char *sink_label(const struct sink_item *item, const char *name)
{
	for (size_t i = 0; i < item->n_labels; i++)
		if (strcmp(item->label[i].name, name) == 0)
			return item->label[i].value;
	return NULL;
}
