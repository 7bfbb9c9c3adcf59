/*
 * nodes.c - nodes of a report
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/nodes.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int64_t nodes_mean(int64_t value, int64_t div)
{
	return div ? value / div : value;
}

int64_t nodes_flat(const struct nodes *nodes, uint32_t node)
{
	return nodes_mean(nodes->flat[node], nodes->flat_div ? nodes->flat_div[node] : 0);
}

int64_t nodes_cum(const struct nodes *nodes, uint32_t node)
{
	return nodes_mean(nodes->cum[node], nodes->cum_div ? nodes->cum_div[node] : 0);
}

void node_names_init(struct node_names *names, const struct places *pl, struct arena *mem)
{
	*names =
		(struct node_names){ .places = pl, .mem = mem, .name = arena_zalloc(mem, pl->n, sizeof(*names->name)) };
}

/* Make a printed name; the profile's own string is used if nothing is added to it. */
static const char *make_name(const struct places *pl, uint32_t place, struct arena *mem)
{
	const struct place *k = &pl->place[place];
	const struct place_detail *d = places_detail(pl, place);
	struct buf text = { 0 };
	const char *name;

	if (k->name && !d->addr && !d->line && !k->file &&
	    strlen(profile_text(pl->p, k->name)) == strtab_len(pl->p->str, k->name))
		return profile_text(pl->p, k->name);
	places_add_name(pl, place, &text);
	if (memchr(text.data, 0, text.len)) { /* a C string cannot contain a NUL */
		struct buf safe = { 0 };

		utf8_add_safe(&safe, text.data, text.len);
		buf_release(&text);
		text = safe;
	}
	name = arena_strndup(mem, text.data, text.len);
	buf_release(&text);
	return name;
}

const char *node_names_of(struct node_names *names, uint32_t place)
{
	assert(place < names->places->n);
	if (!names->name[place])
		names->name[place] = make_name(names->places, place, names->mem);
	return names->name[place];
}

struct nodes_ranked {
	const char *name;
	uint32_t place;
};

static int nodes_by_name(const void *a, const void *b)
{
	const struct nodes_ranked *l = a, *r = b;

	return strcmp(l->name, r->name);
}

uint32_t *node_names_rank(struct node_names *names, const bool *some, struct arena *mem)
{
	uint32_t *rank = arena_zalloc(mem, names->places->n, sizeof(*rank));
	struct nodes_ranked *list = mem_alloc(names->places->n, sizeof(*list));
	uint32_t n = 0, last = 0;

	for (uint32_t k = 0; k < names->places->n; k++)
		if (some[k])
			list[n++] = (struct nodes_ranked){ node_names_of(names, k), k };
	if (n)
		qsort(list, n, sizeof(*list), nodes_by_name);
	for (uint32_t i = 0; i < n; i++) {
		last += i == 0 || strcmp(list[i].name, list[i - 1].name) != 0;
		rank[list[i].place] = last;
	}
	assert(last <= n && n <= names->places->n);
	free(list);
	return rank;
}
