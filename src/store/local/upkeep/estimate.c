/*
 * estimate.c - the size of a store, estimated from a sample of profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/upkeep/estimate.h"

#include "base/time.h"
#include "store/local/format/segment.h"
#include "store/local/tier/tier.h"

#include <math.h>
#include <string.h>

/* START_BYTES: of a start in ns, which is not regular */
enum { ESTIMATE_ZSTD_LEVEL = 9, ESTIMATE_SLOTS = 4, START_BYTES = 6 };

/* A sample that is being measured. */
struct estimate_sample {
	const char *kind;
	const struct profile *const *p;
	size_t n;
};

static int count_bytes(void *arg, const void *data, size_t n, struct err *err)
{
	(void)data;
	(void)err;
	*(double *)arg += (double)n;
	return 0;
}

/* Bytes of a chapter in a segment, without its blocks. */
static int dictionary_bytes(const struct chapter *c, double *out, struct err *err)
{
	struct segment_info info = { .tier = TIER_1D };
	struct segment_writer *w;
	uint32_t crc;
	int rc;

	*out = 0;
	w = segment_writer_new(&info, ESTIMATE_ZSTD_LEVEL, count_bytes, out);
	rc = segment_writer_add(w, c, err);
	if (rc == 0)
		rc = segment_writer_finish(w, &crc, err);
	segment_writer_free(w);
	for (uint32_t i = 0; i < c->n_blocks; i++)
		*out -= (double)c->block[i].size;
	return rc;
}

/* A chapter of profiles [0, n) of the sample, divided among some slots of a tier. */
static int estimate_make_chapter(const struct estimate_sample *x, size_t n, enum store_tier tier, size_t n_slots,
				 struct chapter **out, struct err *err)
{
	const struct store_label label = { "instance", "10.0.0.1:6060" };
	struct chapter_builder *b = chapter_builder_new("service");
	struct dict *d = chapter_builder_dict(b);
	int64_t length = tier == TIER_RAW ? NS_PER_MINUTE : tier_slot_ns(tier);
	uint32_t series = 0;
	int rc = dict_add_series(d, "service", x->kind, &label, 1, &series, err);

	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct stored s = { 0 };
		size_t slot = i * n_slots / n, first = (slot * n + n_slots - 1) / n_slots;

		rc = dict_add_profile(d, x->p[i], &s, err);
		s.series = series;
		s.start_ns = (int64_t)slot * length + (int64_t)(i - first) * (length / (int64_t)(n + 1));
		if (rc == 0)
			chapter_builder_add(b, &s);
		dict_release_stored(&s);
	}
	if (rc == 0)
		rc = chapter_builder_finish(b, ESTIMATE_ZSTD_LEVEL, out, err);
	chapter_builder_free(b);
	return rc;
}

/* The slots of a tier of such a chapter. */
static int make_slots_of(const struct estimate_sample *x, size_t n, enum store_tier tier, size_t n_slots,
			 struct chapter **out, struct err *err)
{
	struct tier_history *h = tier_history_new();
	struct chapter_builder *b = chapter_builder_new("service");
	struct chapter *raw = NULL;
	int rc = estimate_make_chapter(x, n, tier, n_slots, &raw, err);

	chapter_builder_expect_sorted(b, ESTIMATE_ZSTD_LEVEL);
	if (rc == 0) {
		dict_drop_index(&raw->dict);
		rc = tier_make(raw, tier, h, NULL, NULL, b, NULL, err);
	}
	if (rc == 0)
		rc = chapter_builder_finish(b, ESTIMATE_ZSTD_LEVEL, out, err);
	chapter_free(raw);
	chapter_builder_free(b);
	tier_history_free(h);
	return rc;
}

/* Bytes and rows of the sums of slots: of the series that has the counts, and of that of the instance. */
struct slot_sizes {
	double bytes[2], rows[2];
};

static int add_block_sizes(const struct chapter *c, struct slot_sizes *out, struct err *err)
{
	struct buf buffer = { 0 };
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < c->n_blocks; i++) {
		const struct dict_series *s = &c->dict.series[c->block[i].series];
		bool is_own = false;
		struct block b;

		for (uint32_t k = 0; k < s->n_labels; k++)
			is_own |= strcmp(strtab_text(c->dict.str, s->name[k]), "instance") == 0;
		rc = chapter_open_block(c, i, &buffer, &b, err);
		if (rc < 0)
			break;
		for (uint32_t k = 0; rc == 0 && k < b.n && b.slot[k].role == SLOT_SUM; k++) {
			struct stored p;

			rc = block_profile(&b, k, &p, err);
			out->rows[is_own] += rc == 0 ? p.n : 0;
			dict_release_stored(&p);
		}
		out->bytes[is_own] += b.slot[0].role == SLOT_SUM ? (double)c->block[i].size : 0;
		block_release(&b);
	}
	buf_release(&buffer);
	return rc;
}

/* Measure n profiles as slots of a tier. */
static int measure_slots(const struct estimate_sample *x, size_t n, enum store_tier tier, size_t n_slots,
			 struct slot_sizes *size, double *dict, struct err *err)
{
	struct chapter *c = NULL;
	int rc = make_slots_of(x, n, tier, n_slots, &c, err);

	*size = (struct slot_sizes){ { 0 }, { 0 } };
	if (rc < 0)
		return rc;
	rc = add_block_sizes(c, size, err);
	if (rc == 0)
		rc = dictionary_bytes(c, dict, err);
	chapter_free(c);
	return rc;
}

