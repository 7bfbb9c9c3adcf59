/*
 * guard.c - the cardinality guard: bounds the labels that targets and clients can put into the store
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A profile has few distinct labels and label sets, compared with its samples. Each label is decided once, then the label
 * sets are rewritten; samples are not touched.
 */
#include "config.h"

#include "scrape/guard.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/regex.h"
#include "base/str.h"
#include "base/time.h"
#include "base/utf8.h"
#include "scrape/tally.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	VALUES_MAX = 4 << 20, /* distinct values of all labels of a day, in memory */
	KEYS_MAX = 64,        /* keys of a profile that are decided once; further ones at each label */
	COPY_MAX = 65536,     /* bytes of a value that a shape reads */
	REPORT_MAX = 1024,    /* bytes of the names of a report */
};

struct rules {
	struct scrape_config *config;
	struct regex **shape; /* [config->n_shapes] */
};

struct scrape_guard {
	pthread_mutex_t lock; /* guards everything below */
	struct rules rules;
	int64_t day;                /* since 1970, of the tallies */
	struct scrape_tally values; /* by service and name: number of distinct values; by service, name, value: 1 */
	struct scrape_tally series; /* by service: number of series; by service, kind and labels: 1 */
	uint64_t n_series;          /* today */
	uint64_t n_refused;         /* since the start */
	struct scrape_cut cut[SCRAPE_CUT_NAMES_MAX + 1]; /* [n_cuts] names are owned */
	size_t n_cuts;
	scrape_guard_cut_fn *log; /* NULL: none */
	void *log_arg;
	struct buf shaped, other; /* scratch */
};

static void rules_release(struct rules *r)
{
	for (size_t i = 0; r->shape && i < r->config->n_shapes; i++)
		regex_free(r->shape[i]);
	free(r->shape);
	scrape_config_unref(r->config);
	*r = (struct rules){ 0 };
}

static int rules_make(struct scrape_config *c, struct rules *out, struct err *err)
{
	struct rules r = { .config = scrape_config_ref(c),
			   .shape = mem_zalloc(c->n_shapes + 1, sizeof(struct regex *)) };

	for (size_t i = 0; i < c->n_shapes; i++) {
		if (regex_new(c->shape[i].pattern, &r.shape[i], err) < 0) {
			rules_release(&r);
			return err_wrap(err, "shape %s", c->shape[i].name);
		}
	}
	*out = r;
	return 0;
}

int scrape_guard_new(struct scrape_config *c, struct scrape_guard **out, struct err *err)
{
	struct rules r;
	struct scrape_guard *g;
	int rc = rules_make(c, &r, err);

	if (rc < 0)
		return rc;
	g = mem_zalloc(1, sizeof(*g));
	pthread_mutex_init(&g->lock, NULL);
	g->rules = r;
	*out = g;
	return 0;
}

void scrape_guard_free(struct scrape_guard *g)
{
	if (!g)
		return;
	rules_release(&g->rules);
	scrape_tally_release(&g->values);
	scrape_tally_release(&g->series);
	for (size_t i = 0; i < g->n_cuts; i++)
		free((char *)g->cut[i].name);
	buf_release(&g->shaped);
	buf_release(&g->other);
	pthread_mutex_destroy(&g->lock);
	free(g);
}

int scrape_guard_reload(struct scrape_guard *g, struct scrape_config *c, struct err *err)
{
	struct rules r, old;
	int rc = rules_make(c, &r, err);

	if (rc < 0)
		return rc;
	pthread_mutex_lock(&g->lock);
	old = g->rules;
	g->rules = r;
	pthread_mutex_unlock(&g->lock);
	rules_release(&old);
	return 0;
}

static void set_day(struct scrape_guard *g, int64_t now_ns)
{
	if (now_ns / NS_PER_DAY == g->day)
		return;
	g->day = now_ns / NS_PER_DAY;
	scrape_tally_release(&g->values);
	scrape_tally_release(&g->series);
	g->n_series = 0;
}

