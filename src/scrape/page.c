/*
 * page.c - the state of the collector: a page without scripts, JSON, and metrics
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The text is made with the lock held, which delays the loop: 10,000 targets take some milliseconds.
 */
#include "config.h"

#include "scrape/collector_int.h"

#include "base/jsonw.h"
#include "base/time.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "base/webpage.h"
#include "store/local/write/writer.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define STATUS_SCHEMA "cpa-collect-status/2"
#define PREFIX "cpa_collect_"

enum { OK = 200, PAGE_TARGETS_MAX = 1000 };

static const char style[] =
	"body{font:14px/1.4 sans-serif;margin:2em;max-width:90em}table{border-collapse:collapse}"
	"td,th{padding:.2em .8em;text-align:left;border-bottom:1px solid #8884;vertical-align:top}"
	"td.n{text-align:right;font-variant-numeric:tabular-nums}.bad{color:#b00}"
	"@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}.bad{color:#f77}a{color:#9cf}}";

/* The state of a target: its last result, "waiting" before the first. */
static const char *scrape_page_state_of(const struct scrape_state *s)
{
	return s->open ? "scraping" : s->has_logged ? scrape_result_name(s->logged) : "waiting";
}

/* ---- JSON ---- */

static void scrape_page_add_time(struct json *j, const char *key, int64_t ns)
{
	struct buf text = { 0 };

	jsonw_key(j, key);
	if (ns <= 0 || ns == INT64_MAX) {
		jsonw_raw(j, "null", 4);
		return;
	}
	time_add_utc(&text, ns, TIME_ISO);
	jsonw_textz(j, text.data);
	buf_release(&text);
}

static void scrape_page_add_target(struct json *j, const struct scrape_target *t)
{
	const struct scrape_state *s = t->owner_data;

	jsonw_open(j, '{');
	jsonw_add_text(j, "service", t->labels->service);
	jsonw_add_text(j, "instance", t->instance);
	jsonw_open_key(j, "labels", '{');
	for (size_t i = 0; i < t->labels->n; i++)
		jsonw_add_text(j, t->labels->label[i].name, t->labels->label[i].value);
	jsonw_close(j, '}');
	jsonw_add_text(j, "state", scrape_page_state_of(s));
	scrape_page_add_time(j, "next", s->due_ns);
	scrape_page_add_time(j, "last_profile", s->last_profile_ns);
	scrape_page_add_time(j, "last_error_time", s->last_error_ns);
	jsonw_add_text(j, "last_error", s->error);
	jsonw_add_int(j, "profiles", (int64_t)s->n_profiles);
	jsonw_add_int(j, "bytes", (int64_t)s->n_bytes);
	jsonw_close(j, '}');
}

static void add_store(struct json *j, const struct scrape_collector *c, const struct store_stat *stat)
{
	jsonw_open_key(j, "store", '{');
	jsonw_add_text(j, "directory", c->directory.data);
	jsonw_add_int(j, "bytes", (int64_t)stat->used);
	jsonw_add_int(j, "cap", (int64_t)stat->cap);
	jsonw_add_int(j, "journal_bytes", (int64_t)stat->journal_bytes);
	jsonw_close(j, '}');
}

static void scrape_page_add_cut(void *arg, const struct scrape_cut *cut)
{
	struct json *j = arg;

	jsonw_open(j, '{');
	jsonw_add_text(j, "name", cut->name);
	jsonw_add_int(j, "removed", (int64_t)cut->n_removed);
	jsonw_add_int(j, "other", (int64_t)cut->n_other);
	jsonw_close(j, '}');
}

static void scrape_page_add_counts(struct json *j, struct scrape_collector *c)
{
	struct scrape_stats *s = &c->stats;
	uint64_t n_profiles = 0, n_dropped = 0;

	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->n_kinds; i++)
		n_profiles += s->kind[i].n_profiles;
	for (int i = 0; i < N_SCRAPE_DROPS; i++)
		n_dropped += s->n_dropped[i];
	jsonw_add_int(j, "profiles", (int64_t)n_profiles);
	jsonw_add_int(j, "duplicates", (int64_t)s->n_duplicates);
	jsonw_add_int(j, "dropped", (int64_t)n_dropped);
	jsonw_add_int(j, "missed", (int64_t)s->n_missed);
	jsonw_add_int(j, "pushes", (int64_t)s->n_pushes);
	pthread_mutex_unlock(&s->lock);
}

