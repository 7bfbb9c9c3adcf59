/*
 * config_file.c - the lines of collect.cpa that apply to the whole file: store, labels, listeners
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "scrape/config_int.h"

#include "base/amount.h"
#include "base/regex.h"
#include "base/str.h"
#include "base/time.h"
#include "store/local/write/cap.h"
#include "store/local/write/retain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_MAX = 1000000, SHARDS_MAX = 100000, LISTENS_MAX = 16, WATCHES_MAX = 64, PUSH_AGE_DAYS = 3650 };

static const char *config_file_copy(struct scrape_parser *p, const char *text)
{
	return arena_strndup(p->c->mem, text, strlen(text));
}

/* Parse a number of at most max. */
static bool config_file_parse_number(const char *text, uint32_t max, uint32_t *out)
{
	size_t n = strspn(text, "0123456789");
	unsigned long value = n && n < 10 && !text[n] ? strtoul(text, NULL, 10) : (unsigned long)max + 1;

	if (value > max)
		return false;
	*out = (uint32_t)value;
	return true;
}

static int read_store(struct scrape_parser *p, const struct words *w, struct err *err)
{
	if (w->n != 2 || !*w->word[1])
		return scrape_config_usage(w, "store DIRECTORY", err);
	if (strstr(w->word[1], "://"))
		return words_error(w, err, "store %s: this version writes only to a directory", w->word[1]);
	p->c->store = config_file_copy(p, w->word[1]);
	return 0;
}

static int read_cap(struct scrape_parser *p, const struct words *w, struct err *err)
{
	struct err reason;

	if (w->n != 2)
		return scrape_config_usage(w, "cap BYTES, as in: cap 20GiB", err);
	if (amount_parse_bytes("cap", w->word[1], &p->c->cap, &reason) < 0)
		return words_error(w, err, "%s", reason.msg);
	if (p->c->cap < CAP_BYTES_MIN)
		return words_error(w, err, "cap %s: the quota of a store must be at least %d MiB", w->word[1],
				   (int)(CAP_BYTES_MIN >> 20));
	return 0;
}

static int read_retain(struct scrape_parser *p, const struct words *w, struct err *err)
{
	struct retain all;
	struct buf text = { 0 };
	struct err reason;
	int rc;

	if (w->n < 2)
		return scrape_config_usage(
			w, "retain [{LABEL=VALUE}] raw=DURATION [10m=DURATION 1h=DURATION 1d=DURATION]", err);
	if (p->c->retain)
		buf_addf(&text, "%s\n", p->c->retain);
	for (size_t i = 1; i < w->n; i++)
		buf_addf(&text, "%s%s", i > 1 ? " " : "", w->word[i]);
	rc = retain_parse(text.data, &all, &reason);
	if (rc == 0) {
		retain_release(&all);
		p->c->retain = config_file_copy(p, text.data);
	}
	buf_release(&text);
	return rc < 0 ? words_error(w, err, "%s", reason.msg) : 0;
}

static int config_file_read_group(struct scrape_parser *p, const struct words *w, struct err *err)
{
	if (w->n != 2 || !*w->word[1])
		return scrape_config_usage(w, "group NAME", err);
	p->c->group = config_file_copy(p, w->word[1]);
	return 0;
}

static int read_keep_label(struct scrape_parser *p, const struct words *w, struct err *err)
{
	struct scrape_config *c = p->c;
	const char **all;

	if (w->n < 2)
		return scrape_config_usage(w, "keep-label NAME ...", err);
	all = arena_alloc(c->mem, c->n_keep_labels + w->n, sizeof(*all));
	if (c->n_keep_labels)
		memcpy(all, c->keep_label, c->n_keep_labels * sizeof(*all));
	for (size_t i = 1; i < w->n; i++) {
		size_t at = 0, n = c->n_keep_labels;

		if (!*w->word[i])
			return words_error(w, err, "keep-label: a name is empty");
		while (at < n && strcmp(all[at], w->word[i]) < 0)
			at++;
		if (at < n && strcmp(all[at], w->word[i]) == 0)
			continue;
		memmove(all + at + 1, all + at, (n - at) * sizeof(*all));
		all[at] = config_file_copy(p, w->word[i]);
		c->n_keep_labels++;
	}
	c->keep_label = all;
	return 0;
}

