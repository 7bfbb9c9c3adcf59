/*
 * fingerprint.c - a hash of the content of a profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/fingerprint.h"

#include "base/hash.h"
#include "base/strtab.h"

#include <string.h>

static const uint64_t key = 0x9e3779b97f4a7c15, other_key = 0xd1b54a32d192ed03;

static uint64_t fingerprint_add_word(uint64_t h, uint64_t v)
{
	return hash_mix(h ^ v ^ other_key, key);
}

enum { LANES = 4 };

/* Long data are hashed in lanes, each of every fourth word, so that multiplications need not wait for each other. */
static uint64_t fingerprint_add_bytes(uint64_t h, const void *data, size_t n)
{
	const char *p = data;
	uint64_t word, lane[LANES] = { 0, 1, 2, 3 };

	h = fingerprint_add_word(h, n);
	for (; n >= sizeof(lane); p += sizeof(lane), n -= sizeof(lane)) {
		for (int i = 0; i < LANES; i++) {
			memcpy(&word, p + i * sizeof(word), sizeof(word));
			lane[i] = fingerprint_add_word(lane[i], word);
		}
	}
	for (int i = 0; i < LANES && p != data; i++)
		h = fingerprint_add_word(h, lane[i]);
	for (; n >= sizeof(word); p += sizeof(word), n -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		h = fingerprint_add_word(h, word);
	}
	word = 0;
	if (n)
		memcpy(&word, p, n);
	return fingerprint_add_word(h, word);
}

static uint64_t add_lists(uint64_t h, const struct csr *c)
{
	h = fingerprint_add_bytes(h, c->off, ((size_t)c->n + 1) * sizeof(*c->off));
	return fingerprint_add_bytes(h, c->item, (size_t)c->off[c->n] * sizeof(*c->item));
}

#define ADD_COLUMN(column, n) (h = fingerprint_add_bytes(h, (column), (size_t)(n) * sizeof(*(column))))

static uint64_t fingerprint_add_labels(uint64_t h, const struct profile *p)
{
	ADD_COLUMN(p->label_key, p->n_labels);
	ADD_COLUMN(p->label_text, p->n_labels);
	ADD_COLUMN(p->label_unit, p->n_labels);
	ADD_COLUMN(p->label_num, p->n_labels);
	return add_lists(h, &p->label_sets);
}

static uint64_t fingerprint_add_places(uint64_t h, const struct profile *p)
{
	ADD_COLUMN(p->loc_addr, p->n_locs);
	ADD_COLUMN(p->loc_map, p->n_locs);
	ADD_COLUMN(p->loc_line, p->n_locs + 1);
	ADD_COLUMN(p->line_func, p->n_lines);
	ADD_COLUMN(p->line_no, p->n_lines);
	ADD_COLUMN(p->line_col, p->n_lines);
	ADD_COLUMN(p->func_name, p->n_funcs);
	ADD_COLUMN(p->func_file, p->n_funcs);
	ADD_COLUMN(p->func_start, p->n_funcs);
	ADD_COLUMN(p->source_text, p->n_source_lines);
	for (uint32_t i = 0; i < p->n_maps; i++) {
		h = fingerprint_add_word(fingerprint_add_word(h, p->map[i].start), p->map[i].limit);
		h = fingerprint_add_word(fingerprint_add_word(h, p->map[i].offset),
					 (uint64_t)p->map[i].file << 32 | p->map[i].build_id);
	}
	return h;
}

static uint64_t fingerprint_add_meta(uint64_t h, const struct profile_meta *m)
{
	h = fingerprint_add_word(fingerprint_add_word(h, (uint64_t)m->time_ns), (uint64_t)m->duration_ns);
	h = fingerprint_add_word(fingerprint_add_word(h, (uint64_t)m->period),
				 (uint64_t)m->default_type << 32 | m->doc_url);
	ADD_COLUMN(m->comment, m->n_comments);
	return h;
}

uint64_t profile_fingerprint(const struct profile *p)
{
	uint64_t h = key;

	for (str_id id = 0; id < strtab_count(p->str); id++)
		h = fingerprint_add_bytes(h, strtab_text(p->str, id), strtab_len(p->str, id));
	for (uint32_t t = 0; t < p->n_types; t++) {
		h = fingerprint_add_word(h, (uint64_t)p->type[t].name << 32 | p->type[t].unit);
		ADD_COLUMN(p->value[t], p->n_rows);
	}
	ADD_COLUMN(p->stack, p->n_rows);
	ADD_COLUMN(p->labels, p->n_rows);
	ADD_COLUMN(p->stacks.off, (size_t)p->stacks.n + 1);
	ADD_COLUMN(p->stacks.packed, (size_t)p->stacks.off[p->stacks.n] * p->stacks.width);
	return fingerprint_add_meta(fingerprint_add_places(fingerprint_add_labels(h, p), p), &p->meta);
}