void scrape_status_json(struct scrape_collector *c, struct http_response *out)
{
	struct json j = { .out = &out->body };
	struct store_stat stat = { 0 };

	writer_get_stat(c->store, &stat);
	scrape_lock(c);
	jsonw_open(&j, '{');
	jsonw_add_text(&j, "schema", STATUS_SCHEMA);
	jsonw_add_text(&j, "cpa", PACKAGE_VERSION);
	jsonw_add_int(&j, "pid", getpid());
	scrape_page_add_time(&j, "started", c->started_ns);
	jsonw_add_text(&j, "file", c->o.file ? c->o.file : "");
	jsonw_open_key(&j, "listen", '[');
	for (size_t i = 0; i < c->n_listeners; i++)
		if (c->listener[i].http)
			jsonw_textz(&j, httpd_url(c->listener[i].http));
	jsonw_close(&j, ']');
	add_store(&j, c, &stat);
	scrape_page_add_counts(&j, c);
	jsonw_add_int(&j, "open", (int64_t)fetch_loop_n_open(c->loop));
	jsonw_open_key(&j, "cut", '[');
	scrape_guard_each_cut(c->guard, scrape_page_add_cut, &j);
	jsonw_close(&j, ']');
	jsonw_open_key(&j, "targets", '[');
	for (size_t i = 0; i < c->targets.n; i++)
		scrape_page_add_target(&j, c->targets.target[i]);
	jsonw_close(&j, ']');
	scrape_sinks_add_json(c, &j);
	jsonw_close(&j, '}');
	pthread_mutex_unlock(&c->lock);
	buf_addz(&out->body, "\n");
	out->status = OK;
	out->type = "application/json";
	out->can_compress = true;
}

/* ---- the next profile ---- */

void scrape_due(struct scrape_collector *c, const char *service, const char *kind, struct http_response *out)
{
	int64_t now = clock_wall_ns(), due = INT64_MAX;

	scrape_lock(c);
	for (size_t i = 0; i < c->targets.n; i++) {
		const struct scrape_target *t = c->targets.target[i];
		const char *name = t->labels->service;

		if (*name && strcmp(name, service) != 0) /* without a name it is that of the program */
			continue;
		for (size_t k = 0; k < t->schedule.n; k++) {
			int64_t at = scrape_schedule_expect(&t->schedule, k, now);

			if (strcmp(t->schedule.kind[k].name, kind) == 0 && at < due)
				due = at;
		}
	}
	pthread_mutex_unlock(&c->lock);
	out->status = OK;
	out->type = "text/plain; charset=utf-8";
	if (due == INT64_MAX)
		buf_addz(&out->body, "never\n");
	else
		buf_addf(&out->body, "%" PRId64 "\n", due / NS_PER_S);
}

/* ---- text, for cpa collect --status ---- */

static void add_text_row(struct buf *out, const struct scrape_target *t)
{
	const struct scrape_state *s = t->owner_data;
	const char *service = t->labels->service;
	struct buf time = { 0 };

	if (s->last_profile_ns)
		time_add_utc(&time, s->last_profile_ns, TIME_ISO);
	buf_addf(out, "%-20s %-28s %-11s %8" PRIu64 "  %-20s  ", *service ? service : "-", t->instance,
		 scrape_page_state_of(s), s->n_profiles, time.len ? time.data : "-");
	if (*s->error) {
		time_add_utc(out, s->last_error_ns, TIME_ISO);
		buf_addz(out, " ");
	}
	utf8_add_safe(out, s->error, strlen(s->error));
	buf_addz(out, "\n");
	buf_release(&time);
}

/* The first names and how often: "route (3), user (12)". */
struct cut_line {
	struct buf *out;
	unsigned n;
};

static void add_cut_text(void *arg, const struct scrape_cut *cut)
{
	enum { SHOWN = 10 };
	struct cut_line *line = arg;

	if (line->n++ > SHOWN)
		return;
	buf_addz(line->out, line->n == 1 ? "\ncut      labels removed or replaced: " : ", ");
	if (line->n > SHOWN) {
		buf_addz(line->out, "...; --json has all");
		return;
	}
	utf8_add_safe(line->out, cut->name, strlen(cut->name));
	buf_addf(line->out, " (%" PRIu64 ")", cut->n_removed + cut->n_other);
}

