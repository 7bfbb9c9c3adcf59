/*
 * plan.c - cpa store plan: the size of a store for a service, estimated from its own profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/store/store.h"

#include "base/amount.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "base/unit.h"
#include "fetch/url.h"
#include "formats/formats.h"
#include "formats/pprof/pprof.h"
#include "front/cli/http_options.h"
#include "profile/temporality.h"
#include "store/local/read/local.h"
#include "store/local/upkeep/estimate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLAN_SAMPLE_MAX = 256, PLAN_KINDS_MAX = 16, PLAN_MEASURED = 4, PLAN_CAPTURE_S = 5, PLAN_GIB = 1 << 30 };

/* The sample of a kind. */
struct plan_kind {
	char *name;
	struct profile **p; /* [n] */
	size_t n, cap;
	double file; /* bytes of a profile as a file */
	struct estimate e;
};

struct plan_work {
	const struct cmd_store_args *a;
	struct plan_kind kind[PLAN_KINDS_MAX];
	size_t n_kinds;
	double pods, every_s;
	struct retain retain;
};

/* Is a kind one of --kinds? */
static bool plan_wants(const struct plan_work *w, const char *kind)
{
	size_t n = strlen(kind);

	if (!*w->a->kinds)
		return true;
	for (const char *at = w->a->kinds; *at; at += *at == ',') {
		size_t length = strcspn(at, ",");

		if (length == n && memcmp(at, kind, n) == 0)
			return true;
		at += length;
	}
	return false;
}

/* The sample of the kind of n bytes; NULL if there is none. */
static struct plan_kind *plan_find(struct plan_work *w, const char *kind, size_t n)
{
	for (size_t i = 0; i < w->n_kinds; i++)
		if (strlen(w->kind[i].name) == n && memcmp(w->kind[i].name, kind, n) == 0)
			return &w->kind[i];
	return NULL;
}

/* Take a profile for the sample of its kind; it is freed if it is not needed. */
static int plan_take(struct plan_work *w, const char *kind, struct profile *p, struct err *err)
{
	struct plan_kind *k = plan_find(w, kind, strlen(kind));

	if (!k && plan_wants(w, kind)) {
		if (w->n_kinds == PLAN_KINDS_MAX) {
			profile_free(p);
			return err_set(err, ERR_LIMIT, "more than %d kinds; select some with --kinds", PLAN_KINDS_MAX);
		}
		k = &w->kind[w->n_kinds++];
		*k = (struct plan_kind){ .name = mem_strndup(kind, strlen(kind)) };
	}
	if (!k || k->n == PLAN_SAMPLE_MAX) {
		profile_free(p);
		return 0;
	}
	k->p = mem_grow(k->p, &k->cap, k->n + 1, sizeof(*k->p));
	k->p[k->n++] = p;
	return 0;
}

/* Fail if a kind of --kinds has no profile: the sums would lack it. */
static int plan_check_kinds(struct plan_work *w, struct err *err)
{
	size_t n;

	for (const char *at = w->a->kinds; *at; at += n + (at[n] == ',')) {
		n = strcspn(at, ",");
		if (!plan_find(w, at, n))
			return err_set(err, ERR_IO, "no profile of the kind %.*s was found", (int)n, at);
	}
	return w->n_kinds ? 0 : err_set(err, ERR_IO, "no profile was found");
}

static int plan_take_stored(void *arg, const struct store_item *item, struct profile *p, struct err *err)
{
	if (item->tier == TIER_RAW)
		return plan_take(arg, item->kind, p, err);
	profile_free(p);
	return 0;
}

/* The profiles of a selector. */
static int plan_read_store(struct plan_work *w, struct store_command *c, const char *text, struct err *err)
{
	struct window *window = NULL;
	struct store_query q;
	struct store *s = NULL;
	int rc = local_open(c->directory, &s, err);

	rc = rc < 0 ? rc : cmd_store_select(text, s, &window, &q, err);
	if (rc == 0)
		rc = store_each_profile(s, &q, c->stop, plan_take_stored, w, err);
	window_free(window);
	store_close(s);
	return rc;
}

static int plan_take_bytes(struct plan_work *w, struct bytes *data, const char *name, const char *kind, struct err *err)
{
	struct profile *p;
	int rc = formats_read(data, &formats_options_default, &p, err);

	free(data->data);
	if (rc < 0)
		return err_wrap(err, "%.200s", name);
	return plan_take(w, kind ? kind : profile_kind(p), p, err);
}

static int plan_read_file(struct plan_work *w, const char *path, struct err *err)
{
	struct bytes data;

	if (io_read_file(path, mem_quarter_of_ram(), NULL, &data, err) < 0)
		return err->code;
	return plan_take_bytes(w, &data, path, NULL, err);
}

