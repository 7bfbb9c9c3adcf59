/*
 * forward.c - the sinks of the collector: start and end them, and report their numbers
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "scrape/collector_int.h"

#include "base/mem.h"
#include "base/time.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "base/webpage.h"
#include "sinks/kinds/kinds.h"
#include "sinks/queue.h"
#include "store/local/write/spool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	LAST_WAIT_S = 10,  /* for what is stored when the collector ends */
	RELOAD_WAIT_S = 2, /* for requests that are being sent to sinks that another configuration does not have */
};

/* A running sink. The configuration has the strings of its options. */
struct scrape_forward {
	const struct scrape_sink *line;
	struct scrape_config *config;
	struct sink_queue *queue;
};

static void forward_log(void *arg, const char *line)
{
	scrape_log(arg, "%s", line);
}

static int forward_start(struct scrape_collector *c, struct scrape_config *config, const struct scrape_sink *line,
			 struct scrape_forward *out, struct err *err)
{
	struct sink_queue_options o = { .store = c->store,
					.directory = c->directory.data,
					.name = line->name,
					.match = line->match,
					.spool = line->spool,
					.log = forward_log,
					.log_arg = c };
	int rc = kinds_open(line->url, &line->options, &o.sink, err);

	rc = rc < 0 ? rc : sink_queue_start(&o, &out->queue, err);
	if (rc < 0)
		return err_wrap(err, "sink %s", line->name);
	out->line = line;
	out->config = scrape_config_ref(config);
	return 0;
}

static void forward_stop(struct scrape_forward *f, int64_t limit_ns)
{
	sink_queue_stop(f->queue, limit_ns);
	scrape_config_unref(f->config);
	*f = (struct scrape_forward){ 0 };
}

/* Release the positions and journals of sinks that are not in the configuration any more. */
static void forward_remove_others(struct scrape_collector *c, const struct scrape_config *config)
{
	char(*name)[SPOOL_NAME_MAX + 1] = mem_zalloc(SPOOL_FOLLOWERS_MAX, sizeof(*name));
	size_t n = spool_list(c->store, name);

	for (size_t i = 0; i < n; i++) {
		struct spool_stat stat;
		size_t k = 0;
		struct err err;

		while (k < config->n_sinks && strcmp(config->sink[k].name, name[i]) != 0)
			k++;
		if (k < config->n_sinks)
			continue;
		spool_get_stat(c->store, name[i], &stat);
		if (spool_remove(c->store, name[i], &err) < 0)
			scrape_log(c, "sink=%s state=failed error=\"%.300s\"", name[i], err.msg);
		else
			scrape_log(c, "sink=%s state=removed spool_bytes=%" PRIu64, name[i], stat.bytes);
	}
	free(name);
}

int scrape_sinks_start(struct scrape_collector *c, struct err *err)
{
	int rc = 0;

	forward_remove_others(c, c->config);
	c->forward = mem_zalloc(c->config->n_sinks + 1, sizeof(*c->forward));
	for (size_t i = 0; rc == 0 && i < c->config->n_sinks; i++) {
		rc = forward_start(c, c->config, &c->config->sink[i], &c->forward[i], err);
		c->n_forwards += rc == 0;
	}
	return rc;
}

/* Is a sink the same in the configuration? */
static bool forward_is_in(const struct scrape_forward *f, const struct scrape_config *config)
{
	for (size_t k = 0; k < config->n_sinks; k++)
		if (strcmp(config->sink[k].text, f->line->text) == 0)
			return true;
	return false;
}

/* Stop the sinks that are not in the configuration, all at the same time; those that are as before continue. */
static void forward_stop_changed(struct scrape_collector *c, const struct scrape_config *config)
{
	int64_t limit_ns = clock_mono_ns() + RELOAD_WAIT_S * NS_PER_S;

	for (size_t i = 0; i < c->n_forwards; i++)
		if (!forward_is_in(&c->forward[i], config))
			sink_queue_end(c->forward[i].queue, false);
	for (size_t i = 0; i < c->n_forwards; i++)
		if (!forward_is_in(&c->forward[i], config))
			forward_stop(&c->forward[i], limit_ns);
}

