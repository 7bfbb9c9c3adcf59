/*
 * tags.c - the labels of the samples that reach a node
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each label set is converted to words once. Then the rows are visited in order, since a number that prints the same as
 * an earlier one is added to it and takes over its value. A word whose samples together weigh less than the cutoff
 * cannot reach the cutoff at any node, and is dropped first. With a label per request, this drops nearly all words.
 */
#include "config.h"

#include "engine/tags.h"

#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/strtab.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "profile/edit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A tag of any node: the joined text labels of a set, or a number below them. */
struct word {
	uint32_t label, text; /* ids in texts; label 0 means none */
	bool is_number;
	uint64_t weight; /* sum of the magnitudes of all samples that have the word */
};

/* A word in a label set. */
struct use {
	uint32_t word;
	int64_t value; /* value of a number */
};

/* The words of a label set: use[first .. first + n). */
struct set_uses {
	uint32_t first, n;
};

struct tags_tag_builder {
	const struct view *v;
	const struct nodes *nodes;
	const struct calltree *tree;
	const bool *wanted;
	const char *unit; /* unit of numbers whose key is "bytes" */
	struct strtab *texts;
	const char **shown; /* [texts] display text of joined labels, else NULL */
	size_t n_shown, cap_shown;
	struct arena *mem;
	struct set_uses *set; /* [label sets] */
	struct word *word;
	size_t n_words, cap_words;
	struct idtab words;
	struct use *use;
	size_t n_uses, cap_uses;
	struct tag *tag;
	uint32_t *of; /* [tags] word of the tag */
	size_t n, cap, cap_of;
	struct idtab ids;
	uint32_t *seen, *reached; /* [nodes] last row seen at the node, + 1; the nodes of the current row */
};

static bool engine_tags_is_text(const struct profile *p, uint32_t label)
{
	return p->label_is_text[label] && strcmp(profile_text(p, p->label_key[label]), BASE_LABEL) != 0;
}

static int engine_tags_by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Make the display text: one label per line. */
static void show_labels(struct tags_tag_builder *c, uint32_t id, char *const *part, uint32_t n)
{
	struct buf lines = { 0 };

	while (c->n_shown <= id) {
		c->shown = mem_grow(c->shown, &c->cap_shown, c->n_shown + 1, sizeof(*c->shown));
		c->shown[c->n_shown++] = NULL;
	}
	if (c->shown[id])
		return;
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			buf_add(&lines, "\n", 1);
		utf8_add_safe(&lines, part[i], strlen(part[i]));
	}
	c->shown[id] = arena_strndup(c->mem, buf_text(&lines), lines.len);
	buf_release(&lines);
}

static uint32_t join_labels(struct tags_tag_builder *c, const uint32_t *label, uint32_t n, struct arena *scratch)
{
	const struct profile *p = c->v->p;
	char **part = arena_alloc(scratch, n, sizeof(*part));
	struct buf all = { 0 };
	uint32_t n_parts = 0, id;

	for (uint32_t i = 0; i < n; i++) {
		struct buf one = { 0 };

		if (!engine_tags_is_text(p, label[i]))
			continue;
		buf_addf(&one, "%s:%s", profile_text(p, p->label_key[label[i]]),
			 profile_text(p, p->label_text[label[i]]));
		part[n_parts++] = arena_own(scratch, one.data);
	}
	if (n_parts == 0)
		return 0;
	qsort(part, n_parts, sizeof(*part), engine_tags_by_text);
	for (uint32_t i = 0; i < n_parts; i++)
		buf_addf(&all, "%s%s", i ? "\\n" : "", part[i]);
	id = strtab_add(c->texts, all.data, all.len);
	show_labels(c, id, part, n_parts);
	buf_release(&all);
	return id;
}