/* Measure a tier: rows and dictionary of one slot with parts of the sample; bytes of several slots. */
static int measure_tier(const struct estimate_sample *x, enum store_tier tier, struct estimate *out, struct err *err)
{
	struct estimate_growth *rows = &out->slot_rows[tier], *dict = &out->slot_dict[tier];
	double *const to[][2] = { { &rows->quarter, &dict->quarter },
				  { &rows->half, &dict->half },
				  { &rows->all, &dict->all } };
	bool is_split = tier >= TIER_1H;
	struct slot_sizes size;
	double unused;
	int rc = 0;

	for (int i = 0; rc == 0 && i < 3; i++) {
		rc = measure_slots(x, x->n >> (2 - i), tier, 1, &size, to[i][1], err);
		*to[i][0] = size.rows[!is_split];
	}
	if (rc == 0)
		rc = measure_slots(x, x->n, tier, ESTIMATE_SLOTS, &size, &unused, err);
	out->row_bytes[tier] = size.rows[!is_split] > 0 ? size.bytes[!is_split] / size.rows[!is_split] : 0;
	out->own_bytes[tier] = is_split ? size.bytes[1] / ESTIMATE_SLOTS : 0;
	return rc;
}

static int measure_raw(const struct estimate_sample *x, size_t n, double *dict, double *each, struct err *err)
{
	struct chapter *c = NULL;
	int rc = estimate_make_chapter(x, n, TIER_RAW, n, &c, err);

	if (rc < 0)
		return rc;
	*each = 0;
	for (uint32_t i = 0; i < c->n_blocks; i++)
		*each += (double)c->block[i].size / (double)n;
	rc = dictionary_bytes(c, dict, err);
	chapter_free(c);
	return rc;
}

int estimate_measure(const char *kind, const struct profile *const *p, size_t n, struct estimate *out, struct err *err)
{
	struct estimate_sample x = { kind, p, n };
	int rc;

	*out = (struct estimate){ .n = n };
	if (n < ESTIMATE_PROFILES_MIN)
		return err_set(err, ERR_USAGE, "%zu profiles of the kind %s; at least %d are needed", n, kind,
			       ESTIMATE_PROFILES_MIN);
	for (size_t i = 0; i < n; i++)
		out->rows += (double)p[i]->n_rows / (double)n;
	rc = measure_raw(&x, n / 4, &out->raw_dict.quarter, &out->raw.quarter, err);
	if (rc == 0)
		rc = measure_raw(&x, n / 2, &out->raw_dict.half, &out->raw.half, err);
	if (rc == 0)
		rc = measure_raw(&x, n, &out->raw_dict.all, &out->raw.all, err);
	for (int t = TIER_10M; rc == 0 && t < N_TIERS; t++)
		rc = measure_tier(&x, (enum store_tier)t, out, err);
	return rc;
}

/* The value for n profiles, by the growth between parts of a sample. */
static double grow(const struct estimate_growth *g, double sample, double n)
{
	double e = g->half > 0 && g->all > g->half ? log2(g->all / g->half) : 0;
	double f = g->quarter > 0 && g->half > g->quarter ? log2(g->half / g->quarter) : e;
	double doublings = log2(n / sample), ratio = f > e ? e / f : 1, sum = doublings;

	e = e < 1 ? e : 1;
	if (doublings > 0 && ratio < 1)
		sum = ratio * (1 - pow(ratio, doublings)) / (1 - ratio);
	return g->all * exp2(e * sum);
}

double estimate_bytes(const struct estimate *e, enum store_tier tier, double instances, double every_s, double days)
{
	static const double span[N_TIERS] = { 7, 7, 28, 364 }; /* days of a segment */
	double per_day = instances * 86400 / every_s, part = days < span[tier] ? days : span[tier],
	       sample = (double)e->n;
	double slots = days * 86400e9 / (double)tier_slot_ns(tier), rows, dict;

	if (days <= 0)
		return 0;
	if (tier == TIER_RAW) {
		dict = grow(&e->raw_dict, sample, per_day * part);
		return per_day * days * (grow(&e->raw, sample, per_day * part) + START_BYTES) + dict * days / part;
	}
	if (tier == TIER_10M) {
		double each = 600 / every_s;

		dict = grow(&e->slot_dict[tier], sample, per_day * part);
		if (each <= 1) /* a slot is one profile, and has its size */
			return per_day * days * grow(&e->raw, sample, per_day * part) + dict * days / part;
		rows = grow(&e->slot_rows[tier], sample, each);
		return slots * instances * rows * e->row_bytes[tier] + dict * days / part;
	}
	rows = grow(&e->slot_rows[tier], sample, per_day * days / slots);
	dict = grow(&e->slot_dict[tier], sample, per_day * part);
	return slots * (rows * e->row_bytes[tier] + instances * e->own_bytes[tier]) + dict * days / part;
}

double estimate_days(const struct retain_rule *rule, enum store_tier tier, double days)
{
	double from = 0, to = (double)rule->keep_ns[tier] / (double)NS_PER_DAY;

	if (!rule->keep_ns[tier])
		return 0;
	for (int t = 0; t < (int)tier; t++)
		if (rule->keep_ns[t])
			from = (double)rule->keep_ns[t] / (double)NS_PER_DAY;
	to = to < days ? to : days;
	return to > from ? to - from : 0;
}
