/*
 * cpa.c - the sink of another collector of cpa
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A profile is a POST to /v1/profiles, as an agent would send it: its service, kind, labels, time and id are in the query. The receiver
 * finds repeats by series, start and content, so a profile that is sent twice is stored once.
 */
#include "config.h"

#include "sinks/cpa/cpa.h"

#include "base/mem.h"
#include "base/time.h"
#include "formats/pprof/pprof.h"
#include "fetch/url.h"
#include "sinks/request.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sink_to_cpa {
	struct sink sink; /* first */
	struct url url;
	struct fetch_options fetch;
};

static int sink_cpa_open(const char *url, const struct sink_options *o, struct sink **out, struct err *err)
{
	struct sink_to_cpa *s;
	int rc = sink_refuse_words(o, "cpa", err);
	struct url parsed;

	rc = rc < 0 ? rc : sink_parse_url(url, "cpa+", "/v1/profiles", &parsed, err);
	if (rc < 0)
		return rc;
	s = mem_zalloc(1, sizeof(*s));
	s->sink.kind = &sink_cpa;
	s->url = parsed;
	s->fetch = o->fetch;
	*out = &s->sink;
	return 0;
}

/* Labels whose names are parameters of the request cannot be sent. Names of at most 8 of them are added to cut. */
static bool sink_cpa_is_parameter(const char *name)
{
	static const char *const parameters[] = { "service", "service.name", "service_name", "kind", "from", "until",
						  "id" };

	for (size_t i = 0; i < sizeof(parameters) / sizeof(*parameters); i++)
		if (strcmp(name, parameters[i]) == 0)
			return true;
	return false;
}

static void sink_cpa_make_query(const struct sink_item *item, struct buf *query, struct buf *cut)
{
	char number[32];
	struct buf id = { 0 };

	sink_add_parameter(query, "service", item->service);
	sink_add_parameter(query, "kind", item->kind);
	snprintf(number, sizeof(number), "%" PRId64, item->start_ns);
	sink_add_parameter(query, "from", number);
	sink_add_id(&id, item->id, 0);
	sink_add_parameter(query, "id", id.data);
	buf_release(&id);
	for (size_t i = 0; i < item->n_labels; i++)
		if (!sink_cpa_is_parameter(item->label[i].name))
			sink_add_parameter(query, item->label[i].name, item->label[i].value);
		else
			buf_addf(cut, "%s%.40s", cut->len ? ", " : "", item->label[i].name);
}

static int sink_cpa_send_one(struct sink_to_cpa *s, const struct sink_item *item, struct stop *stop,
			     struct sink_result *result, struct err *err)
{
	struct buf query = { 0 }, body = { 0 }, cut = { 0 };
	struct url url = s->url;
	struct err problem;
	int rc;

	sink_cpa_make_query(item, &query, &cut);
	url.query = query.data;
	rc = pprof_write(item->profile, 1, &body, &problem);
	if (rc < 0) {
		*result = (struct sink_result){ .outcome = SINK_REFUSED };
		snprintf(result->why, sizeof(result->why), "%.250s", problem.msg);
		rc = 0;
	} else {
		struct fetch_request r = { .url = &url, .body = body.data, .n_body = body.len };

		rc = sink_request(&r, &s->fetch, stop, result, NULL, err);
		if (rc == 0 && result->outcome == SINK_SENT && cut.len)
			snprintf(result->why, sizeof(result->why), "labels %.240s", cut.data);
	}
	buf_release(&query);
	buf_release(&body);
	buf_release(&cut);
	return rc;
}

static int sink_cpa_send(struct sink *sink, const struct sink_item *item, size_t n, struct stop *stop,
			 struct sink_result *result, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = sink_cpa_send_one((struct sink_to_cpa *)sink, &item[i], stop, &result[i], err);
	return rc;
}

static void sink_cpa_close(struct sink *sink)
{
	struct sink_to_cpa *s = (struct sink_to_cpa *)sink;

	if (!s)
		return;
	url_release(&s->url);
	free(s);
}

const struct sink_kind sink_cpa = {
	.name = "cpa",
	.prefix = (const char *const[]){ "cpa+http://", "cpa+https://", NULL },
	.help = "another cpa collect: POST /v1/profiles, tried with this version",
	.batch_max = 1,
	.keeps_counters = true,
	.open = sink_cpa_open,
	.send = sink_cpa_send,
	.close = sink_cpa_close,
};
