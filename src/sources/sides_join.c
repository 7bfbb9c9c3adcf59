/*
 * sides_join.c - join the two sides of a comparison
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stacks keep their ids, even if some of them are equal after frames were dropped. They also stay distinct
 * when the joined form is loaded directly, because then the base is added before frames are dropped.
 */
#include "config.h"

#include "sources/sides.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "base/num.h"
#include "profile/compact.h"
#include "profile/edit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct sides_join_joiner {
	const struct profile *from;
	struct profile *d;
	uint32_t label; /* the label to remove, or PROFILE_NONE */
	uint32_t *set;  /* [label_sets] the set without the label */
	uint32_t *row;  /* [n_rows of from] row of d to which the row is added */
};

static uint32_t sides_join_find_label(const struct profile *p)
{
	for (uint32_t l = 0; l < p->n_labels; l++)
		if (p->label_is_text[l] && strcmp(profile_text(p, p->label_key[l]), BASE_LABEL) == 0 &&
		    strcmp(profile_text(p, p->label_text[l]), "true") == 0)
			return l;
	return PROFILE_NONE;
}

static bool same_items(const struct csr *lists, uint32_t a, uint32_t b)
{
	uint32_t n = lists->off[a + 1] - lists->off[a];

	return n == lists->off[b + 1] - lists->off[b] &&
	       (n == 0 || memcmp(lists->item + lists->off[a], lists->item + lists->off[b], n * sizeof(uint32_t)) == 0);
}

/* Copy a column of labels without the label to remove. */
static void *copy_without_label(const struct sides_join_joiner *j, const void *column, size_t size)
{
	char *out = arena_alloc(j->d->mem, j->from->n_labels, size);
	const char *in = column;

	if (j->from->n_labels) {
		memcpy(out, in, j->label * size);
		memcpy(out + j->label * size, in + (j->label + 1) * size, (j->from->n_labels - 1 - j->label) * size);
	}
	return out;
}

static void drop_label(struct sides_join_joiner *j)
{
	const struct profile *p = j->from;
	struct profile *d = j->d;

	d->label_key = copy_without_label(j, p->label_key, sizeof(*p->label_key));
	d->label_text = copy_without_label(j, p->label_text, sizeof(*p->label_text));
	d->label_unit = copy_without_label(j, p->label_unit, sizeof(*p->label_unit));
	d->label_num = copy_without_label(j, p->label_num, sizeof(*p->label_num));
	d->label_is_text = copy_without_label(j, p->label_is_text, sizeof(*p->label_is_text));
	d->n_labels--;
}

/* Remove the label from the label sets. Sets that are then equal get the id of the first of them. */
static void join_sets(struct sides_join_joiner *j)
{
	const struct csr *in = &j->from->label_sets;
	struct csr out = { .n = in->n };
	struct idtab ids;
	uint32_t n = 0;

	out.off = arena_alloc(j->d->mem, (size_t)in->n + 1, sizeof(*out.off));
	out.item = arena_alloc(j->d->mem, in->off[in->n], sizeof(*out.item));
	idtab_init(&ids, in->n);
	for (uint32_t s = 0; s < in->n; s++) {
		uint32_t id;
		uint64_t h;

		out.off[s] = n;
		for (uint32_t i = in->off[s]; i < in->off[s + 1]; i++)
			if (in->item[i] != j->label)
				out.item[n++] = in->item[i] - (in->item[i] > j->label);
		out.off[s + 1] = n;
		h = hash_bytes(out.item + out.off[s], (n - out.off[s]) * sizeof(*out.item));
		j->set[s] = s;
		for (size_t pos = idtab_start(&ids, h); idtab_next(&ids, h, &pos, &id);)
			if (same_items(&out, id, s))
				j->set[s] = id;
		if (j->set[s] == s)
			idtab_put(&ids, h, s);
	}
	idtab_release(&ids);
	j->d->label_sets = out;
}

/* Join rows with the same stack and label set. Sets stack and labels of the result. */
static void sides_join_rows(struct sides_join_joiner *j)
{
	const struct profile *p = j->from;
	struct profile *d = j->d;
	uint32_t *plain = mem_alloc(p->stacks.n, sizeof(*plain)); /* [stacks] the row of a stack without labels */
	struct idtab ids;

	memset(plain, 0xff, p->stacks.n * sizeof(*plain));
	idtab_init(&ids, 0);
	d->n_rows = 0;
	for (uint32_t row = 0; row < p->n_rows; row++) {
		uint32_t stack = p->stack[row], set = j->set[p->labels[row]], id, *at = set ? &id : &plain[stack];
		uint64_t h = set ? hash_u64((uint64_t)stack << 32 | set) : 0;

		id = PROFILE_NONE;
		for (size_t pos = set ? idtab_start(&ids, h) : 0; set && idtab_next(&ids, h, &pos, &id);) {
			if (d->stack[id] == stack && d->labels[id] == set)
				break;
			id = PROFILE_NONE;
		}
		if (*at == PROFILE_NONE) {
			*at = d->n_rows;
			d->stack[d->n_rows] = stack;
			d->labels[d->n_rows++] = set;
			if (set)
				idtab_put(&ids, h, *at);
		}
		j->row[row] = *at;
	}
	idtab_release(&ids);
	free(plain);
}

static int join_values(struct sides_join_joiner *j, struct err *err)
{
	const struct profile *p = j->from;
	struct profile *d = j->d;

	d->value = arena_alloc(d->mem, p->n_types, sizeof(*d->value));
	for (uint32_t t = 0; t < p->n_types; t++) {
		int64_t *to = d->value[t] = arena_zalloc(d->mem, d->n_rows, sizeof(*to));

		for (uint32_t row = 0; row < p->n_rows; row++)
			if (num_add(&to[j->row[row]], p->value[t][row]))
				return err_set(err, ERR_RANGE,
					       "sample %" PRIu32 ": the difference of %.100s overflows 64 bits",
					       row + 1, profile_text(p, p->type[t].name));
	}
	return 0;
}

int sides_join(const struct profile *separate, struct profile **out, struct err *err)
{
	struct profile *d = mem_zalloc(1, sizeof(*d));
	struct sides_join_joiner j = { .from = separate, .d = d, .label = sides_join_find_label(separate) };
	int rc;

	*d = *separate;
	d->mem = arena_new();
	d->owner = separate;
	d->stack = arena_alloc(d->mem, separate->n_rows, sizeof(*d->stack));
	d->labels = arena_alloc(d->mem, separate->n_rows, sizeof(*d->labels));
	j.set = mem_alloc(separate->label_sets.n, sizeof(*j.set));
	j.row = mem_alloc(separate->n_rows, sizeof(*j.row));
	join_sets(&j);
	if (j.label != PROFILE_NONE)
		drop_label(&j);
	sides_join_rows(&j);
	rc = join_values(&j, err);
	free(j.set);
	free(j.row);
	if (rc < 0) {
		profile_free(d);
		return rc;
	}
	if (profile_has_zero_row(d)) {
		profile_own_columns(d);
		profile_compact(d);
	}
	*out = d;
	return 0;
}