/* Fetch a profile of a kind from the server. */
static int plan_fetch_kind(struct plan_work *w, const char *kind, struct err *err)
{
	const char *server = w->a->measure;
	bool is_cpu = strcmp(kind, "cpu") == 0;
	struct http_options http;
	struct url url;
	struct fetch_request get = { .url = &url };
	struct buf text = { 0 };
	int rc;

	cmd_http_set_defaults(&http);
	buf_addf(&text, "%s%s/debug/pprof/%s", strstr(server, "://") ? "" : "http://", server,
		 is_cpu ? "profile" : kind);
	rc = url_parse(text.data, is_cpu ? PLAN_CAPTURE_S : 0, &url, err);
	if (rc == 0) {
		bool is_interrupted = cmd_http_fetch(&http, &get, 1, "measuring the server");

		if (is_interrupted)
			rc = err_set(err, ERR_STOPPED, "interrupted");
		else if (get.rc < 0)
			rc = err_set(err, get.rc, "%.200s: %s", text.data, get.err.msg);
		else
			rc = plan_take_bytes(w, &get.bytes, text.data, kind, err);
		url_release(&url);
	}
	buf_release(&text);
	return rc;
}

/* Fetch some profiles of each kind from a server. */
static int plan_fetch(struct plan_work *w, struct err *err)
{
	const char *kinds = *w->a->kinds ? w->a->kinds : "cpu,heap,goroutine";
	int rc = 0;

	for (const char *at = kinds; rc == 0 && *at; at += *at == ',') {
		size_t n = strcspn(at, ",");
		char *kind = mem_strndup(at, n);

		at += n;
		for (int i = 0; rc == 0 && i < PLAN_MEASURED; i++)
			rc = plan_fetch_kind(w, kind, err);
		free(kind);
	}
	return rc;
}

static int plan_measure(struct plan_work *w, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < w->n_kinds; i++) {
		struct plan_kind *k = &w->kind[i];

		rc = estimate_measure(k->name, (const struct profile *const *)k->p, k->n, &k->e, err);
		for (size_t j = 0; rc == 0 && j < k->n; j++) {
			struct buf file = { 0 };

			rc = pprof_write(k->p[j], 1, &file, err);
			k->file += (double)file.len / (double)k->n;
			buf_release(&file);
		}
	}
	return rc;
}

/* --- numbers --- */

static const struct retain_rule *plan_rule(const struct plan_work *w)
{
	return &w->retain.rule[w->retain.n - 1];
}

static double plan_kind_bytes(const struct plan_work *w, const struct plan_kind *k, const struct retain_rule *rule,
			      double every_s, double days)
{
	double sum = 0;

	for (int t = 0; t < N_TIERS; t++)
		sum += estimate_bytes(&k->e, (enum store_tier)t, w->pods, every_s,
				      estimate_days(rule, (enum store_tier)t, days));
	return sum;
}

static double plan_bytes(const struct plan_work *w, const struct retain_rule *rule, double every_s, double days,
			 const struct plan_kind *without)
{
	double sum = 0;

	for (size_t i = 0; i < w->n_kinds; i++)
		if (&w->kind[i] != without)
			sum += plan_kind_bytes(w, &w->kind[i], rule, every_s, days);
	return sum;
}

/* --- text --- */

static void plan_add_size(struct buf *out, double bytes)
{
	struct buf text = { 0 };

	unit_add_label(&text, bytes < 9e18 ? (int64_t)bytes : INT64_MAX, "bytes", "auto");
	buf_addf(out, "%12s", buf_text(&text));
	buf_release(&text);
}

static void plan_add_kind(const struct plan_work *w, const struct plan_kind *k, struct buf *out)
{
	static const double days[] = { 1, 30, 365 };

	for (int t = 0; t < N_TIERS; t++) {
		if (!plan_rule(w)->keep_ns[t])
			continue;
		buf_addf(out, "%-12.12s %-5s", t ? "" : k->name, store_tier_name((enum store_tier)t));
		for (size_t i = 0; i < 3; i++)
			plan_add_size(out, estimate_bytes(&k->e, (enum store_tier)t, w->pods, w->every_s,
							  estimate_days(plan_rule(w), (enum store_tier)t, days[i])));
		buf_addz(out, "\n");
	}
}

/* A change of the settings, and the bytes that it saves in a year. */
struct plan_saving {
	char text[128];
	double bytes;
};

static void plan_consider(struct plan_saving *best, double saved, const char *text)
{
	if (saved <= best->bytes)
		return;
	best->bytes = saved;
	snprintf(best->text, sizeof(best->text), "%s", text);
}

static struct plan_saving plan_find_saving(const struct plan_work *w, double year)
{
	struct plan_saving best = { "", 0 };
	char text[128];

