/*
 * labels.c - the labels report: labels in use, and what is wrong with them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/labels.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "base/utf8.h"
#include "engine/query.h"
#include "report/head.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LOST_MAX = 5, SHAPES_MAX = 5, CHECKED_MAX = 100, LOST_LABELS_MAX = 16 };

#define LABELS_OTHER "other" /* the value that a collector gives those beyond a limit */

static const struct column columns[LABELS_COLS] = {
	[LABELS_CHECK] = { "check", "check", CELL_WORD },
	[LABELS_LABEL] = { "label", "label", CELL_NAME },
	[LABELS_VALUES] = { "values", "values", CELL_COUNT },
	[LABELS_PER_DAY] = { "values_per_day", "per day", CELL_COUNT },
	[LABELS_SAMPLES] = { "samples", "samples", CELL_COUNT },
	[LABELS_CUM] = { "cum", "cum", CELL_VALUE },
	[LABELS_CUM_PCT] = { "cum_percent", "cum%", CELL_PERCENT },
	[LABELS_FINDING] = { "finding", "finding", CELL_NAME },
	[LABELS_REMEDY] = { "remedy", "remedy", CELL_NAME },
};

/* A label of samples. */
struct labels_use {
	str_id key;
	const char *name; /* safe to print */
	uint32_t n_values, n_texts;
	int64_t samples, cum;
	uint32_t last_set; /* the last set that was added, + 1 */
};

struct labels_maker {
	const struct view *v;
	const struct query *q;
	struct report *r;
	int64_t *count;                     /* [v->n] samples of each row */
	int64_t *set_samples, *set_cum;     /* [n_sets] */
	int64_t *label_samples, *label_cum; /* [p->n_labels] */
	bool *is_used;                      /* [p->n_labels] */
	struct labels_use *use;             /* [n] by cum */
	uint32_t *of_key; /* [strings of the profile] index in use before it is sorted, or PROFILE_NONE */
	size_t n, cap, n_rows, cap_rows;
	union cell *cell; /* [n_rows][LABELS_COLS] */
};

/* ---- sums ---- */

/* The samples of each row: values of the type "samples", else one. */
static void labels_count_rows(struct labels_maker *m)
{
	const struct profile *p = m->v->p;
	const int64_t *samples = NULL;

	for (uint32_t t = 0; t < p->n_types && !samples; t++)
		if (strcmp(profile_text(p, p->type[t].name), "samples") == 0)
			samples = p->value[t];
	m->count = mem_alloc(m->v->n, sizeof(*m->count));
	for (uint32_t i = 0; i < m->v->n; i++)
		m->count[i] = samples ? samples[i] : 1;
}

static struct labels_use *labels_use_of(struct labels_maker *m, str_id key)
{
	if (m->of_key[key] != PROFILE_NONE)
		return &m->use[m->of_key[key]];
	m->of_key[key] = (uint32_t)m->n;
	m->use = mem_grow(m->use, &m->cap, m->n + 1, sizeof(*m->use));
	m->use[m->n] = (struct labels_use){ .key = key, .name = report_head_text(m->v->p, key, m->r->mem) };
	return &m->use[m->n++];
}

static void labels_add_set(struct labels_maker *m, uint32_t set)
{
	const struct profile *p = m->v->p;
	const struct csr *sets = &p->label_sets;

	for (uint32_t i = sets->off[set]; i < sets->off[set + 1]; i++) {
		uint32_t label = sets->item[i];
		struct labels_use *u = labels_use_of(m, p->label_key[label]);

		m->is_used[label] = true;
		m->label_samples[label] = num_add_capped(m->label_samples[label], m->set_samples[set]);
		m->label_cum[label] = num_add_capped(m->label_cum[label], m->set_cum[set]);
		if (u->last_set == set + 1)
			continue; /* a sample with several values counts once */
		u->last_set = set + 1;
		u->samples = num_add_capped(u->samples, m->set_samples[set]);
		u->cum = num_add_capped(u->cum, m->set_cum[set]);
	}
}