static uint32_t engine_tags_find_word(struct tags_tag_builder *c, uint32_t label, bool is_number, uint32_t text)
{
	uint64_t words[2] = { (uint64_t)label << 32 | text, is_number };
	uint64_t h = hash_bytes(words, sizeof(words));
	uint32_t id;

	for (size_t pos = idtab_start(&c->words, h); idtab_next(&c->words, h, &pos, &id);)
		if (c->word[id].label == label && c->word[id].is_number == is_number && c->word[id].text == text)
			return id;
	c->word = mem_grow(c->word, &c->cap_words, c->n_words + 1, sizeof(*c->word));
	c->word[c->n_words] = (struct word){ .label = label, .text = text, .is_number = is_number };
	idtab_put(&c->words, h, (uint32_t)c->n_words);
	return (uint32_t)c->n_words++;
}

static void add_use(struct tags_tag_builder *c, uint32_t word, int64_t value)
{
	c->use = mem_grow(c->use, &c->cap_uses, c->n_uses + 1, sizeof(*c->use));
	c->use[c->n_uses++] = (struct use){ word, value };
}

static void engine_tags_add_number(struct tags_tag_builder *c, uint32_t label, int64_t value, const char *shown_unit)
{
	struct buf text = { 0 };

	unit_add_label(&text, value, c->unit, shown_unit);
	add_use(c, engine_tags_find_word(c, label, true, strtab_add(c->texts, text.data, text.len)), value);
	buf_release(&text);
}

static void read_sets(struct tags_tag_builder *c, str_id bytes, const struct label_units *units, const char *shown_unit)
{
	const struct profile *p = c->v->p;
	struct arena *scratch = arena_new();

	c->set = mem_zalloc(p->label_sets.n, sizeof(*c->set));
	for (uint32_t s = 0; s < p->label_sets.n && !stop_step(c->v->stop, s); s++) {
		const uint32_t *label = p->label_sets.item + p->label_sets.off[s];
		uint32_t n = p->label_sets.off[s + 1] - p->label_sets.off[s];
		uint32_t joined = join_labels(c, label, n, scratch);

		c->set[s].first = (uint32_t)c->n_uses;
		if (joined)
			add_use(c, engine_tags_find_word(c, joined, false, joined), 0);
		for (uint32_t i = 0; i < n; i++)
			if (bytes && !p->label_is_text[label[i]] && p->label_key[label[i]] == bytes)
				engine_tags_add_number(c, joined, label_number(units, p, label[i]), shown_unit);
		c->set[s].n = (uint32_t)c->n_uses - c->set[s].first;
	}
	arena_free(scratch);
}

static void add_saturated(uint64_t *sum, uint64_t v)
{
	*sum = *sum + v < v ? UINT64_MAX : *sum + v;
}

/* Drop the words whose weight over all samples is below the cutoff. */
static void drop_light(struct tags_tag_builder *c, uint64_t cutoff)
{
	const struct profile *p = c->v->p;
	uint32_t n = 0;

	for (uint32_t row = 0; row < c->v->n; row++) {
		const struct set_uses *set = &c->set[p->labels[row]];

		for (uint32_t i = set->first; i < set->first + set->n; i++)
			add_saturated(&c->word[c->use[i].word].weight, num_abs(c->v->val[row]));
	}
	for (uint32_t s = 0; s < p->label_sets.n; s++) {
		uint32_t first = n;

		for (uint32_t i = c->set[s].first; i < c->set[s].first + c->set[s].n; i++)
			if (c->word[c->use[i].word].weight >= cutoff)
				c->use[n++] = c->use[i];
		c->set[s] = (struct set_uses){ first, n - first };
	}
	assert(n <= c->n_uses);
}

/* Find or add the tag of a node for a word. */
static struct tag *find_tag(struct tags_tag_builder *c, uint32_t node, const struct use *use)
{
	uint64_t h = hash_u64((uint64_t)node << 32 | use->word);
	uint32_t id;

