/*
 * estimate.c - the size of a store, estimated from a sample of profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/upkeep/estimate.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/time.h"
#include "store/local/format/segment.h"
#include "store/local/tier/tier.h"
#include "store/local/upkeep/copy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* START_BYTES: of a start in ns, which is not regular */
enum {
	ESTIMATE_ZSTD_LEVEL = 9,
	ESTIMATE_SLOTS = 4,
	FINE_SLOTS = 16,
	START_BYTES = 6,
	SCALED_SLOTS = 8,
	SCALE_STEP = 16
};

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

/* Bytes and rows of the sums of slots: of the series that has the counts, and of that of the instance. base: bytes of last snapshots */
struct slot_sizes {
	double bytes[2], rows[2], base;
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
		*(b.slot[0].role == SLOT_BASE ? &out->base : &out->bytes[is_own]) += (double)c->block[i].size;
		block_release(&b);
	}
	buf_release(&buffer);
	return rc;
}

/* --- distinct rows --- */

/* In how many profiles a row is. */
struct row_counts {
	uint32_t *n; /* [n_rows] */
	uint32_t n_rows;
};

/* Set the distinct rows of parts of the sample: a row in c of n profiles is not in a half of them with a chance of about 1 / 2^c. */
static struct estimate_rows distinct_rows_of(const struct row_counts *c)
{
	struct estimate_rows out = { .seen = { 0 } };
	double twice = 0;

	for (uint32_t i = 0; i < c->n_rows; i++) {
		out.seen.quarter += 1 - pow(0.75, c->n[i]);
		out.seen.half += 1 - pow(0.5, c->n[i]);
		out.seen.all += c->n[i] > 0;
		out.single += c->n[i] == 1;
		twice += c->n[i] == 2;
	}
	out.unseen = twice > 0 ? out.single * out.single / (2 * twice) : out.single * (out.single - 1) / 2;
	return out;
}

static bool has_counted_value(const struct dict_meta *m, const struct stored *s, uint32_t row)
{
	for (uint32_t t = 0; t < s->n_columns; t++)
		if (m->temporality[t] != TEMPORALITY_GAUGE && s->value[(size_t)t * s->n + row])
			return true;
	return false;
}

/* Call fn for each stored profile or sum of a chapter. */
static int each_stored(const struct chapter *c,
		       void (*fn)(void *arg, const struct dict_meta *m, const struct stored *s), void *arg,
		       struct err *err)
{
	struct buf buffer = { 0 };
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < c->n_blocks; i++) {
		struct stored p[BLOCK_PROFILES_MAX] = { 0 };
		struct block b;

		rc = chapter_open_block(c, i, &buffer, &b, err);
		if (rc < 0)
			break;
		rc = block_profiles(&b, p, err);
		for (uint32_t k = 0; rc == 0 && k < b.n; k++) {
			if (p[k].slot.role == SLOT_SUM)
				fn(arg, &c->dict.meta[p[k].meta], &p[k]);
			dict_release_stored(&p[k]);
		}
		block_release(&b);
	}
	buf_release(&buffer);
	return rc;
}

/* The counts of rows with any value, and of those with one that is not a gauge. */
struct row_counter {
	struct row_counts any, counted;
};

static void count_rows_of(void *arg, const struct dict_meta *m, const struct stored *s)
{
	struct row_counter *c = arg;

	for (uint32_t i = 0; i < s->n; i++) {
		c->any.n[s->row[i]]++;
		c->counted.n[s->row[i]] += has_counted_value(m, s, i);
	}
}

/* Find the distinct rows of a chapter that has the profiles of the sample one by one; counted may be NULL. */
static int measure_rows(const struct chapter *c, struct estimate_rows *any, struct estimate_rows *counted,
			struct err *err)
{
	struct row_counter n = { .any.n_rows = c->dict.n_rows, .counted.n_rows = c->dict.n_rows };
	int rc;

	n.any.n = mem_zalloc(c->dict.n_rows, sizeof(*n.any.n));
	n.counted.n = mem_zalloc(c->dict.n_rows, sizeof(*n.counted.n));
	rc = each_stored(c, count_rows_of, &n, err);
	if (rc == 0)
		*any = distinct_rows_of(&n.any);
	if (rc == 0 && counted)
		*counted = distinct_rows_of(&n.counted);
	free(n.any.n);
	free(n.counted.n);
	return rc;
}