/* Read a line: limit [NAME] N */
static int read_limit(struct scrape_parser *p, const struct words *w, struct err *err)
{
	struct scrape_config *c = p->c;
	struct scrape_limit *all;
	uint32_t n = 0;
	size_t at = 0;

	if (w->n < 2 || w->n > 3)
		return scrape_config_usage(w, "limit NAME N", err);
	if (!config_file_parse_number(w->word[w->n - 1], VALUES_MAX, &n))
		return words_error(w, err, "limit %s: not a number of at most %d", w->word[w->n - 1], VALUES_MAX);
	if (w->n == 2) {
		c->limit_default = n;
		return 0;
	}
	while (at < c->n_limits && strcmp(c->limit[at].name, w->word[1]) < 0)
		at++;
	all = arena_alloc(c->mem, c->n_limits + 1, sizeof(*all));
	if (c->n_limits)
		memcpy(all, c->limit, c->n_limits * sizeof(*all));
	if (at == c->n_limits || strcmp(all[at].name, w->word[1]) != 0) {
		memmove(all + at + 1, all + at, (c->n_limits - at) * sizeof(*all));
		c->n_limits++;
	}
	all[at] = (struct scrape_limit){ config_file_copy(p, w->word[1]), n };
	c->limit = all;
	return 0;
}

static int read_shape(struct scrape_parser *p, const struct words *w, struct err *err)
{
	struct scrape_config *c = p->c;
	struct scrape_shape *all;
	struct regex *r;
	struct err reason;
	int rc;

	if (w->n != 4)
		return scrape_config_usage(w, "shape LABEL PATTERN REPLACEMENT; quote words with blanks", err);
	rc = regex_new(w->word[2], &r, &reason);
	if (rc == 0) {
		rc = regex_check_replacement(r, w->word[3], &reason);
		regex_free(r);
	}
	if (rc < 0)
		return words_error(w, err, "shape %s: %s", w->word[1], reason.msg);
	all = scrape_config_grow(c->mem, c->shape, c->n_shapes, sizeof(*all));
	all[c->n_shapes++] = (struct scrape_shape){ config_file_copy(p, w->word[1]), config_file_copy(p, w->word[2]),
						    config_file_copy(p, w->word[3]) };
	c->shape = all;
	return 0;
}

/* Add a secret to a listener. */
static void add_secret(struct scrape_parser *p, struct scrape_listen *l, const char *file)
{
	struct scrape_secret *all = scrape_config_grow(p->c->mem, l->secret, l->n_secrets, sizeof(*all));

	all[l->n_secrets++] = (struct scrape_secret){ .file = config_file_copy(p, file) };
	l->secret = all;
}

/* Add "PATTERN,PATTERN" to the last secret. */
static void add_services(struct scrape_parser *p, struct scrape_listen *l, const char *patterns)
{
	struct scrape_secret *s = (struct scrape_secret *)&l->secret[l->n_secrets - 1];

	for (const char *at = patterns; *at;) {
		size_t n = strcspn(at, ",");
		const char **all = scrape_config_grow(p->c->mem, s->service, s->n_services, sizeof(*all));

		if (n)
			all[s->n_services++] = arena_strndup(p->c->mem, at, n);
		s->service = all;
		at += n + (at[n] == ',');
	}
}

/* Read a line: listen ADDRESS [secret=FILE [service=PATTERN,...]]... [tls=FILE] [client-ca=FILE] */
static int read_listen(struct scrape_parser *p, const struct words *w, struct err *err)
{
	struct scrape_listen l = { .tls = "", .client_ca = "", .line = w->line }, *all;
	struct scrape_config *c = p->c;

	if (w->n < 2 || !*w->word[1] || strchr(w->word[1], '='))
		return scrape_config_usage(
			w, "listen ADDRESS [secret=FILE [service=PATTERN]] [tls=FILE] [client-ca=FILE]", err);
	l.address = config_file_copy(p, w->word[1]);
	for (size_t i = 2; i < w->n; i++) {
		const char *equals = strchr(w->word[i], '='), *value = equals && equals[1] ? equals + 1 : NULL;

		if (value && starts_with(w->word[i], "secret="))
			add_secret(p, &l, value);
		else if (value && starts_with(w->word[i], "service=") && l.n_secrets)
			add_services(p, &l, value);
		else if (value && starts_with(w->word[i], "tls="))
			l.tls = config_file_copy(p, value);
		else if (value && starts_with(w->word[i], "client-ca="))
			l.client_ca = config_file_copy(p, value);
		else
			return words_error(w, err,
					   "listen: %s: expected secret=FILE, then service=PATTERN, tls=FILE or "
					   "client-ca=FILE",
					   w->word[i]);
	}
	if (*l.client_ca && !*l.tls)
		return words_error(w, err, "listen: client-ca needs tls=FILE, the certificate of this server");
	if (c->n_listens == LISTENS_MAX)
		return words_error(w, err, "more than %d listen lines", LISTENS_MAX);
	all = scrape_config_grow(c->mem, c->listen, c->n_listens, sizeof(*all));
	all[c->n_listens++] = l;
	c->listen = all;
	return 0;
}

