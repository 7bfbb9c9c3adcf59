/*
 * fuzz_dict.c - decoding, translating and using a dictionary, and storing any profile
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The input is a profile, or else encoded tables: a byte for the table, the number of entries and the number of bytes as
 * varints, the bytes.
 */
#include "config.h"

#include "fuzz.h"

#include "base/buf.h"
#include "store/local/format/dict.h"
#include "store/local/format/varint.h"

enum { ROWS_MAX = 200 };

static void need(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

/* Encode a table and decode it into a copy. */
static void copy_table(const struct dict *d, enum dict_table table, struct dict *copy)
{
	uint32_t from = dict_count(copy, table);
	struct buf data = { 0 };
	struct bytes in;
	struct err err;

	dict_encode(d, table, from, &data);
	in = fuzz_bytes((uint8_t *)data.data, data.len);
	need(dict_decode(copy, table, dict_count(d, table) - from, in.data, in.n, &err) == 0, err.msg);
	need(dict_count(copy, table) == dict_count(d, table), "numbers of entries differ");
	free(in.data);
	buf_release(&data);
}

static void compare_tables(const struct dict *a, const struct dict *b)
{
	for (int t = DICT_STRINGS; t < DICT_TABLES_END; t++) {
		struct buf x = { 0 }, y = { 0 };

		dict_encode(a, t, 0, &x);
		dict_encode(b, t, 0, &y);
		need(x.len == y.len && memcmp(x.data, y.data, x.len) == 0, "a copy differs");
		buf_release(&x);
		buf_release(&y);
	}
}

/* Make a profile of the first rows, or check that it fails with a message. */
static void make(const struct dict *d, const struct stored *s)
{
	const struct store_label more[] = { { "route", "/x" }, { "zone", "" } };
	const struct dict_profile_options options = { .place_mappings = true, .more = more, .n_more = 2 };
	struct profile *p = NULL;
	struct err err = { 0 };
	int rc = dict_make_profile(d, s, &options, &p, &err);

	fuzz_judge(rc, p, &err);
	profile_free(p);
}

/* Make profiles of a decoded dictionary, and translate it. */
static void use(const struct dict *d)
{
	uint32_t n = d->n_rows < ROWS_MAX ? d->n_rows : ROWS_MAX, row[ROWS_MAX], id;
	struct stored s = { .n = n, .row = row };
	struct dict_translation *t;
	struct err err = { 0 };
	struct dict to;

	for (uint32_t i = 0; i < n; i++)
		row[i] = i;
	for (s.meta = 0; s.meta < d->n_metas && s.meta < 4; s.meta++) {
		s.n_columns = d->meta[s.meta].n_types;
		s.value = mem_zalloc((size_t)s.n_columns * n, sizeof(*s.value));
		make(d, &s);
		free(s.value);
	}
	dict_init(&to);
	t = dict_translation_new(&to, d);
	need(dict_translate_rows(t, row, n, &err) == 0, "rows cannot be translated");
	for (uint32_t i = 0; i < n; i++)
		need(row[i] < to.n_rows, "a row is translated to none");
	for (uint32_t i = 0; i < d->n_metas; i++)
		need(dict_translate_meta(t, i, &id, &err) == 0 && id < to.n_metas, "a meta cannot be translated");
	for (uint32_t i = 0; i < d->n_series; i++)
		need(dict_translate_series(t, i, &id, &err) == 0 && id < to.n_series, "a series cannot be translated");
	dict_translation_free(t);
	need(to.n_locs <= d->n_locs && to.n_nodes <= d->n_nodes && to.n_rows <= d->n_rows, "translating adds entries");
	dict_release(&to);
}

static void decode(const uint8_t *data, size_t n)
{
	const uint8_t *at = data, *end = data + n;
	struct dict d, copy;
	int rc = 0;

	dict_init(&d);
	while (rc == 0 && at < end) {
		uint64_t items, length;
		int table = *at++;
		struct err err = { 0 };
		struct bytes in;

		if (table < DICT_STRINGS || table >= DICT_TABLES_END || !varint_get(&at, end, &items) ||
		    !varint_get(&at, end, &length) || items > UINT32_MAX || length > (uint64_t)(end - at))
			break;
		in = fuzz_bytes(at, length);
		rc = dict_decode(&d, table, (uint32_t)items, in.data, in.n, &err);
		need(rc == 0 || (rc == err.code && err.msg[0]), "an error without a message");
		at += length;
		free(in.data);
	}
	if (rc == 0) {
		use(&d);
		dict_init(&copy);
		for (int t = DICT_STRINGS; t < DICT_TABLES_END; t++)
			copy_table(&d, t, &copy);
		compare_tables(&d, &copy);
		dict_release(&copy);
	}
	dict_release(&d);
}

static void store(const struct profile *p)
{
	struct stored s = { 0 }, again = { 0 };
	struct dict d, copy;
	struct err err;
	int rc;

	dict_init(&d);
	dict_init(&copy);
	rc = dict_add_profile(&d, p, &s, &err);
	if (rc == 0) {
		make(&d, &s);
		for (int t = DICT_STRINGS; t < DICT_TABLES_END; t++)
			copy_table(&d, t, &copy);
		need(dict_add_profile(&copy, p, &again, &err) == 0 && again.n == s.n && again.meta == s.meta,
		     "a decoded dictionary gives another profile");
		compare_tables(&d, &copy);
	} else {
		need(rc == ERR_RANGE, err.msg);
	}
	dict_release_stored(&s);
	dict_release_stored(&again);
	dict_release(&d);
	dict_release(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct bytes in = fuzz_bytes(data, n);
	struct profile *p = NULL;
	struct err err;

	if (formats_read(&in, &fuzz_limits, &p, &err) == 0)
		store(p);
	else
		decode(data, n);
	profile_free(p);
	free(in.data);
	return 0;
}