/* --- slots of many profiles --- */

/* Slots that are made of the sum of the sample. */
struct slot_scaler {
	struct chapter_builder *to;
	struct dict_translation *translation;
	double scale;
	double rows; /* of all slots */
	int rc;
	struct err *err;
};

/* A number of a normal distribution, the same for each call with the same arguments: four numbers of 16 bits are added. */
static double deviation_of(uint32_t row, unsigned slot)
{
	uint64_t h = ((uint64_t)row << 8 | slot) * UINT64_C(0x9e3779b97f4a7c15);
	double sum = 0;

	h = (h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93);
	h ^= h >> 32;
	for (int i = 0; i < 4; i++)
		sum += (double)(h >> 16 * i & 0xffff) / 65536;
	return (sum - 2) * sqrt(3);
}

/* The value of a row in a slot that has scale times the profiles: it varies as the number of rare events does. */
static double scale_cell(double v, double scale, double deviation)
{
	return fmax(0, round(v * scale + deviation * sqrt(v * scale)));
}

/* Scale a row of a slot: its columns keep their ratios. Returns false if all are 0. */
static bool scale_row(const struct dict_meta *m, const struct stored *from, uint32_t i, double scale, double deviation,
		      int64_t *to)
{
	double first = 0, ratio = 0;
	bool has_value = false;

	for (uint32_t t = 0; t < from->n_columns; t++) {
		double v = (double)from->value[(size_t)t * from->n + i];

		to[t] = 0;
		if (m->temporality[t] == TEMPORALITY_GAUGE || v == 0)
			continue;
		if (first == 0) {
			first = fabs(v);
			ratio = scale_cell(first, scale, deviation) / first;
		}
		to[t] = (int64_t)fmin(fmax(round(v * ratio), -9e18), 9e18);
		has_value |= to[t] != 0;
	}
	return has_value;
}

/* Add a slot with scaled values. */
static void add_scaled_slot(struct slot_scaler *x, const struct dict_meta *m, const struct stored *from, unsigned slot)
{
	struct stored s = { .slot = { TIER_1H, SLOT_SUM, 1, 0 }, .n_columns = from->n_columns };
	int64_t *value = mem_alloc(from->n_columns, sizeof(*value)), *by_row;

	s.row = mem_alloc(from->n, sizeof(*s.row));
	s.value = mem_alloc(from->n, from->n_columns * sizeof(*s.value));
	by_row = mem_alloc(from->n, from->n_columns * sizeof(*by_row));
	for (uint32_t i = 0; i < from->n; i++) {
		if (!scale_row(m, from, i, x->scale, deviation_of(from->row[i], slot), value))
			continue;
		memcpy(by_row + (size_t)s.n * s.n_columns, value, s.n_columns * sizeof(*value));
		s.row[s.n++] = from->row[i];
	}
	for (uint32_t t = 0; t < s.n_columns; t++)
		for (uint32_t i = 0; i < s.n; i++)
			s.value[(size_t)t * s.n + i] = by_row[(size_t)i * s.n_columns + t];
	s.start_ns = (int64_t)slot * tier_slot_ns(TIER_1H);
	s.meta = from->meta;
	x->rows += s.n;
	x->rc = copy_stored(x->translation, from->series, &s, x->to, x->err);
	free(value);
	free(by_row);
	dict_release_stored(&s);
}

static void add_scaled_slots(void *arg, const struct dict_meta *m, const struct stored *s)
{
	struct slot_scaler *x = arg;

	for (unsigned slot = 0; x->rc == 0 && slot < SCALED_SLOTS; slot++)
		add_scaled_slot(x, m, s, slot);
}

