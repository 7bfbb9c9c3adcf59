/*
 * gen.c - write a synthetic profile.proto file of a known size, always the same
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each kind of profile is one simulated program. A second profile of a kind, with another number TAKE, is the same
 * program at another time, with mostly different stacks. gen_world.c makes the program and its stacks, gen_names.c the
 * names. This file writes them as fields, in the order and with the packing of Go's profile.Write, and with ids and
 * strings in order of first use. The kinds cpu and random number their locations by address, like collectors that
 * intern addresses, so most ids take three bytes. The stacks of random are unrelated locations, the worst case for
 * compression and for caches.
 */
#include "config.h"

#include <libdeflate.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen_names.h"
#include "gen_world.h"

/* clang-format off */
static const struct profile_kind kinds[] = {
	/* name       samples  functions packages more die turn labels by_address random */
	{ "cpu",      1000000, 50000,    900,     47,  15, 10,  false, true,  0 },
	{ "labels",   100000,  5000,     200,     78,  12, 4,   true,  false, 0 },
	{ "ordinary", 2350,    1200,     60,      47,  8,  10,  false, false, 0 },
	{ "random",   1000000, 50000,    900,     77,  15, 10,  false, true,  30 },
};
/* clang-format on */

enum { PERIOD_NS = 10000000 };
#define DISTANCE_NS UINT64_C(60000000000) /* from a TAKE to the next */

struct bytes {
	uint8_t *data;
	size_t n, cap;
};

/* The encoded string table: every string is already a field. */
struct strings {
	struct bytes out;
	uint32_t n;
};

/* Ids in order of first use, 0 before that, and the reverse mapping. */
struct ids {
	uint32_t n;
	uint32_t *id;   /* [all] */
	uint32_t *back; /* [all] back[i] has id i + 1 */
};

static void bytes_put(struct bytes *b, const void *data, size_t n)
{
	if (b->n + n > b->cap) {
		b->cap = (b->n + n) * 2;
		b->data = realloc(b->data, b->cap);
		if (!b->data) {
			fprintf(stderr, "gen: out of memory\n");
			exit(2);
		}
	}
	memcpy(b->data + b->n, data, n);
	b->n += n;
}

static void put_varint(struct bytes *b, uint64_t v)
{
	uint8_t raw[10];
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		raw[n++] = (uint8_t)(v | 0x80);
	raw[n++] = (uint8_t)v;
	bytes_put(b, raw, n);
}

static void put_int(struct bytes *b, uint32_t field, uint64_t v)
{
	if (!v)
		return;
	put_varint(b, field << 3);
	put_varint(b, v);
}

static void put_bytes(struct bytes *b, uint32_t field, const void *data, size_t n)
{
	put_varint(b, field << 3 | 2);
	put_varint(b, n);
	bytes_put(b, data, n);
}

/* Append the message m as a field of b, and empty it. */
static void put_message(struct bytes *b, uint32_t field, struct bytes *m)
{
	put_bytes(b, field, m->data, m->n);
	m->n = 0;
}

static uint32_t strings_add(struct strings *s, const char *text)
{
	put_bytes(&s->out, 6, text, strlen(text));
	return s->n++;
}

static uint32_t ids_of(struct ids *ids, uint32_t thing)
{
	if (!ids->id[thing]) {
		ids->back[ids->n] = thing;
		ids->id[thing] = ++ids->n;
	}
	return ids->id[thing];
}

static struct ids ids_make(uint32_t n)
{
	return (struct ids){ 0, must_alloc(n, sizeof(uint32_t)), must_alloc(n, sizeof(uint32_t)) };
}

static void ids_release(struct ids *ids)
{
	free(ids->id);
	free(ids->back);
}

static uint64_t pick_labels(struct rng *r, uint32_t out[3])
{
	out[0] = rng_below(r, rng_below(r, 50) + 1);
	out[1] = rng_percent(r, 50) ? rng_zipf(r, 500) : rng_below(r, 500);
	out[2] = rng_below(r, 20);
	return (uint64_t)out[0] << 40 | out[1] << 8 | out[2];
}

static void put_labels(struct bytes *sample, struct bytes *m, const uint32_t first[4], const uint32_t label[3])
{
	for (uint32_t i = 0; i < 2; i++) {
		put_int(m, 1, first[0] + i);
		put_int(m, 2, first[i + 1] + label[i]);
		put_message(sample, 3, m);
	}
	put_int(m, 1, first[0] + 2);
	put_int(m, 3, UINT64_C(512) << label[2]);
	put_int(m, 4, first[3]);
	put_message(sample, 3, m);
}

/* Add the strings of labels; first receives the ids of the first key, route and tenant, and of the unit. */
static void add_label_strings(struct strings *s, uint32_t first[4])
{
	char text[NAME_BYTES];

	first[0] = strings_add(s, "route");
	strings_add(s, "tenant");
	strings_add(s, "bytes");
	first[1] = s->n;
	for (uint32_t i = 0; i < 50; i++) {
		name_route(text, i);
		strings_add(s, text);
	}
	first[2] = s->n;
	for (uint32_t i = 0; i < 500; i++) {
		snprintf(text, sizeof(text), "tenant-%05u", (unsigned)(10007 * i % 99991));
		strings_add(s, text);
	}
	first[3] = strings_add(s, "bytes");
}