void scrape_status_text(struct scrape_collector *c, struct http_response *out)
{
	struct buf *b = &out->body;
	struct store_stat stat = { 0 };

	writer_get_stat(c->store, &stat);
	buf_addf(b, "store    %s: ", c->directory.data);
	unit_add_label(b, (int64_t)stat.used, "bytes", "auto");
	buf_addz(b, " of ");
	unit_add_label(b, (int64_t)stat.cap, "bytes", "auto");
	buf_addf(b, "\nprocess  %d, since ", (int)getpid());
	time_add_utc(b, c->started_ns, TIME_ISO);
	scrape_lock(c);
	for (size_t i = 0; i < c->n_listeners; i++)
		if (c->listener[i].http)
			buf_addf(b, "\nlisten   %s", httpd_url(c->listener[i].http));
	pthread_mutex_unlock(&c->lock);
	scrape_guard_each_cut(c->guard, add_cut_text, &(struct cut_line){ .out = b });
	scrape_lock(c);
	buf_addf(b, "\nrunning  %zu requests\n\n%-20s %-28s %-11s %8s  %-20s  %s\n", fetch_loop_n_open(c->loop),
		 "service", "instance", "state", "profiles", "last profile", "last error");
	for (size_t i = 0; i < c->targets.n; i++)
		add_text_row(b, c->targets.target[i]);
	scrape_sinks_add_text(c, b);
	pthread_mutex_unlock(&c->lock);
	out->status = OK;
	out->type = "text/plain; charset=utf-8";
	out->can_compress = true;
}

/* ---- the page ---- */

static void add_html_time(struct buf *out, int64_t ns)
{
	if (ns > 0 && ns != INT64_MAX)
		time_add_utc(out, ns, TIME_ISO);
	else
		buf_addz(out, "–");
}

static void scrape_page_add_row(struct buf *out, const struct scrape_target *t)
{
	const struct scrape_state *s = t->owner_data;
	bool is_bad = s->has_logged && s->logged != SCRAPE_OK;

	buf_addz(out, "<tr><td>");
	webpage_add_name(out, *t->labels->service ? t->labels->service : "(by program)");
	buf_addz(out, "<td>");
	webpage_add_name(out, t->instance);
	buf_addf(out, "<td%s>%s<td>", is_bad ? " class=bad" : "", scrape_page_state_of(s));
	add_html_time(out, s->last_profile_ns);
	buf_addz(out, "<td>");
	add_html_time(out, s->due_ns);
	buf_addf(out, "<td class=n>%" PRIu64 "<td class=n>", s->n_profiles);
	unit_add_label(out, (int64_t)s->n_bytes, "bytes", "auto");
	buf_addz(out, "<td>");
	if (*s->error) {
		add_html_time(out, s->last_error_ns);
		buf_addz(out, " ");
	}
	webpage_add_name(out, s->error);
	buf_addz(out, "</tr>\n");
}

static void add_html_cut(void *arg, const struct scrape_cut *cut)
{
	struct buf *out = arg;

	buf_addz(out, "<tr><td>");
	webpage_add_name(out, cut->name);
	buf_addf(out, "<td class=n>%" PRIu64 "<td class=n>%" PRIu64 "</tr>\n", cut->n_removed, cut->n_other);
}

static void scrape_page_add_summary(struct buf *out, struct scrape_collector *c)
{
	struct store_stat stat = { 0 };

	writer_get_stat(c->store, &stat);
	buf_addz(out, "<p>Store ");
	webpage_add_name(out, c->directory.data);
	buf_addz(out, ": ");
	unit_add_label(out, (int64_t)stat.used, "bytes", "auto");
	buf_addz(out, " of ");
	unit_add_label(out, (int64_t)stat.cap, "bytes", "auto");
	buf_addf(out, ". %zu requests are running. <a href=status.json>JSON</a>, <a href=metrics>metrics</a>.\n",
		 fetch_loop_n_open(c->loop));
}

void scrape_page(struct scrape_collector *c, struct http_response *out)
{
	struct buf *b = &out->body;

	buf_addf(b,
		 "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=width=device-width>"
		 "<title>cpa collect</title><style>%s</style>\n<h1>cpa collect %s</h1>\n",
		 style, PACKAGE_VERSION);
	scrape_lock(c);
	scrape_page_add_summary(b, c);
	buf_addf(b,
		 "<h2>%zu targets</h2>\n<table><tr><th>service<th>instance<th>state<th>last profile<th>next request"
		 "<th>profiles<th>received<th>last error</tr>\n",
		 c->targets.n);
	for (size_t i = 0; i < c->targets.n && i < PAGE_TARGETS_MAX; i++)
		scrape_page_add_row(b, c->targets.target[i]);
	buf_addz(b, "</table>\n");
	if (c->targets.n > PAGE_TARGETS_MAX)
		buf_addf(b, "<p>%zu more are in status.json.\n", c->targets.n - PAGE_TARGETS_MAX);
	scrape_sinks_add_html(c, b);
	pthread_mutex_unlock(&c->lock);
	buf_addz(b, "<h2>Labels removed by the guard</h2>\n<table><tr><th>name<th>removed<th>replaced by other</tr>\n");
	scrape_guard_each_cut(c->guard, add_html_cut, b);
	buf_addz(b, "</table>\n");
	out->status = OK;
	out->type = "text/html; charset=utf-8";
	http_response_add(out, "Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'");
	http_response_add(out, "X-Content-Type-Options", "nosniff");
	out->can_compress = true;
}