void scrape_sinks_reload(struct scrape_collector *c, struct scrape_config *config)
{
	struct scrape_forward *all = mem_zalloc(config->n_sinks + 1, sizeof(*all));
	size_t n = 0;
	struct err err;

	forward_stop_changed(c, config);
	forward_remove_others(c, config);
	for (size_t i = 0; i < config->n_sinks; i++) {
		size_t k = 0;

		while (k < c->n_forwards &&
		       (!c->forward[k].line || strcmp(config->sink[i].text, c->forward[k].line->text) != 0))
			k++;
		if (k < c->n_forwards)
			all[n++] = c->forward[k];
		else if (forward_start(c, config, &config->sink[i], &all[n], &err) == 0)
			n++;
		else
			scrape_log(c, "sink=%s state=failed error=\"%.300s\"", config->sink[i].name, err.msg);
	}
	free(c->forward);
	c->forward = all;
	c->n_forwards = n;
}

void scrape_sinks_stop(struct scrape_collector *c)
{
	int64_t limit_ns = clock_mono_ns() + LAST_WAIT_S * NS_PER_S;

	for (size_t i = 0; i < c->n_forwards; i++)
		sink_queue_end(c->forward[i].queue, true);
	for (size_t i = 0; i < c->n_forwards; i++)
		forward_stop(&c->forward[i], limit_ns);
	free(c->forward);
	c->forward = NULL;
	c->n_forwards = 0;
}

/* ---- numbers ---- */

void scrape_sinks_add_json(const struct scrape_collector *c, struct json *j)
{
	jsonw_open_key(j, "sinks", '[');
	for (size_t i = 0; i < c->n_forwards; i++) {
		struct sink_stat s;

		sink_queue_get_stat(c->forward[i].queue, &s);
		jsonw_open(j, '{');
		jsonw_add_text(j, "name", s.name);
		jsonw_add_text(j, "kind", s.kind);
		jsonw_add_int(j, "sent", (int64_t)s.n_sent);
		jsonw_add_int(j, "refused", (int64_t)s.n_refused);
		jsonw_add_int(j, "lost", (int64_t)s.n_lost);
		jsonw_add_int(j, "unreadable", (int64_t)s.n_damaged);
		jsonw_add_int(j, "first", (int64_t)s.n_first);
		jsonw_add_int(j, "retries", (int64_t)s.n_tries);
		jsonw_add_int(j, "lag_seconds", (int64_t)s.lag_s);
		jsonw_add_int(j, "spool_bytes", (int64_t)s.spool_bytes);
		jsonw_add_int(j, "spool_max", (int64_t)s.spool_max);
		jsonw_add_text(j, "last_error", s.problem);
		jsonw_close(j, '}');
	}
	jsonw_close(j, ']');
}

static void forward_add_bytes(struct buf *out, uint64_t n)
{
	unit_add_label(out, n > INT64_MAX ? INT64_MAX : (int64_t)n, "bytes", "auto");
}

void scrape_sinks_add_text(const struct scrape_collector *c, struct buf *out)
{
	if (c->n_forwards)
		buf_addf(out, "\n%-20s %-10s %10s %8s %8s %8s  %-20s  %s\n", "sink", "kind", "sent", "refused", "lost",
			 "lag", "spool", "last error");
	for (size_t i = 0; i < c->n_forwards; i++) {
		struct buf spool = { 0 };
		struct sink_stat s;

		sink_queue_get_stat(c->forward[i].queue, &s);
		forward_add_bytes(&spool, s.spool_bytes);
		buf_addz(&spool, " of ");
		forward_add_bytes(&spool, s.spool_max);
		buf_addf(out, "%-20s %-10s %10" PRIu64 " %8" PRIu64 " %8" PRIu64 " %7.0fs  %-20s  ", s.name, s.kind,
			 s.n_sent, s.n_refused, s.n_lost + s.n_damaged, s.lag_s, spool.data);
		utf8_add_safe(out, s.problem, strlen(s.problem));
		buf_addz(out, "\n");
		buf_release(&spool);
	}
}