static int labels_compare_uses(const void *a, const void *b)
{
	const struct labels_use *x = a, *y = b;

	if (x->cum != y->cum)
		return x->cum > y->cum ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void labels_sum(struct labels_maker *m)
{
	const struct profile *p = m->v->p;
	bool *is_used = mem_zalloc(p->label_sets.n, sizeof(*is_used));

	labels_count_rows(m);
	m->of_key = mem_alloc(strtab_count(p->str), sizeof(*m->of_key));
	memset(m->of_key, 0xff, strtab_count(p->str) * sizeof(*m->of_key));
	m->set_samples = mem_zalloc(p->label_sets.n, sizeof(*m->set_samples));
	m->set_cum = mem_zalloc(p->label_sets.n, sizeof(*m->set_cum));
	m->label_samples = mem_zalloc(p->n_labels, sizeof(*m->label_samples));
	m->label_cum = mem_zalloc(p->n_labels, sizeof(*m->label_cum));
	m->is_used = mem_zalloc(p->n_labels, sizeof(*m->is_used));
	for (uint32_t i = 0; i < m->v->n && !stop_step(m->v->stop, i); i++) {
		uint32_t set = p->labels[i];

		is_used[set] = true;
		m->set_samples[set] = num_add_capped(m->set_samples[set], m->count[i]);
		m->set_cum[set] = num_add_capped(m->set_cum[set], m->v->val[i]);
	}
	for (uint32_t set = 0; set < p->label_sets.n; set++)
		if (is_used[set])
			labels_add_set(m, set);
	for (uint32_t l = 0; l < p->n_labels; l++)
		if (m->is_used[l]) {
			labels_use_of(m, p->label_key[l])->n_values++;
			labels_use_of(m, p->label_key[l])->n_texts += p->label_is_text[l];
		}
	if (m->n)
		qsort(m->use, m->n, sizeof(*m->use), labels_compare_uses);
	free(is_used);
}

/* ---- rows ---- */

static union cell *labels_add_row(struct labels_maker *m, const char *check, const char *label)
{
	union cell *c;

	m->cell = mem_grow(m->cell, &m->cap_rows, (m->n_rows + 1) * LABELS_COLS, sizeof(*m->cell));
	c = m->cell + m->n_rows++ * LABELS_COLS;
	memset(c, 0, LABELS_COLS * sizeof(*c));
	c[LABELS_CHECK].text = check;
	c[LABELS_LABEL].text = label;
	c[LABELS_FINDING].text = c[LABELS_REMEDY].text = "";
	return c;
}

static void labels_set_values(union cell *c, int64_t samples, int64_t cum)
{
	c[LABELS_SAMPLES].value = samples;
	c[LABELS_CUM].value = c[LABELS_CUM_PCT].value = cum;
}

static const char *labels_keep(struct labels_maker *m, struct buf *text)
{
	const char *out = arena_strndup(m->r->mem, buf_text(text), text->len);

	buf_release(text);
	return out;
}

/* Add a finding; texts are released. */
static union cell *labels_add_finding(struct labels_maker *m, const char *check, const char *label, struct buf *finding,
				      struct buf *remedy)
{
	union cell *c = labels_add_row(m, check, label);

	m->r->n_findings++;
	c[LABELS_FINDING].text = labels_keep(m, finding);
	c[LABELS_REMEDY].text = labels_keep(m, remedy);
	return c;
}

static const struct label_fact *labels_fact(const struct labels_maker *m, const char *name)
{
	const struct label_facts *facts = m->q->label_facts;

	for (size_t i = 0; facts && i < facts->n; i++)
		if (strcmp(facts->fact[i].name, name) == 0)
			return &facts->fact[i];
	return NULL;
}

static void labels_add_uses(struct labels_maker *m)
{
	const struct label_facts *facts = m->q->label_facts;

	for (size_t i = 0; i < m->n; i++) {
		const struct label_fact *fact = labels_fact(m, m->use[i].name);
		union cell *c = labels_add_row(m, "label", m->use[i].name);

		c[LABELS_VALUES].value = m->use[i].n_values;
		c[LABELS_PER_DAY].value = fact ? (int64_t)fact->per_day : 0;
		labels_set_values(c, m->use[i].samples, m->use[i].cum);
	}
	for (size_t i = 0; facts && i < facts->n; i++)
		if (facts->fact[i].is_series)
			labels_add_row(m, "series", facts->fact[i].name)[LABELS_VALUES].value =
				(int64_t)facts->fact[i].n_values;
}

/* ---- findings ---- */

/* Other spellings of the usual names. */
static const struct {
	const char *usual, *others; /* words */
} labels_usual[] = {
	{ "service", " svc service_name service.name app application app_name " },
	{ "version", " ver app_version release service_version service.version " },
	{ "env", " environment stage deployment.environment deployment.environment.name " },
	{ "region", " location cloud_region cloud.region " },
	{ "route", " path url uri http_route http.route url_path url.path handler " },
	{ "endpoint", " end_point rpc " },
	{ "tenant", " tenant_id tenantid customer customer_id org org_id " },
	{ "priority", " prio " },
	{ "method", " verb http_method http.method http.request.method " },
	{ "pod", " pod_name k8s_pod k8s.pod.name " },
	{ "host", " hostname host_name host.name " },
	{ "instance", " instance_id service.instance.id " },
};

/* The usual name that a label probably means, or NULL. */
static const char *labels_find_usual(const char *name)
{
	struct buf word = { 0 };
	const char *found = NULL;

	for (size_t i = 0; i < sizeof(labels_usual) / sizeof(labels_usual[0]); i++)
		if (strcmp(name, labels_usual[i].usual) == 0)
			return NULL;
	buf_addz(&word, " ");
	for (const char *at = name; *at; at++)
		buf_addf(&word, "%c",
			 *at >= 'A' && *at <= 'Z'   ? *at + 'a' - 'A'
			 : *at == '-' || *at == ' ' ? '_'
						    : *at);
	buf_addz(&word, " ");
	for (size_t i = 0; i < sizeof(labels_usual) / sizeof(labels_usual[0]) && !found; i++) {
		const char *usual = labels_usual[i].usual;
		size_t n = strlen(usual);

		if ((word.len == n + 2 && memcmp(word.data + 1, usual, n) == 0) ||
		    strstr(labels_usual[i].others, buf_text(&word)) || (n > 4 && utf8_distance(name, usual) == 1))
			found = usual;
	}
	buf_release(&word);
	return found;
}

static void labels_check_name(struct labels_maker *m, const char *name, int64_t samples, int64_t cum)
{
	const char *usual = labels_find_usual(name);
	struct buf finding = { 0 }, remedy = { 0 };

	if (!usual)
		return;
	buf_addf(&finding, "the usual name is %s", usual);
	buf_addf(&remedy, "set the label %s instead", usual);
	labels_set_values(labels_add_finding(m, "name", name, &finding, &remedy), samples, cum);
}

/* Append a word as it is written in collect.cpa. */
static void labels_add_word(const char *word, struct buf *out)
{
	bool is_quoted = !*word || *word == '#' || *word == '"' || strpbrk(word, " \t");

	buf_addz(out, is_quoted ? "\"" : "");
	for (; *word; word++)
		buf_addf(out, "%s%c", is_quoted && *word == '"' ? "\\" : "", *word);
	buf_addz(out, is_quoted ? "\"" : "");
}

static void labels_add_shape(struct labels_maker *m, const struct labels_use *u, const struct labels_shape *s)
{
	struct buf finding = { 0 }, remedy = { 0 };
	union cell *c;

	buf_addf(&finding, "%" PRIu32 " value%s contain%s an id: ", s->n_values, s->n_values == 1 ? "" : "s",
		 s->n_values == 1 ? "s" : "");
	utf8_add_safe(&finding, s->example, strlen(s->example));
	if (*s->pattern) {
		buf_addz(&remedy, "shape ");
		labels_add_word(u->name, &remedy);
		buf_addz(&remedy, " ");
		labels_add_word(s->pattern, &remedy);
		buf_addz(&remedy, " ");
		labels_add_word(s->to, &remedy);
	} else {
		buf_addz(&remedy, "set a label without the ids");
	}
	c = labels_add_finding(m, "ids", u->name, &finding, &remedy);
	c[LABELS_VALUES].value = s->n_values;
	labels_set_values(c, s->samples, s->cum);
}

static int labels_compare_shapes(const void *a, const void *b)
{
	const struct labels_shape *x = a, *y = b;

	if (x->cum != y->cum)
		return x->cum > y->cum ? -1 : 1;
	return strcmp(x->example, y->example);
}

/* Values of a label, by their text without ids. */
struct labels_shapes {
	struct strtab *names;
	struct labels_shape *shape; /* [strtab_count(names)] by id; 0 is not used */
	size_t cap;
};

static void labels_add_value(struct labels_maker *m, struct labels_shapes *s, uint32_t label)
{
	const char *text = report_head_text(m->v->p, m->v->p->label_text[label], m->r->mem);
	struct buf name = { 0 }, pattern = { 0 }, to = { 0 };
	bool is_certain;

	if (labels_find_ids(text, &name, &pattern, &to, &is_certain) > 0) {
		uint32_t before = strtab_count(s->names), id = strtab_add(s->names, name.data, name.len);
		struct labels_shape *shape;

		s->shape = mem_grow(s->shape, &s->cap, (size_t)id + 1, sizeof(*s->shape));
		shape = &s->shape[id];
		if (id == before)
			*shape = (struct labels_shape){ .example = text,
							.pattern = arena_strndup(m->r->mem, buf_text(&pattern),
										 pattern.len),
							.to = arena_strndup(m->r->mem, buf_text(&to), to.len) };
		shape->n_values++;
		shape->is_certain |= is_certain;
		shape->samples = num_add_capped(shape->samples, m->label_samples[label]);
		shape->cum = num_add_capped(shape->cum, m->label_cum[label]);
	}
	buf_release(&name);
	buf_release(&pattern);
	buf_release(&to);
}

/* Values with ids. A number in a path is one if there are several: /v/1 alone may be a version. */
static void labels_check_values(struct labels_maker *m, const struct labels_use *u)
{
	const struct profile *p = m->v->p;
	struct labels_shapes s = { .names = strtab_new() };
	size_t n = 0;

	for (uint32_t l = 0; l < p->n_labels; l++)
		if (m->is_used[l] && p->label_key[l] == u->key && p->label_is_text[l])
			labels_add_value(m, &s, l);
	for (uint32_t i = 1; i < strtab_count(s.names); i++)
		if (s.shape[i].is_certain || s.shape[i].n_values > 1)
			s.shape[n++] = s.shape[i];
	if (n)
		qsort(s.shape, n, sizeof(*s.shape), labels_compare_shapes);
	for (size_t i = 0; i < n && i < SHAPES_MAX; i++)
		labels_add_shape(m, u, &s.shape[i]);
	strtab_free(s.names);
	free(s.shape);
}

/* Values that a collector replaced, and more values than it keeps. */
static void labels_check_limit(struct labels_maker *m, const struct labels_use *u)
{
	const struct label_fact *fact = labels_fact(m, u->name);
	const struct profile *p = m->v->p;
	uint64_t per_day = fact && fact->per_day ? fact->per_day : u->n_texts;
	struct buf finding = { 0 }, remedy = { 0 };
	union cell *c;

	for (uint32_t l = 0; l < p->n_labels; l++)
		if (m->is_used[l] && p->label_key[l] == u->key && p->label_is_text[l] &&
		    strcmp(profile_text(p, p->label_text[l]), LABELS_OTHER) == 0) {
			buf_addf(&finding,
				 "values are \"other\": a collector replaces those beyond the limit of a day");
			buf_addf(&remedy, "limit %s N, or fewer values", u->name);
			labels_set_values(labels_add_finding(m, "cut", u->name, &finding, &remedy), m->label_samples[l],
					  m->label_cum[l]);
		}
	if (per_day <= LABELS_PER_DAY_MAX)
		return;
	buf_addf(&finding, "%" PRIu64 " values %s; a collector keeps %d a day unless limit says more", per_day,
		 fact && fact->per_day ? "in a day" : "in this profile", LABELS_PER_DAY_MAX);
	buf_addf(&remedy, "limit %s %" PRIu64, u->name, per_day);
	c = labels_add_finding(m, "limit", u->name, &finding, &remedy);
	c[LABELS_VALUES].value = u->n_values;
	c[LABELS_PER_DAY].value = fact ? (int64_t)fact->per_day : 0;
	labels_set_values(c, u->samples, u->cum);
}

static void labels_check_series(struct labels_maker *m, const struct labels_use *u)
{
	const struct label_fact *fact = labels_fact(m, u->name);
	struct buf finding = { 0 }, remedy = { 0 };

	if (!fact || !fact->is_series)
		return;
	buf_addz(&finding, "series have the label, too: a selector means the series");
	buf_addz(&remedy, "rename one of them; a collector removes the label of samples unless honor-labels is yes");
	labels_set_values(labels_add_finding(m, "repeats", u->name, &finding, &remedy), u->samples, u->cum);
}

/* The name of a function, safe to print. */
static void labels_add_function(const struct labels_maker *m, uint32_t f, struct buf *out)
{
	const struct profile *p = m->v->p;

	utf8_add_safe(out, profile_text(p, p->func_name[f]), strtab_len(p->str, p->func_name[f]));
}

/* is_reported: [n_funcs] threads that lost a label with a larger cum have lost others, too */
static void labels_check_lost(struct labels_maker *m, const struct labels_use *u, bool *is_reported)
{
	const struct csr *sets = &m->v->p->label_sets;
	bool *has = mem_zalloc(sets->n, sizeof(*has));
	struct labels_lost lost[LOST_MAX];
	size_t n;

	for (uint32_t set = 0; set < sets->n; set++)
		for (uint32_t i = sets->off[set]; i < sets->off[set + 1]; i++)
			has[set] |= m->v->p->label_key[sets->item[i]] == u->key;
	n = labels_find_lost(m->v, has, m->count, lost, LOST_MAX);
	free(has);
	for (size_t i = 0; i < n; i++) {
		struct buf finding = { 0 }, remedy = { 0 };

		if (is_reported[lost[i].root])
			continue;
		is_reported[lost[i].root] = true;
		labels_add_function(m, lost[i].root, &finding);
		buf_addz(&finding, " runs ");
		labels_add_function(m, lost[i].func, &finding);
		buf_addz(&finding, " without the label, which it has in other threads");
		buf_addz(&remedy, "set the labels of the work in ");
		labels_add_function(m, lost[i].root, &remedy);
		labels_set_values(labels_add_finding(m, "lost", u->name, &finding, &remedy), lost[i].samples,
				  lost[i].cum);
	}
}

static void labels_check_all(struct labels_maker *m)
{
	const struct label_facts *facts = m->q->label_facts;
	struct buf finding = { 0 }, remedy = { 0 };
	size_t n = m->n < CHECKED_MAX ? m->n : CHECKED_MAX;
	bool *is_reported = mem_zalloc(m->v->p->n_funcs, sizeof(*is_reported));

	for (size_t i = 0; i < n; i++)
		labels_check_name(m, m->use[i].name, m->use[i].samples, m->use[i].cum);
	for (size_t i = 0; facts && i < facts->n; i++)
		if (facts->fact[i].is_series)
			labels_check_name(m, facts->fact[i].name, 0, 0);
	for (size_t i = 0; i < n; i++)
		labels_check_values(m, &m->use[i]);
	for (size_t i = 0; i < n; i++)
		labels_check_limit(m, &m->use[i]);
	if (facts && facts->n_cut_series) {
		buf_addf(&finding, "labels of %" PRIu64 " series of clients were cut: more than 31, or too long",
			 facts->n_cut_series);
		buf_addz(&remedy, "send fewer labels");
		labels_add_finding(m, "cut", "labels_cut", &finding, &remedy);
	}
	for (size_t i = 0; i < n; i++)
		labels_check_series(m, &m->use[i]);
	for (size_t i = 0; i < n && i < LOST_LABELS_MAX && !stop_is_set(m->v->stop); i++)
		labels_check_lost(m, &m->use[i], is_reported);
	free(is_reported);
}

static void labels_maker_release(struct labels_maker *m)
{
	free(m->use);
	free(m->of_key);
	free(m->count);
	free(m->set_samples);
	free(m->set_cum);
	free(m->label_samples);
	free(m->label_cum);
	free(m->is_used);
	free(m->cell);
}

int report_labels_make(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
		       struct err *err)
{
	struct report r = { .mem = arena_new(), .head = { .command = "labels", .is_whole = true } };
	struct labels_maker m = { .v = v, .q = q, .r = &r };
	int rc;

	report_head_fill(&r.head, v, q, r.mem);
	labels_sum(&m);
	labels_add_uses(&m);
	labels_check_all(&m);
	if (m.n > CHECKED_MAX && notes)
		buf_addf(notes, "%zu labels; only the %d with the largest cum are checked\n", m.n, CHECKED_MAX);
	r.table = (struct table){ .n_cols = LABELS_COLS, .n_rows = (uint32_t)m.n_rows, .col = columns };
	r.table.cell = arena_alloc(r.mem, m.n_rows * LABELS_COLS + 1, sizeof(*r.table.cell));
	if (m.n_rows)
		memcpy(r.table.cell, m.cell, m.n_rows * LABELS_COLS * sizeof(*m.cell));
	labels_maker_release(&m);
	rc = stop_check(q->stop, err);
	if (rc < 0)
		report_release(&r);
	else
		*out = r;
	return rc;
}