static int read_push(struct scrape_parser *p, const struct words *w, struct err *err)
{
	static const struct {
		const char *name;
		unsigned bit;
	} names[] = { { "off", 0 },
		      { "pprof", SCRAPE_PUSH_PPROF },
		      { "ingest", SCRAPE_PUSH_INGEST },
		      { "connect", SCRAPE_PUSH_CONNECT } };
	unsigned all = 0;

	if (w->n < 2)
		return scrape_config_usage(w, "push pprof ingest connect, or push off", err);
	for (size_t i = 1; i < w->n; i++) {
		size_t k = 0;

		if (strcmp(w->word[i], "otlp") == 0)
			return words_error(w, err, "push otlp: this version does not accept OTLP");
		while (k < sizeof(names) / sizeof(names[0]) && strcmp(names[k].name, w->word[i]) != 0)
			k++;
		if (k == sizeof(names) / sizeof(names[0]) || (k == 0 && w->n > 2))
			return words_error(w, err, "push %s: expected pprof, ingest, connect, or off alone",
					   w->word[i]);
		all |= names[k].bit;
	}
	p->c->push = all;
	return 0;
}

static int read_push_rate(struct scrape_parser *p, const struct words *w, struct err *err)
{
	if (w->n != 2)
		return scrape_config_usage(w, "push-rate N, pushes per second and address; 0 for no limit", err);
	if (!config_file_parse_number(w->word[1], VALUES_MAX, &p->c->push_rate))
		return words_error(w, err, "push-rate %s: not a number of at most %d", w->word[1], VALUES_MAX);
	return 0;
}

static int read_push_age(struct scrape_parser *p, const struct words *w, struct err *err)
{
	if (w->n != 2)
		return scrape_config_usage(w, "push-age TIME, as in: push-age 2d", err);
	return scrape_config_duration(w, w->word[1], NS_PER_MINUTE, PUSH_AGE_DAYS * NS_PER_DAY, &p->c->push_age_ns,
				      err);
}

static int read_plain_text(struct scrape_parser *p, const struct words *w, struct err *err)
{
	if (w->n != 2 || (strcmp(w->word[1], "yes") != 0 && strcmp(w->word[1], "no") != 0))
		return scrape_config_usage(w, "plain-text yes or plain-text no", err);
	p->is_plain_text = w->word[1][0] == 'y';
	return 0;
}

static int read_shard(struct scrape_parser *p, const struct words *w, struct err *err)
{
	const char *slash = w->n == 2 ? strchr(w->word[1], '/') : NULL;
	uint32_t i = 0, n = 0;

	if (!slash || !config_file_parse_number(slash + 1, SHARDS_MAX, &n) ||
	    !config_file_parse_number(arena_strndup(p->c->mem, w->word[1], (size_t)(slash - w->word[1])), SHARDS_MAX,
				      &i))
		return scrape_config_usage(w, "shard I/N, as in: shard 3/10", err);
	if (i < 1 || i > n)
		return words_error(w, err, "shard %s: the first shard is 1/%" PRIu32, w->word[1], n ? n : 1);
	p->c->shard = i;
	p->c->n_shards = n;
	return 0;
}

/* Read a line: watch [OPTION]... store:SERVICE... [-- GATE_OPTION...]; front/cli checks the options. */
static int config_file_read_watch(struct scrape_parser *p, const struct words *w, struct err *err)
{
	struct scrape_config *c = p->c;
	const char **word = arena_alloc(c->mem, w->n, sizeof(*word));
	struct scrape_watch *all;

	if (w->n < 2)
		return scrape_config_usage(w, "watch [OPTION]... store:SERVICE..., as in: watch store:*", err);
	if (c->n_watches == WATCHES_MAX)
		return words_error(w, err, "more than %d watch lines", WATCHES_MAX);
	for (size_t i = 1; i < w->n; i++)
		word[i - 1] = config_file_copy(p, w->word[i]);
	all = scrape_config_grow(c->mem, c->watch, c->n_watches, sizeof(*all));
	all[c->n_watches++] = (struct scrape_watch){ word, w->n - 1, w->line };
	c->watch = all;
	return 0;
}

typedef int line_fn(struct scrape_parser *p, const struct words *w, struct err *err);

static const struct {
	const char *name;
	line_fn *read;
} keywords[] = {
	{ "store", read_store },
	{ "cap", read_cap },
	{ "retain", read_retain },
	{ "group", config_file_read_group },
	{ "keep-label", read_keep_label },
	{ "limit", read_limit },
	{ "shape", read_shape },
	{ "listen", read_listen },
	{ "push", read_push },
	{ "push-rate", read_push_rate },
	{ "push-age", read_push_age },
	{ "plain-text", read_plain_text },
	{ "shard", read_shard },
	{ "sink", scrape_config_sink },
	{ "watch", config_file_read_watch },
};

int scrape_config_file_line(struct scrape_parser *p, const struct words *w, struct err *err)
{
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
		if (strcmp(keywords[i].name, w->word[0]) != 0)
			continue;
		if (p->job)
			return words_error(w, err, "%s applies to the whole file; write it before the first job",
					   w->word[0]);
		return keywords[i].read(p, w, err);
	}
	return words_error(w, err, "unknown keyword %.60s; a kind of profile must be in the line kinds", w->word[0]);
}