void scrape_sinks_add_html(const struct scrape_collector *c, struct buf *out)
{
	if (c->n_forwards == 0)
		return;
	buf_addz(out, "<h2>Sinks</h2>\n<table><tr><th>name<th>kind<th>sent<th>refused<th>lost<th>lag<th>spool<th>last "
		      "error</tr>\n");
	for (size_t i = 0; i < c->n_forwards; i++) {
		struct sink_stat s;

		sink_queue_get_stat(c->forward[i].queue, &s);
		buf_addf(out,
			 "<tr><td>%s<td%s>%s<td class=n>%" PRIu64 "<td class=n>%" PRIu64 "<td class=n>%" PRIu64
			 "<td class=n>%.0f s<td class=n>",
			 s.name, *s.problem ? " class=bad" : "", s.kind, s.n_sent, s.n_refused, s.n_lost + s.n_damaged,
			 s.lag_s);
		forward_add_bytes(out, s.spool_bytes);
		buf_addz(out, "<td>");
		webpage_add_name(out, s.problem);
		buf_addz(out, "</tr>\n");
	}
	buf_addz(out, "</table>\n");
}

/* A metric that each sink has. */
struct forward_metric {
	const char *name, *type, *help, *label; /* label: a second one, or "" */
	double (*value)(const struct sink_stat *s);
};

static double forward_get_lag(const struct sink_stat *s)
{
	return s->lag_s;
}

static double forward_get_sent(const struct sink_stat *s)
{
	return (double)s->n_sent;
}

static double forward_get_refused(const struct sink_stat *s)
{
	return (double)s->n_refused;
}

static double forward_get_lost(const struct sink_stat *s)
{
	return (double)s->n_lost;
}

static double forward_get_damaged(const struct sink_stat *s)
{
	return (double)s->n_damaged;
}

static double forward_get_retries(const struct sink_stat *s)
{
	return (double)s->n_tries;
}

static double forward_get_spool(const struct sink_stat *s)
{
	return (double)s->spool_bytes;
}

static const struct forward_metric metrics[] = {
	{ "sink_lag_seconds", "gauge", "Age of the oldest profile that was not sent.", "", forward_get_lag },
	{ "sink_sent_total", "counter", "Profiles sent.", "", forward_get_sent },
	{ "sink_dropped_total", "counter", "Profiles not sent, by reason.", ",reason=\"refused\"",
	  forward_get_refused },
	{ "sink_dropped_total", NULL, NULL, ",reason=\"spool\"", forward_get_lost },
	{ "sink_dropped_total", NULL, NULL, ",reason=\"unreadable\"", forward_get_damaged },
	{ "sink_retries_total", "counter", "Tries that failed and were repeated.", "", forward_get_retries },
	{ "sink_spool_bytes", "gauge", "Bytes of journals that are kept for the sink.", "", forward_get_spool },
};

void scrape_sinks_add_metrics(const struct scrape_collector *c, struct buf *out)
{
	for (size_t k = 0; c->n_forwards && k < sizeof(metrics) / sizeof(metrics[0]); k++) {
		const struct forward_metric *m = &metrics[k];
		struct buf name = { 0 };

		buf_addf(&name, "cpa_collect_%s", m->name);
		if (m->type)
			scrape_stats_add_head(out, name.data, m->type, m->help);
		for (size_t i = 0; i < c->n_forwards; i++) {
			struct sink_stat s;

			sink_queue_get_stat(c->forward[i].queue, &s);
			buf_addf(out, "%s{sink=\"%s\"%s} %.15g\n", name.data, s.name, m->label, m->value(&s));
		}
		buf_release(&name);
	}
}