/* Bytes of a row in slots that have scale times the profiles of a chapter with one slot. */
static int measure_scaled(const struct chapter *slot, double scale, double *out, struct err *err)
{
	struct slot_scaler x = { .to = chapter_builder_new("service"), .scale = scale, .err = err };
	struct chapter *c = NULL;
	double bytes = 0;
	int rc;

	x.translation = dict_translation_new(chapter_builder_dict(x.to), &slot->dict);
	rc = each_stored(slot, add_scaled_slots, &x, err);
	rc = rc == 0 ? x.rc : rc;
	dict_translation_free(x.translation);
	if (rc == 0)
		rc = chapter_builder_finish(x.to, ESTIMATE_ZSTD_LEVEL, &c, err);
	for (uint32_t i = 0; rc == 0 && i < c->n_blocks; i++)
		bytes += (double)c->block[i].size;
	*out = x.rows > 0 ? bytes / x.rows : 0;
	chapter_free(c);
	chapter_builder_free(x.to);
	return rc;
}

/* --- measuring --- */

/* Measure what depends on the tier: gauges and numbers of profiles of an instance. */
static int measure_own(const struct estimate_sample *x, enum store_tier tier, struct estimate *out, struct err *err)
{
	struct slot_sizes size = { .base = 0 };
	struct chapter *c = NULL;
	int rc = make_slots_of(x, x->n, tier, tier == TIER_10M ? FINE_SLOTS : ESTIMATE_SLOTS, &c, err);

	if (rc == 0)
		rc = add_block_sizes(c, &size, err);
	chapter_free(c);
	out->base_bytes = size.base;
	if (tier == TIER_10M)
		out->row_bytes = size.rows[1] > 0 ? size.bytes[1] / size.rows[1] : 0;
	else
		out->own_bytes[tier] = size.bytes[1] / ESTIMATE_SLOTS;
	return rc;
}

/* Measure rows of slots: of each profile, and of slots of many profiles. */
static int measure_slots(const struct estimate_sample *x, struct estimate *out, struct err *err)
{
	struct chapter *each = NULL, *one = NULL;
	double scale = 1;
	int rc = make_slots_of(x, x->n, TIER_10M, x->n, &each, err);

	if (rc == 0)
		rc = measure_rows(each, &out->slot_rows, &out->counted_rows, err);
	if (rc == 0)
		rc = make_slots_of(x, x->n, TIER_10M, 1, &one, err);
	for (int i = 0; rc == 0 && i < ESTIMATE_SCALES; i++, scale *= SCALE_STEP)
		rc = measure_scaled(one, scale, &out->scaled_bytes[i], err);
	if (rc == 0)
		rc = dictionary_bytes(one, &out->slot_dict.all, err);
	chapter_free(each);
	chapter_free(one);
	one = NULL;
	if (rc == 0)
		rc = make_slots_of(x, x->n / 2, TIER_10M, 1, &one, err);
	if (rc == 0)
		rc = dictionary_bytes(one, &out->slot_dict.half, err);
	chapter_free(one);
	return rc;
}

static int measure_raw(const struct estimate_sample *x, size_t n, double *dict, double *each,
		       struct estimate_rows *rows, struct err *err)
{
	struct chapter *c = NULL;
	int rc = estimate_make_chapter(x, n, TIER_RAW, n, &c, err);

	if (rc < 0)
		return rc;
	*each = 0;
	for (uint32_t i = 0; i < c->n_blocks; i++)
		*each += (double)c->block[i].size / (double)n;
	rc = dictionary_bytes(c, dict, err);
	if (rc == 0)
		rc = measure_rows(c, rows, NULL, err);
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
	rc = measure_raw(&x, n / 4, &out->raw_dict.quarter, &out->raw.quarter, &out->raw_rows, err);
	if (rc == 0)
		rc = measure_raw(&x, n / 2, &out->raw_dict.half, &out->raw.half, &out->raw_rows, err);
	if (rc == 0)
		rc = measure_raw(&x, n, &out->raw_dict.all, &out->raw.all, &out->raw_rows, err);
	if (rc == 0)
		rc = measure_slots(&x, out, err);
	for (int t = TIER_10M; rc == 0 && t < N_TIERS; t++)
		rc = measure_own(&x, (enum store_tier)t, out, err);
	return rc;
}

/* --- estimates --- */