	for (size_t pos = idtab_start(&c->ids, h); idtab_next(&c->ids, h, &pos, &id);)
		if (c->tag[id].node == node && c->of[id] == use->word)
			return &c->tag[id];
	c->tag = mem_grow(c->tag, &c->cap, c->n + 1, sizeof(*c->tag));
	c->of = mem_grow(c->of, &c->cap_of, c->n + 1, sizeof(*c->of));
	c->tag[c->n] = (struct tag){ .node = node,
				     .label = c->word[use->word].label,
				     .is_number = c->word[use->word].is_number,
				     .value = use->value };
	c->of[c->n] = use->word;
	idtab_put(&c->ids, h, (uint32_t)c->n);
	return &c->tag[c->n++];
}

/* Add a row to the tags of a node. */
static void engine_tags_add_row(struct tags_tag_builder *c, uint32_t node, uint32_t row, bool flat)
{
	const struct set_uses *set = &c->set[c->v->p->labels[row]];
	const int64_t *div = c->v->div;
	int64_t w = c->v->val[row], d = div ? div[row] : 0;

	for (uint32_t i = set->first; i < set->first + set->n; i++) {
		struct tag *t = find_tag(c, node, &c->use[i]);

		int64_t *sum = flat ? &t->flat : &t->cum, *sum_div = flat ? &t->flat_div : &t->cum_div;

		*sum = num_add_capped(*sum, w); /* equal printed numbers of one set count once each */
		*sum_div = num_add_capped(*sum_div, d);
	}
}

/* Find the wanted nodes of a row, root first, and its leaf. Returns their number. */
static uint32_t reach_places(struct tags_tag_builder *c, uint32_t row, uint32_t *leaf)
{
	const struct stack_lists *stacks = &c->v->p->stacks;
	uint32_t s = c->v->p->stack[row], n = 0, k, at = 0;

	for (uint32_t i = stacks->off[s + 1]; i-- > stacks->off[s];) {
		const uint32_t *place = places_of(c->nodes->places, stack_id_at(stacks, i), &k);

		while (k-- > 0) {
			at = place[k];
			if (!c->wanted[at] || c->seen[at] == row + 1)
				continue;
			c->seen[at] = row + 1;
			c->reached[n++] = at;
		}
	}
	*leaf = at;
	return n;
}

static uint32_t reach_tree(struct tags_tag_builder *c, uint32_t row, uint32_t *leaf)
{
	uint32_t n = 0;

	*leaf = c->tree->leaf[c->v->p->stack[row]];
	for (uint32_t at = *leaf; at != CALLTREE_NONE; at = c->tree->parent[at])
		if (c->wanted[at])
			c->reached[n++] = at;
	return n;
}

static int engine_tags_collect(struct tags_tag_builder *c, struct err *err)
{
	const size_t max_tags = mem_quarter_of_ram() / (4 * sizeof(*c->tag)); /* with hash table and room to grow */
	const struct profile *p = c->v->p;
	const int64_t *val = c->v->val, *div = c->v->div;

	stop_begin(c->v->stop, "finding labels", c->v->n);
	for (uint32_t row = 0; row < c->v->n && !stop_step(c->v->stop, row); row++) {
		uint32_t n, leaf, s = p->stack[row];

		if (c->set[p->labels[row]].n == 0 || (!val[row] && !(div && div[row])) ||
		    p->stacks.off[s] == p->stacks.off[s + 1])
			continue;
		n = c->tree ? reach_tree(c, row, &leaf) : reach_places(c, row, &leaf);
		for (uint32_t i = 0; i < n && c->n <= max_tags; i++)
			engine_tags_add_row(c, c->reached[i], row, false);
		if (leaf != CALLTREE_NONE && c->wanted[leaf])
			engine_tags_add_row(c, leaf, row, true);
		if (c->n > max_tags)
			return err_set(err, ERR_LIMIT,
				       "more than %zu labels on nodes; show fewer nodes, or add -taghide=.", max_tags);
	}
	return stop_check(c->v->stop, err);
}