	plan_consider(&best, year - plan_bytes(w, plan_rule(w), 2 * w->every_s, 365, NULL),
		      "twice the interval (--every)");
	for (int t = 0; t + 1 < N_TIERS; t++) {
		struct retain_rule rule = *plan_rule(w);

		if (!rule.keep_ns[t] || rule.keep_ns[t] == INT64_MAX)
			continue;
		rule.keep_ns[t] /= 2;
		if (t > 0 && rule.keep_ns[t] <= rule.keep_ns[t - 1])
			continue;
		snprintf(text, sizeof(text), "retain %s=%.0fd", store_tier_name((enum store_tier)t),
			 (double)rule.keep_ns[t] / (double)NS_PER_DAY);
		plan_consider(&best, year - plan_bytes(w, &rule, w->every_s, 365, NULL), text);
	}
	for (size_t i = 0; w->n_kinds > 1 && i < w->n_kinds; i++) {
		snprintf(text, sizeof(text), "no %s", w->kind[i].name);
		plan_consider(&best, year - plan_bytes(w, plan_rule(w), w->every_s, 365, &w->kind[i]), text);
	}
	return best;
}

static void plan_print(const struct plan_work *w, struct buf *out)
{
	double year = plan_bytes(w, plan_rule(w), w->every_s, 365, NULL), files = 0, per_year;
	struct plan_saving best = plan_find_saving(w, year);

	per_year = w->pods * 365 * 86400 / w->every_s;
	for (size_t i = 0; i < w->n_kinds; i++) {
		const struct plan_kind *k = &w->kind[i];

		buf_addf(out,
			 "%s: %zu profiles of %.0f rows, %.0f bytes each and a dictionary of %.0f bytes (half of them: "
			 "%.0f)\n",
			 k->name, k->n, k->e.rows, k->e.raw.all, k->e.raw_dict.all, k->e.raw_dict.half);
		files += per_year * k->file;
	}
	buf_addf(out, "\n%-12s %-5s%12s%12s%12s\n", "kind", "tier", "1 day", "30 days", "a year");
	for (size_t i = 0; i < w->n_kinds; i++)
		plan_add_kind(w, &w->kind[i], out);
	buf_addf(out, "%-18s", "all");
	plan_add_size(out, plan_bytes(w, plan_rule(w), w->every_s, 1, NULL));
	plan_add_size(out, plan_bytes(w, plan_rule(w), w->every_s, 30, NULL));
	plan_add_size(out, year);
	buf_addf(out, "\n\nquota            cap %.0fGiB (a year, a third more for merging, and journals)\n",
		 year * 4 / 3 / PLAN_GIB + 1);
	if (best.bytes > 0) {
		buf_addf(out, "saves most       %s:", best.text);
		plan_add_size(out, best.bytes);
		buf_addz(out, " in a year\n");
	}
	buf_addz(out, "plain files     ");
	plan_add_size(out, files);
	buf_addz(out, " in a year\n");
}

/* --- the command --- */

static int plan_read_options(struct plan_work *w, struct err *err)
{
	int64_t every;
	char *end;

	w->pods = strtod(w->a->pods, &end);
	if (*end || w->pods < 1 || w->pods > 1e6)
		return err_set(err, ERR_USAGE, "--pods=%.40s: not a number from 1 to 1000000", w->a->pods);
	if (amount_parse_duration("--every", w->a->every, &every, err) < 0)
		return ERR_USAGE;
	if (every < NS_PER_S)
		return err_set(err, ERR_USAGE, "--every=%.40s: the shortest is 1s", w->a->every);
	w->every_s = (double)every / (double)NS_PER_S;
	if (!w->a->n_words && !*w->a->measure)
		return err_set(
			err, ERR_USAGE,
			"plan needs profiles of the service: files, a selector store:SERVICE, or --measure=SERVER");
	return retain_parse("", &w->retain, err);
}

static void plan_release(struct plan_work *w)
{
	for (size_t i = 0; i < w->n_kinds; i++) {
		for (size_t k = 0; k < w->kind[i].n; k++)
			profile_free(w->kind[i].p[k]);
		free(w->kind[i].p);
		free(w->kind[i].name);
	}
	retain_release(&w->retain);
}

int cmd_store_plan(struct store_command *c, struct err *err)
{
	struct plan_work w = { .a = c->a };
	int rc = plan_read_options(&w, err);

	if (rc == 0 && *c->a->measure)
		rc = plan_fetch(&w, err);
	for (size_t i = 0; rc == 0 && i < c->a->n_words; i++)
		rc = window_is_source(c->a->word[i]) ? plan_read_store(&w, c, c->a->word[i], err)
						     : plan_read_file(&w, c->a->word[i], err);
	rc = rc < 0 ? rc : plan_check_kinds(&w, err);
	if (rc == 0)
		rc = plan_measure(&w, err);
	if (rc == 0)
		plan_print(&w, c->out);
	plan_release(&w);
	return rc;
}