/* ---- metrics ---- */

static void add_gauge(struct buf *out, const char *name, const char *help, uint64_t n)
{
	scrape_stats_add_head(out, name, "gauge", help);
	buf_addf(out, "%s %" PRIu64 "\n", name, n);
}

static void scrape_page_add_targets(struct buf *out, struct scrape_collector *c)
{
	uint64_t n[N_SCRAPE_RESULTS] = { 0 }, n_waiting = 0;

	for (size_t i = 0; i < c->targets.n; i++) {
		const struct scrape_state *s = c->targets.target[i]->owner_data;

		if (s->has_logged)
			n[s->logged]++;
		else
			n_waiting++;
	}
	scrape_stats_add_head(out, PREFIX "targets", "gauge", "Targets, by the result of the last request.");
	buf_addf(out, PREFIX "targets{state=\"waiting\"} %" PRIu64 "\n", n_waiting);
	for (int r = 0; r < N_SCRAPE_RESULTS; r++)
		if (n[r] || r == SCRAPE_OK)
			buf_addf(out, PREFIX "targets{state=\"%s\"} %" PRIu64 "\n",
				 scrape_result_name((enum scrape_result)r), n[r]);
}

static void add_cut_metric(void *arg, const struct scrape_cut *cut)
{
	struct buf *out = arg;

	buf_addz(out, PREFIX "labels_cut_total{name=");
	scrape_stats_add_value(out, cut->name);
	buf_addf(out, "} %" PRIu64 "\n", cut->n_removed + cut->n_other);
}

static void add_store_metrics(struct buf *out, struct scrape_collector *c)
{
	struct store_stat stat = { 0 };

	writer_get_stat(c->store, &stat);
	scrape_stats_add_head(out, PREFIX "store_bytes", "gauge", "Bytes of segments, by tier.");
	for (int t = 0; t < N_TIERS; t++)
		buf_addf(out, PREFIX "store_bytes{tier=\"%s\"} %" PRIu64 "\n", store_tier_name((enum store_tier)t),
			 stat.bytes[t]);
	add_gauge(out, PREFIX "store_used_bytes", "Bytes of all files of the store.", stat.used);
	add_gauge(out, PREFIX "store_cap_bytes", "The cap of the store.", stat.cap);
	add_gauge(out, PREFIX "journal_bytes", "Bytes of journals.", stat.journal_bytes);
}

void scrape_metrics(struct scrape_collector *c, struct http_response *out)
{
	struct buf *b = &out->body;
	uint64_t n_refused, n_series;

	scrape_lock(c);
	scrape_page_add_targets(b, c);
	add_gauge(b, PREFIX "open_scrapes", "Requests to targets that are running.", fetch_loop_n_open(c->loop));
	scrape_sinks_add_metrics(c, b);
	pthread_mutex_unlock(&c->lock);
	add_gauge(b, PREFIX "body_bytes", "Bytes of responses in memory.", fetch_loop_n_bytes(c->loop));
	scrape_guard_count_series(c->guard, &n_refused, &n_series);
	add_gauge(b, PREFIX "series", "Series of today.", n_series);
	scrape_stats_add_head(b, PREFIX "series_refused_total", "counter", "Profiles refused for too many series.");
	buf_addf(b, PREFIX "series_refused_total %" PRIu64 "\n", n_refused);
	scrape_stats_add_head(b, PREFIX "labels_cut_total", "counter",
			      "Labels removed or replaced by the guard, by name.");
	scrape_guard_each_cut(c->guard, add_cut_metric, b);
	add_store_metrics(b, c);
	scrape_stats_add_metrics(&c->stats, b);
	scrape_stats_add_process(b);
	out->status = OK;
	out->type = "text/plain; version=0.0.4; charset=utf-8";
	out->can_compress = true;
}