/* Go packs repeated integers of three or more elements. */
static void put_stack(struct bytes *sample, struct bytes *m, struct ids *locs, const uint32_t *loc, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (n > 2)
			put_varint(m, ids_of(locs, loc[i]));
		else
			put_int(sample, 1, ids_of(locs, loc[i]));
	if (n > 2)
		put_message(sample, 1, m);
}

static void put_samples(struct bytes *out, const struct profile_kind *k, struct world *w, struct stacks *s,
			struct ids *locs, struct strings *strings, struct rng *r)
{
	struct bytes sample = { 0 }, m = { 0 };
	uint32_t first[4] = { 0 }, label[3];

	if (k->labels)
		add_label_strings(strings, first);
	while (s->n < k->n_samples) {
		uint32_t i = s->n, count = 1;

		stacks_add(s, w, k, r);
		put_stack(&sample, &m, locs, s->loc + s->off[i], (uint32_t)(s->off[i + 1] - s->off[i]));
		while (count < 1000 && rng_percent(r, 28))
			count += 1 + rng_below(r, count);
		put_int(&sample, 2, count);
		put_int(&sample, 2, (uint64_t)count * PERIOD_NS);
		if (k->labels) {
			s->label_hash[i] = pick_labels(r, label);
			put_labels(&sample, &m, first, label);
		}
		put_message(out, 2, &sample);
	}
	free(sample.data);
	free(m.data);
}

static void put_mappings(struct bytes *out, const struct world *w, struct strings *s)
{
	struct bytes m = { 0 };

	for (uint32_t i = 0; i < N_MAPPINGS; i++) {
		uint64_t size = ((uint64_t)w->n_funcs * FUNC_BYTES + 0xfff) & ~UINT64_C(0xfff);

		put_int(&m, 1, i + 1);
		put_int(&m, 2, mappings[i].start);
		put_int(&m, 3, mappings[i].start + size);
		put_int(&m, 5, strings_add(s, mappings[i].file));
		put_int(&m, 6, strings_add(s, mappings[i].build_id));
		put_int(&m, 7, 1);
		put_int(&m, 8, 1);
		put_int(&m, 9, 1);
		put_message(out, 3, &m);
	}
	free(m.data);
}

static void put_line(struct bytes *location, struct bytes *m, uint32_t func_id, uint32_t line)
{
	put_int(m, 1, func_id);
	put_int(m, 2, line);
	put_message(location, 4, m);
}

/* Assign ids to all locations, in order of address. */
static void number_by_address(const struct world *w, struct ids *locs)
{
	uint32_t *at = must_alloc(w->n_funcs, sizeof(*at)); /* function by position of its code */

	for (uint32_t f = 0; f < w->n_funcs; f++)
		at[world_place(w, f)] = f;
	for (uint32_t i = 0; i < w->n_funcs; i++)
		if (at[i] < w->n_physical)
			for (uint32_t l = w->loc_first[at[i]]; l < w->loc_first[at[i] + 1]; l++)
				ids_of(locs, l);
	free(at);
}

static void put_locations(struct bytes *out, const struct world *w, const struct ids *locs, struct ids *funcs)
{
	struct bytes location = { 0 }, m = { 0 };

	for (uint32_t i = 0; i < locs->n; i++) {
		uint32_t loc = locs->back[i], f = w->func[loc], in = loc - w->loc_first[f];
		uint32_t map = world_mapping(w, w->package[f]);
		uint64_t code = (uint64_t)world_place(w, f) * FUNC_BYTES;

		put_int(&location, 1, i + 1);
		put_int(&location, 2, map + 1);
		put_int(&location, 3, mappings[map].start + code + 17 + in * 11 + f % 5);
		for (int j = 0; j < 2; j++)
			if (w->inlined[j][loc])
				put_line(&location, &m, ids_of(funcs, w->inlined[j][loc]),
					 world_start_line(w, w->inlined[j][loc]) + 1 + loc % 4);
		put_line(&location, &m, ids_of(funcs, f), world_start_line(w, f) + 2 + in * 3 % 50);
		put_message(out, 4, &location);
	}
	free(location.data);
	free(m.data);
}

/* The string of a function's file name, added at its first use; files contains the strings by position of the
   code, 0 for names that have not been added. */
static uint32_t file_string(struct strings *s, uint32_t *files, const struct world *w, uint32_t f)
{
	uint32_t *id = &files[w->package_first[w->package[f]] + w->place[f] / FILE_FUNCS];
	char text[NAME_BYTES];

	if (!*id) {
		name_file(text, w, f);
		*id = strings_add(s, text);
	}
	return *id;
}

