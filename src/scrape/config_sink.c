/*
 * config_sink.c - the lines of collect.cpa that name systems to which profiles are sent
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "scrape/config_int.h"

#include "base/amount.h"
#include "base/str.h"
#include "sinks/kinds/kinds.h"
#include "sinks/queue.h"
#include "store/local/write/spool.h"

#include <string.h>

enum { SINK_TIMEOUT_S = 30, SINK_RESPONSE_MAX = 1 << 20, SINKS_MAX = 32 };

static const char *config_sink_copy(struct scrape_parser *p, const char *text)
{
	return arena_strndup(p->c->mem, text, strlen(text));
}

/* Read a setting KEY=VALUE. Others than those of the queue and of requests are for the kind. */
static int config_sink_setting(struct scrape_parser *p, const struct words *w, const char *word, struct scrape_sink *s,
			       struct err *err)
{
	const struct {
		const char *key, **to;
	} texts[] = {
		{ "match=", &s->match },
		{ "header-file=", &s->options.fetch.header_file },
		{ "bearer-file=", &s->options.fetch.bearer_file },
		{ "tls-cert=", &s->options.fetch.tls_cert },
		{ "tls-key=", &s->options.fetch.tls_key },
		{ "tls-ca=", &s->options.fetch.tls_ca },
	};
	const char *equals = strchr(word, '=');
	struct err reason;
	const char **all;

	if (!equals || equals == word || !equals[1])
		return words_error(w, err, "sink %s: %s: expected KEY=VALUE", s->name, word);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (starts_with(word, texts[i].key)) {
			*texts[i].to = config_sink_copy(p, equals + 1);
			return 0;
		}
	if (starts_with(word, "spool=")) {
		if (amount_parse_bytes("spool", equals + 1, &s->spool, &reason) < 0 || s->spool == 0)
			return words_error(w, err, "sink %s: spool=%s: expected a size, as in spool=1GiB", s->name,
					   equals + 1);
		return 0;
	}
	all = scrape_config_grow(p->c->mem, s->options.word, s->options.n_words, sizeof(*all));
	all[s->options.n_words++] = config_sink_copy(p, word);
	s->options.word = all;
	return 0;
}

/* Let the kind check the URL and its settings. */
static int config_sink_check(const struct scrape_config *c, const struct words *w, const struct scrape_sink *s,
			     struct err *err)
{
	struct sink *sink = NULL;
	struct err reason;

	for (size_t i = 0; i < c->n_sinks; i++)
		if (strcmp(c->sink[i].name, s->name) == 0)
			return words_error(w, err, "sink %s: the name is used twice", s->name);
	if (sink_check_match(s->match, &reason) < 0 || kinds_open(s->url, &s->options, &sink, &reason) < 0)
		return words_error(w, err, "sink %s: %s", s->name, reason.msg);
	sink->kind->close(sink);
	return 0;
}

int scrape_config_sink(struct scrape_parser *p, const struct words *w, struct err *err)
{
	struct scrape_sink s = { .match = "", .options.fetch = { .netrc = "", .timeout = SINK_TIMEOUT_S } }, *all;
	struct scrape_config *c = p->c;
	struct buf text = { 0 };
	int rc = 0;

	if (w->n < 3)
		return scrape_config_usage(w,
					   "sink NAME URL [match={LABEL=VALUE}] [header-file=FILE] [bearer-file=FILE] "
					   "[spool=BYTES] [KEY=VALUE]...",
					   err);
	s.options.fetch.tls_cert = s.options.fetch.tls_key = s.options.fetch.tls_ca = "";
	s.options.fetch.header_file = s.options.fetch.bearer_file = "";
	s.options.fetch.max = SINK_RESPONSE_MAX;
	s.name = config_sink_copy(p, w->word[1]);
	s.url = config_sink_copy(p, w->word[2]);
	if (!spool_is_name(s.name))
		return words_error(w, err, "sink %.80s: not a name of at most %d letters, digits, - and _", s.name,
				   (int)SPOOL_NAME_MAX);
	for (size_t i = 3; rc == 0 && i < w->n; i++)
		rc = config_sink_setting(p, w, w->word[i], &s, err);
	rc = rc < 0 ? rc : config_sink_check(c, w, &s, err);
	if (rc < 0)
		return rc;
	if (c->n_sinks == SINKS_MAX)
		return words_error(w, err, "more than %d sink lines", (int)SINKS_MAX);
	for (size_t i = 1; i < w->n; i++)
		buf_addf(&text, "%s\n", w->word[i]);
	s.text = config_sink_copy(p, text.data);
	buf_release(&text);
	all = scrape_config_grow(c->mem, c->sink, c->n_sinks, sizeof(*all));
	all[c->n_sinks++] = s;
	c->sink = all;
	return 0;
}