/* The value for x times the sample, by the growth between its parts. */
static double grow(const struct estimate_growth *g, double x)
{
	double e = g->half > 0 && g->all > g->half ? log2(g->all / g->half) : 0;
	double f = g->quarter > 0 && g->half > g->quarter ? log2(g->half / g->quarter) : e;
	double doublings = log2(x), ratio = f > e ? e / f : 1, sum = doublings;

	e = e < 1 ? e : 1;
	if (doublings > 0 && ratio < 1)
		sum = ratio * (1 - pow(ratio, doublings)) / (1 - ratio);
	return g->all * exp2(e * sum);
}

static double rows_at(const struct estimate_rows *r, double x)
{
	if (x <= 1)
		return grow(&r->seen, x);
	return r->seen.all + (r->unseen > 0 ? r->unseen * (1 - exp(-(x - 1) * r->single / r->unseen)) : 0);
}

/*
 * The rows of x times the sample after folding: those with at least fold samples, and callers of the others, which get twice as many. If
 * the distinct rows grow as x^b, a share of b (1 - b) (2 - b) ... (k - 1 - b) / k! has k samples.
 * From  Pitman, Combinatorial Stochastic Processes (2006), equation 3.14
 */
static double folded_rows_at(const struct estimate_rows *r, double x, unsigned fold)
{
	double n = rows_at(r, x), before = rows_at(r, x / 2), b = before > 0 ? fmin(log2(n / before), 1) : 0;
	double share = b, kept = 1, samples = 0;

	for (unsigned k = 1; k < fold; k++) {
		kept -= share;
		samples += k * share;
		share *= (k - b) / (k + 1);
	}
	return n * (kept + samples / (2 * fold));
}

/* The bytes of a dictionary with some rows, of the chapter or a part of it. */
static double dictionary_of(const struct estimate_growth *g, const struct estimate_rows *r, double rows)
{
	double more = r->seen.all - r->seen.half, each = more > 0 ? fmax(0, g->all - g->half) / more : 0;

	if (rows >= r->seen.all)
		return g->all + each * (rows - r->seen.all);
	return rows >= r->seen.half ? g->half + each * (rows - r->seen.half) : g->half * rows / r->seen.half;
}

/* The bytes of a row in a slot of x times the sample. */
static double row_bytes_at(const struct estimate *e, double x)
{
	double at = fmin(fmax(log2(x) / log2(SCALE_STEP), 0), ESTIMATE_SCALES - 1);
	int lo = at < ESTIMATE_SCALES - 1 ? (int)at : ESTIMATE_SCALES - 2;

	return e->scaled_bytes[lo] + (at - lo) * (e->scaled_bytes[lo + 1] - e->scaled_bytes[lo]);
}

double estimate_bytes(const struct estimate *e, enum store_tier tier, double instances, double every_s, double days)
{
	static const double span[N_TIERS] = { 7, 7, 28, 364 }; /* days of a segment */
	static const unsigned fold[N_TIERS] = { 1, 1, 2, 5 };  /* samples of a stack in a slot, else it is folded */
	double per_day = instances * 86400 / every_s, part = days < span[tier] ? days : span[tier],
	       sample = (double)e->n;
	double slots = fmax(1, days * 86400e9 / (double)tier_slot_ns(tier)), dict, x;

	if (days <= 0)
		return 0;
	if (tier == TIER_RAW) {
		dict = dictionary_of(&e->raw_dict, &e->raw_rows, rows_at(&e->raw_rows, per_day * part / sample));
		return per_day * days * (grow(&e->raw, per_day * part / sample) + START_BYTES) + dict * days / part;
	}
	dict = dictionary_of(&e->slot_dict, &e->slot_rows,
			     folded_rows_at(&e->slot_rows, per_day * part / sample, fold[tier]));
	dict = (dict + instances * e->base_bytes) * days / part;
	if (tier == TIER_10M) {
		x = 600 / every_s / sample;
		if (x * sample <= 1) /* a slot is one profile, and has its size */
			return per_day * days * grow(&e->raw, per_day * part / sample) + dict;
		return slots * instances * rows_at(&e->slot_rows, x) * e->row_bytes + dict;
	}
	x = per_day * days / slots / sample;
	return slots * (folded_rows_at(&e->counted_rows, x, fold[tier]) * row_bytes_at(e, x) +
			instances * e->own_bytes[tier]) +
	       dict;
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