static void put_functions(struct bytes *out, const struct world *w, const struct ids *funcs, struct strings *s)
{
	uint32_t *files = must_alloc(w->n_funcs, sizeof(*files));
	struct bytes m = { 0 };

	for (uint32_t i = 0; i < funcs->n; i++) {
		char name[NAME_BYTES], mangled[NAME_BYTES];
		uint32_t f = funcs->back[i], name_id;

		name_function(name, mangled, w, f);
		name_id = strings_add(s, name);
		put_int(&m, 1, i + 1);
		put_int(&m, 2, name_id);
		put_int(&m, 3, mangled[0] ? strings_add(s, mangled) : name_id);
		put_int(&m, 4, file_string(s, files, w, f));
		put_int(&m, 5, world_start_line(w, f));
		put_message(out, 5, &m);
	}
	free(m.data);
	free(files);
}

static void put_value_type(struct bytes *out, uint32_t field, struct strings *s, const char *type, const char *unit)
{
	struct bytes m = { 0 };

	put_int(&m, 1, strings_add(s, type));
	put_int(&m, 2, strings_add(s, unit));
	put_message(out, field, &m);
	free(m.data);
}

static void put_tail(struct bytes *out, struct strings *s, uint64_t take)
{
	struct bytes period = { 0 };

	/* the period type has the strings of the second sample type */
	put_int(&period, 1, 3);
	put_int(&period, 2, 4);
	bytes_put(out, s->out.data, s->out.n);
	put_int(out, 9, UINT64_C(1760000000123456789) + take * DISTANCE_NS);
	put_int(out, 10, UINT64_C(600000000000));
	put_message(out, 11, &period);
	put_int(out, 12, PERIOD_NS);
	free(period.data);
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint32_t n_distinct(uint64_t *v, uint32_t n)
{
	uint32_t distinct = 0;

	qsort(v, n, sizeof(*v), compare_u64);
	for (uint32_t i = 0; i < n; i++)
		distinct += i == 0 || v[i] != v[i - 1];
	return distinct;
}

static size_t write_gzip(const struct bytes *b, const char *path)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
	size_t cap = c ? libdeflate_gzip_compress_bound(c, b->n) : 0, n;
	uint8_t *packed = must_alloc(cap, 1);
	FILE *f = fopen(path, "wb");

	n = c ? libdeflate_gzip_compress(c, b->data, b->n, packed, cap) : 0;
	if (!n || !f || fwrite(packed, 1, n, f) != n || fclose(f)) {
		perror(path);
		remove(path); /* a later run would use the incomplete file */
		exit(2);
	}
	free(packed);
	libdeflate_free_compressor(c);
	return n;
}

static void generate(const struct profile_kind *k, const char *path, uint64_t take)
{
	struct rng r = { UINT64_C(20260117) };
	struct strings strings = { 0 };
	struct bytes out = { 0 };
	struct world w;
	struct stacks s = stacks_make(k->n_samples);
	size_t n_packed;

	world_make(&w, k, &r);
	r.state += take << 32;
	struct ids locs = ids_make(w.n_locs), funcs = ids_make(w.n_funcs);

	if (k->by_address)
		number_by_address(&w, &locs);
	strings_add(&strings, "");
	put_value_type(&out, 1, &strings, "samples", "count");
	put_value_type(&out, 1, &strings, "cpu", "nanoseconds");
	put_samples(&out, k, &w, &s, &locs, &strings, &r);
	put_mappings(&out, &w, &strings);
	put_locations(&out, &w, &locs, &funcs);
	put_functions(&out, &w, &funcs, &strings);
	put_tail(&out, &strings, take);
	n_packed = write_gzip(&out, path);
	printf("%s: %u samples, %.1f frames each, %u distinct stacks, %u distinct label sets\n", k->name, (unsigned)s.n,
	       (double)s.off[s.n] / s.n, (unsigned)n_distinct(s.hash, s.n),
	       k->labels ? (unsigned)n_distinct(s.label_hash, s.n) : 0);
	printf("%s: %u locations, %u functions, %u strings\n", k->name, (unsigned)locs.n, (unsigned)funcs.n,
	       (unsigned)strings.n);
	printf("%s: %zu bytes inflated, %zu compressed, ratio %.2f\n", k->name, out.n, n_packed,
	       (double)out.n / (double)n_packed);
	ids_release(&locs);
	ids_release(&funcs);
	world_release(&w);
	stacks_release(&s);
	free(strings.out.data);
	free(out.data);
}

int main(int argc, char **argv)
{
	char *end = "";
	uint64_t take = argc == 4 ? strtoull(argv[3], &end, 10) : 0;

	for (uint32_t i = 0; (argc == 3 || argc == 4) && !*end && i < COUNT(kinds); i++)
		if (!strcmp(kinds[i].name, argv[1])) {
			generate(&kinds[i], argv[2], take);
			return 0;
		}
	fprintf(stderr, "usage: gen cpu|labels|ordinary|random OUT.pb.gz [TAKE]\n");
	return 2;
}