static int scrape_guard_compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool keeps(const struct rules *r, const char *name)
{
	return r->config->n_keep_labels == 0 || bsearch(&name, r->config->keep_label, r->config->n_keep_labels,
							sizeof(name), scrape_guard_compare_names) != NULL;
}

static uint32_t limit_of(const struct rules *r, const char *name)
{
	size_t lo = 0, hi = r->config->n_limits;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		int order = strcmp(r->config->limit[mid].name, name);

		if (order == 0)
			return r->config->limit[mid].n;
		if (order < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return r->config->limit_default;
}

static bool has_shape(const struct rules *r, const char *name)
{
	for (size_t i = 0; i < r->config->n_shapes; i++)
		if (strcmp(r->config->shape[i].name, name) == 0)
			return true;
	return false;
}

void scrape_guard_set_log(struct scrape_guard *g, scrape_guard_cut_fn *fn, void *arg)
{
	pthread_mutex_lock(&g->lock);
	g->log = fn;
	g->log_arg = arg;
	pthread_mutex_unlock(&g->lock);
}

/* The receiver of the names that are cut now, and the service. */
struct cut_report {
	const char *service;
	struct buf *names; /* NULL: not wanted */
};

/* Append a name to a report, once. */
static void report_cut(struct buf *names, const char *name)
{
	size_t n = utf8_prefix(name, strlen(name), SCRAPE_LABEL_NAME_MAX);
	bool is_there = false;

	for (const char *at = buf_text(names), *end; *at && !is_there; at = end + strspn(end, ", ")) {
		end = at + strcspn(at, ",");
		is_there = (size_t)(end - at) == n && memcmp(at, name, n) == 0;
	}
	if (is_there || ends_with(buf_text(names), "..."))
		return;
	buf_addz(names, names->len ? ", " : "");
	if (names->len + n > REPORT_MAX)
		buf_addz(names, "...");
	else
		buf_add(names, name, n);
}

/* Add to the counts of a name. */
static void count_cut(struct scrape_guard *g, const struct cut_report *report, const char *name, const char *why,
		      uint64_t n_removed, uint64_t n_other)
{
	size_t i = 0;

	if (!n_removed && !n_other)
		return;
	if (report->names)
		report_cut(report->names, name);
	while (i < g->n_cuts && i < SCRAPE_CUT_NAMES_MAX && strcmp(g->cut[i].name, name) != 0)
		i++;
	if (i == g->n_cuts) {
		size_t n = utf8_prefix(name, strlen(name), SCRAPE_LABEL_NAME_MAX);

		g->cut[g->n_cuts++].name = i == SCRAPE_CUT_NAMES_MAX ? mem_strndup("(more)", 6) : mem_strndup(name, n);
		if (g->log)
			g->log(g->log_arg, report->service, g->cut[i].name, why);
	}
	g->cut[i].n_removed += n_removed;
	g->cut[i].n_other += n_other;
}

/* The rules for a key of a profile. */
struct guard_key {
	str_id id;
	const char *name;
	bool is_kept, has_shape, is_number_kept;
	uint32_t limit;
	uint64_t hash; /* of service and name */
	uint64_t n_removed, n_other;
	const char *why; /* of the first one that was cut */
};

struct pass {
	struct scrape_guard *g;
	struct profile *p;
	struct cut_report report;
	uint64_t service; /* hash */
	const struct store_label *series;
	size_t n_series;
	bool honors_labels;
	struct guard_key key[KEYS_MAX + 1];
	size_t n_keys;
	uint32_t *label; /* [n_labels] the label that replaces it; PROFILE_NONE: removed */
	bool has_removed, has_replaced;
};

static bool scrape_guard_is_series_label(const struct pass *s, const char *name)
{
	if (strcmp(name, "service") == 0)
		return true;
	for (size_t i = 0; i < s->n_series; i++)
		if (strcmp(s->series[i].name, name) == 0)
			return true;
	return false;
}

static void flush_key(struct pass *s, struct guard_key *k)
{
	count_cut(s->g, &s->report, k->name, k->why, k->n_removed, k->n_other);
}

/* Is the number known today, or is there room for another one? The count is that of key. */
static bool scrape_guard_has_room(struct scrape_guard *g, uint64_t key, uint64_t number, uint32_t limit)
{
	uint32_t *count;

	if (scrape_tally_get(&g->values, number, false))
		return true;
	count = scrape_tally_get(&g->values, key, true);
	if (*count >= limit || g->values.n >= VALUES_MAX)
		return false;
	++*count;
	scrape_tally_get(&g->values, number, true);
	return true;
}

/* Decide whether a key is kept. */
static void set_rules(struct pass *s, struct guard_key *k)
{
	const struct rules *r = &s->g->rules;
	/* sizes of blocks are part of heap profiles: without them the sums of pprof would differ */
	bool is_bytes = strcmp(k->name, "bytes") == 0;

	if (!keeps(r, k->name))
		k->why = "not in keep-label";
	else if (!s->honors_labels && scrape_guard_is_series_label(s, k->name))
		k->why = "a label of the series has this name";
	else if (!scrape_guard_has_room(s->g, s->service, k->hash ^ 1, SCRAPE_NAMES_MAX))
		k->why = "the service has too many names of labels today";
	k->is_kept = !k->why;
	k->is_number_kept = k->is_kept || is_bytes;
	k->limit = is_bytes ? SCRAPE_NUMBERS_MAX : limit_of(r, k->name);
	k->has_shape = k->is_kept && has_shape(r, k->name);
}

static struct guard_key *scrape_guard_get_key(struct pass *s, str_id id)
{
	struct guard_key *k;

	for (size_t i = 0; i < s->n_keys; i++)
		if (s->key[i].id == id)
			return &s->key[i];
	if (s->n_keys > KEYS_MAX)
		flush_key(s, &s->key[--s->n_keys]);
	k = &s->key[s->n_keys++];
	*k = (struct guard_key){ .id = id, .name = profile_text(s->p, id) };
	k->hash = scrape_tally_key(s->service, k->name, strlen(k->name));
	set_rules(s, k);
	return k;
}

/* Is the value known today, or is there room for it? */
static bool scrape_guard_admit(struct scrape_guard *g, struct guard_key *k, const char *value, size_t n)
{
	bool is_admitted = scrape_guard_has_room(g, k->hash, scrape_tally_key(k->hash, value, n), k->limit);

	if (!is_admitted && !k->why)
		k->why = "too many distinct values today (limit)";
	return is_admitted;
}

/* Rewrite the value by the shapes of its name. Returns false if it takes too many steps. */
static bool apply_shapes(struct scrape_guard *g, const struct guard_key *k, const char **text, size_t *n)
{
	const struct scrape_config *c = g->rules.config;

	for (size_t i = 0; i < c->n_shapes; i++) {
		struct buf swap;
		size_t n_replaced = 0;

		if (strcmp(c->shape[i].name, k->name) != 0)
			continue;
		g->shaped.len = 0;
		if (*n > COPY_MAX ||
		    regex_replace_all(g->rules.shape[i], *text, *n, c->shape[i].to, &g->shaped, &n_replaced, NULL) < 0)
			return false;
		if (!n_replaced)
			continue;
		/* the text may be in the other buffer, which the next shape overwrites */
		swap = g->shaped;
		g->shaped = g->other;
		g->other = swap;
		*text = buf_text(&g->other);
		*n = g->other.len;
	}
	return true;
}

static const char long_value[] = "a value is longer than 256 bytes";

static void decide_text(struct pass *s, uint32_t i, struct guard_key *k)
{
	struct profile *p = s->p;
	const char *original = profile_text(p, p->label_text[i]), *text = original;
	size_t n = strtab_len(p->str, p->label_text[i]);
	bool is_shaped = k->has_shape ? apply_shapes(s->g, k, &text, &n) : true;

	if (is_shaped && n > SCRAPE_VALUE_MAX) {
		n = utf8_prefix(text, n, SCRAPE_VALUE_MAX);
		k->n_other++;
		k->why = k->why ? k->why : long_value;
	}
	if (!is_shaped || !scrape_guard_admit(s->g, k, text, n)) {
		text = SCRAPE_OTHER;
		n = strlen(text);
		k->n_other++;
		k->why = k->why ? k->why : "a value is too long for shape";
	}
	if (text == original && n == strtab_len(p->str, p->label_text[i]))
		return;
	p->label_text[i] = strtab_add(p->str, text, n);
	s->has_replaced = true;
}

/* Decide on a label. */
static void decide(struct pass *s, uint32_t i)
{
	const struct profile *p = s->p;
	struct guard_key *k = scrape_guard_get_key(s, p->label_key[i]);
	bool is_kept;

	if (p->label_is_text[i])
		is_kept = k->is_kept;
	else
		is_kept = k->is_number_kept &&
			  scrape_guard_admit(s->g, k, (const char *)&p->label_num[i], sizeof(p->label_num[i]));
	s->label[i] = is_kept ? i : PROFILE_NONE;
	if (is_kept && p->label_is_text[i])
		decide_text(s, i, k);
	k->n_removed += !is_kept;
	s->has_removed |= !is_kept;
}

/* Count a label beyond the first SCRAPE_LABELS_MAX of a sample. */
static void remove_label(struct guard_key *k)
{
	k->n_removed++;
	k->why = k->why ? k->why : "a sample has more than 16 labels";
}

/* Write the label sets without the removed labels, and without those after the first SCRAPE_LABELS_MAX. */
static void rewrite_sets(struct pass *s)
{
	struct profile *p = s->p;
	const struct csr *old = &p->label_sets;
	struct csr new = { .n = old->n };
	uint32_t at = 0;

	new.off = arena_alloc(p->mem, (size_t) new.n + 1, sizeof(*new.off));
	new.item = arena_alloc(p->mem, (size_t)old->off[old->n] + 1, sizeof(*new.item));
	new.off[0] = 0;
	for (uint32_t set = 0; set < old->n; set++) {
		uint32_t first = at;

		for (uint32_t i = old->off[set]; i < old->off[set + 1]; i++) {
			uint32_t label = s->label[old->item[i]];

			if (label == PROFILE_NONE)
				continue;
			if (at - first == SCRAPE_LABELS_MAX)
				remove_label(scrape_guard_get_key(s, p->label_key[label]));
			else
				new.item[at++] = label;
		}
		new.off[set + 1] = at;
	}
	p->label_sets = new;
}

static bool has_long_sets(const struct csr *sets)
{
	for (uint32_t set = 0; set < sets->n; set++)
		if (sets->off[set + 1] - sets->off[set] > SCRAPE_LABELS_MAX)
			return true;
	return false;
}

void scrape_guard_profile(struct scrape_guard *g, const char *service, const struct store_label *series,
			  size_t n_series, bool honors_labels, int64_t now_ns, struct profile *p, struct buf *cut)
{
	struct pass *s;

	if (p->n_labels == 0)
		return;
	s = mem_zalloc(1, sizeof(*s));
	s->g = g;
	s->p = p;
	s->report = (struct cut_report){ service, cut };
	s->service = scrape_tally_key(0, service, strlen(service));
	s->series = series;
	s->n_series = n_series;
	s->honors_labels = honors_labels;
	s->label = mem_alloc(p->n_labels, sizeof(*s->label));
	pthread_mutex_lock(&g->lock);
	set_day(g, now_ns);
	for (uint32_t i = 0; i < p->n_labels; i++)
		decide(s, i);
	if (s->has_removed || has_long_sets(&p->label_sets))
		rewrite_sets(s);
	for (size_t i = 0; i < s->n_keys; i++)
		flush_key(s, &s->key[i]);
	pthread_mutex_unlock(&g->lock);
	free(s->label);
	free(s);
}

static uint64_t scrape_guard_hash_text(uint64_t seed, const char *text)
{
	return scrape_tally_key(seed, text, strlen(text) + 1);
}

/* Why a label of a series is removed; NULL: it is kept. */
static const char *find_cut(const struct store_label *l, size_t n_kept)
{
	if (strcmp(l->name, "service") == 0 || strcmp(l->name, "kind") == 0)
		return "the name is that of the service or kind";
	if (strlen(l->name) > SCRAPE_LABEL_NAME_MAX)
		return "the name is longer than 128 bytes";
	return n_kept >= SCRAPE_SERIES_LABELS_MAX - 1 ? "a series has more than 31 labels" : NULL;
}

/* Insert the label SCRAPE_CUT; it replaces one of the client. Returns the number of labels. */
static size_t add_cut_label(struct store_label *label, size_t n, uint64_t hash, struct arena *mem)
{
	char text[17];
	size_t at = 0;

	snprintf(text, sizeof(text), "%016" PRIx64, hash);
	while (at < n && strcmp(label[at].name, SCRAPE_CUT) < 0)
		at++;
	if (at == n || strcmp(label[at].name, SCRAPE_CUT) != 0)
		memmove(&label[at + 1], &label[at], (n++ - at) * sizeof(*label));
	label[at] = (struct store_label){ SCRAPE_CUT, arena_strndup(mem, text, strlen(text)) };
	return n;
}

size_t scrape_guard_labels(struct scrape_guard *g, const char *service, struct store_label *label, size_t n,
			   struct arena *mem, struct buf *cut)
{
	const struct cut_report report = { service, cut };
	size_t n_kept = 0;
	uint64_t hash = 0;

	pthread_mutex_lock(&g->lock);
	for (size_t i = 0; i < n; i++) {
		struct store_label l = label[i];
		size_t length = strlen(l.value);
		const char *why = find_cut(&l, n_kept);

		count_cut(g, &report, l.name, why ? why : long_value, why != NULL, !why && length > SCRAPE_VALUE_MAX);
		if (why || length > SCRAPE_VALUE_MAX)
			hash = scrape_guard_hash_text(scrape_guard_hash_text(hash + 1, l.name), l.value);
		if (why)
			continue;
		if (length > SCRAPE_VALUE_MAX)
			l.value = arena_strndup(mem, l.value, utf8_prefix(l.value, length, SCRAPE_VALUE_MAX));
		label[n_kept++] = l;
	}
	pthread_mutex_unlock(&g->lock);
	return hash ? add_cut_label(label, n_kept, hash, mem) : n_kept;
}

int scrape_guard_series(struct scrape_guard *g, const char *service, const char *kind, const struct store_label *label,
			size_t n, int64_t now_ns, struct err *err)
{
	uint64_t all = scrape_guard_hash_text(1, service), one = scrape_guard_hash_text(all, kind);
	uint32_t *count;
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		one = scrape_guard_hash_text(scrape_guard_hash_text(one, label[i].name), label[i].value);
	pthread_mutex_lock(&g->lock);
	set_day(g, now_ns);
	if (!scrape_tally_get(&g->series, one, false)) {
		count = scrape_tally_get(&g->series, all, false);
		if (g->n_series >= SCRAPE_SERIES_MAX_ALL)
			rc = err_set(err, ERR_LIMIT, "more than %d series today", SCRAPE_SERIES_MAX_ALL);
		else if (count && *count >= SCRAPE_SERIES_MAX)
			rc = err_set(err, ERR_LIMIT, "%.200s: more than %d series today", service, SCRAPE_SERIES_MAX);
		if (rc == 0) {
			++*scrape_tally_get(&g->series, all, true);
			scrape_tally_get(&g->series, one, true);
			g->n_series++;
		}
		g->n_refused += rc < 0;
	}
	pthread_mutex_unlock(&g->lock);
	return rc;
}

void scrape_guard_each_cut(struct scrape_guard *g, scrape_cut_fn *fn, void *arg)
{
	pthread_mutex_lock(&g->lock);
	for (size_t i = 0; i < g->n_cuts; i++)
		fn(arg, &g->cut[i]);
	pthread_mutex_unlock(&g->lock);
}

void scrape_guard_count_series(struct scrape_guard *g, uint64_t *n_refused, uint64_t *n_series)
{
	pthread_mutex_lock(&g->lock);
	*n_refused = g->n_refused;
	*n_series = g->n_series;
	pthread_mutex_unlock(&g->lock);
}