/* Sort the tags by node and set their names. */
static void finish_tags(struct tags_tag_builder *c, struct arena *mem, struct tags *out)
{
	struct tags t = { .n = c->n, .tag = arena_alloc(mem, c->n, sizeof(*t.tag)) };

	t.off = arena_zalloc(mem, (size_t)c->nodes->n + 2, sizeof(*t.off));
	for (size_t i = 0; i < c->n; i++)
		t.off[c->tag[i].node + 2]++;
	for (uint32_t k = 0; k < c->nodes->n; k++)
		t.off[k + 2] += t.off[k + 1];
	for (size_t i = 0; i < c->n; i++) {
		struct tag *tag = &t.tag[t.off[c->tag[i].node + 1]++];
		uint32_t id = c->word[c->of[i]].text;
		const char *text = strtab_text(c->texts, id);

		*tag = c->tag[i];
		tag->name = arena_strndup(mem, text, strlen(text));
		tag->text = tag->is_number ? tag->name : c->shown[id];
		tag->unit = c->unit;
	}
	assert(t.off[c->nodes->n] == c->n);
	*out = t;
}

/* Remove tags whose flat and cum are both below the cutoff. */
static void engine_tags_cut(struct tags *tags, size_t n_nodes, uint64_t cutoff)
{
	size_t n = 0, lo = 0;

	for (size_t k = 0; k < n_nodes; k++) {
		size_t hi = tags->off[k + 1];

		for (size_t i = lo; i < hi; i++)
			if (num_abs(tags->tag[i].flat) >= cutoff || num_abs(tags->tag[i].cum) >= cutoff)
				tags->tag[n++] = tags->tag[i];
		lo = hi;
		tags->off[k + 1] = n;
	}
	assert(n <= tags->n);
	tags->n = n;
}

int tags_make(const struct view *v, const struct nodes *nodes, const struct calltree *tree, const bool *wanted,
	      const struct label_units *units, const char *unit, uint64_t cutoff, struct arena *mem, struct tags *out,
	      struct err *err)
{
	int rc;
	struct tags_tag_builder c = { .v = v, .nodes = nodes, .tree = tree, .wanted = wanted, .unit = "bytes" };
	str_id key = 0;

	assert(wanted && units && (!tree || tree->n == nodes->n));
	for (uint32_t l = 0; l < v->p->n_labels && key == 0; l++)
		if (strcmp(profile_text(v->p, v->p->label_key[l]), "bytes") == 0)
			key = v->p->label_key[l];
	if (key && units->shown[key])
		c.unit = units->shown[key];
	c.mem = mem;
	c.texts = strtab_new();
	idtab_init(&c.ids, 0);
	idtab_init(&c.words, 0);
	c.seen = mem_zalloc(nodes->n, sizeof(*c.seen));
	c.reached = mem_alloc(nodes->n, sizeof(*c.reached));
	read_sets(&c, key, units, unit);
	drop_light(&c, cutoff);
	rc = engine_tags_collect(&c, err);
	if (rc == 0) {
		finish_tags(&c, mem, out);
		engine_tags_cut(out, nodes->n, cutoff);
	}
	strtab_free(c.texts);
	idtab_release(&c.ids);
	idtab_release(&c.words);
	free(c.seen);
	free(c.reached);
	free(c.set);
	free(c.use);
	free(c.word);
	free(c.tag);
	free(c.of);
	free(c.shown);
	return rc;
}

int tags_compare(const struct tag *a, const struct tag *b, bool by_flat)
{
	if (!by_flat && a->cum != b->cum && num_abs(a->cum) != num_abs(b->cum))
		return num_abs(a->cum) > num_abs(b->cum) ? -1 : 1;
	if (num_abs(a->flat) != num_abs(b->flat))
		return num_abs(a->flat) > num_abs(b->flat) ? -1 : 1;
	if (strcmp(a->name, b->name) != 0)
		return strcmp(a->name, b->name);
	if (a->flat != b->flat)
		return a->flat > b->flat ? -1 : 1;
	return a->cum == b->cum ? 0 : a->cum > b->cum ? -1 : 1;
}
