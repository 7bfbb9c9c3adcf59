/*
 * stored_due.c - messages about profiles that a store does not have yet
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The collector that holds the store is asked over its socket when the next profile of a service and kind is expected.
 */
#include "config.h"

#include "sources/stored.h"

#include "base/str.h"
#include "base/time.h"
#include "base/url_escape.h"
#include "engine/view.h"
#include "fetch/fetch.h"
#include "profile/temporality.h"
#include "store/backends/backends.h"
#include "store/local/layout.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { WAIT_SECONDS = 2, RESPONSE_MAX = 4096 };

/* Append the response of a collector, whose query is set here: a time in seconds, or "never". Returns false if it does not respond. */
static bool ask(struct url *url, struct fetch_options options, const struct store_query *q, struct buf *out)
{
	struct fetch_request r = { .url = url };
	struct buf query = { 0 }, notes = { 0 };

	buf_addz(&query, "service=");
	url_escape(q->service, strlen(q->service), URL_QUERY, &query);
	buf_addz(&query, "&kind=");
	url_escape(q->kind, strlen(q->kind), URL_QUERY, &query);
	url->query = (char *)(uintptr_t)buf_text(&query);
	options.timeout = WAIT_SECONDS;
	options.max = RESPONSE_MAX;
	fetch_all(&r, 1, &options, NULL, NULL, &notes);
	if (r.rc == 0)
		buf_add(out, (const char *)r.bytes.data, r.bytes.n);
	free(r.bytes.data);
	buf_release(&query);
	buf_release(&notes);
	url->query = NULL;
	return r.rc == 0;
}

/* Ask the collector on this machine that writes the store, if there is one. */
static bool ask_holder(const struct stored_source *s, struct buf *response, struct buf *why)
{
	static const struct fetch_options none = {
		.tls_cert = "", .tls_key = "", .tls_ca = "", .header_file = "", .bearer_file = "", .netrc = ""
	};
	struct url url = { .scheme = (char *)(uintptr_t) "http",
			   .host = (char *)(uintptr_t) "localhost",
			   .path = (char *)(uintptr_t) "/api/v1/due" };
	struct store_holder holder;
	struct buf directory = { 0 };
	bool has_answer = false;

	store_directory(s->where, &directory);
	if (!holder_find(buf_text(&directory), &holder) || !holder.socket.len) {
		buf_addz(why, "no collector runs on this store");
	} else {
		buf_addf(why, "a collector runs on this store (process %s)", buf_text(&holder.pid));
		url.socket = (char *)(uintptr_t)buf_text(&holder.socket);
		has_answer = ask(&url, none, &s->query, response);
	}
	holder_release(&holder);
	buf_release(&directory);
	return has_answer;
}

/* Ask the collector that serves the store. */
static bool ask_server(const struct stored_source *s, struct buf *response, struct buf *why)
{
	struct buf text = { 0 };
	struct url url;
	bool has_answer = false;

	buf_addf(&text, "%s%sapi/v1/due", s->where, ends_with(s->where, "/") ? "" : "/");
	buf_addz(why, "a collector runs on this store");
	if (url_parse(buf_text(&text), 0, &url, NULL) == 0) {
		free(url.query);
		has_answer = ask(&url, s->options, &s->query, response);
		url_release(&url);
	}
	buf_release(&text);
	return has_answer;
}

/*
 * Find when the next profile of the service and kind of a query is due.
 *
 * due  appended: "HH:MM:SS UTC"; nothing if it is not known
 * why  appended: which collector runs, or why nothing is due
 */
static void find_due(const struct stored_source *s, struct buf *due, struct buf *why)
{
	const struct store_query *q = &s->query;
	struct buf response = { 0 };

	if (backends_is_collector(s->where) ? ask_server(s, &response, why) : ask_holder(s, &response, why)) {
		if (starts_with(buf_text(&response), "never"))
			buf_addf(why, ", but scrapes no %s of %s", q->kind, q->service);
		else
			time_add_utc(due, strtol(buf_text(&response), NULL, 10) % S_PER_DAY * NS_PER_S, "%H:%M:%S UTC");
	}
	buf_release(&response);
}

int stored_explain_nothing(const struct stored_source *s, struct err *err)
{
	const struct store_query *q = &s->query;
	struct buf due = { 0 }, why = { 0 };
	int code = err->code;

	if ((strstr(s->where, "://") && !backends_is_collector(s->where)) || code != ERR_IO ||
	    !starts_with(err->msg, "nothing of ") || (q->pin && *q->pin) || q->is_pattern ||
	    (q->t1 != INT64_MAX && q->t1 < clock_wall_ns() - 60 * NS_PER_S))
		return code;
	find_due(s, &due, &why);
	if (due.len)
		buf_addf(&why, ", and the next profile is due at %s", buf_text(&due));
	if (strlen(err->msg) + why.len + 3 < sizeof(err->msg)) {
		strcat(err->msg, "; ");
		strcat(err->msg, buf_text(&why));
	}
	buf_release(&due);
	buf_release(&why);
	return code;
}

/* --- columns that need two snapshots --- */

static int count_item(void *arg, const struct store_item *item, struct err *err)
{
	(void)item;
	(void)err;
	++*(uint64_t *)arg;
	return 0;
}

static bool stored_due_is_zero(const struct profile *p, uint32_t type)
{
	for (uint32_t i = 0; i < p->n_rows; i++)
		if (p->value[type][i])
			return false;
	return true;
}

/* Does the window have one snapshot of each series, and the store none before it? */
static bool is_first_snapshot(const struct stored_source *s, uint64_t profiles, uint64_t series)
{
	struct store_query all = s->query;
	uint64_t n = 0;

	all.t0 = INT64_MIN;
	return profiles == series && store_list(s->store, &all, NULL, count_item, &n, NULL) == 0 && n == profiles;
}

void stored_note_young(const struct stored_source *s, const char *types, uint64_t profiles, uint64_t series,
		       struct buf *notes)
{
	struct buf due = { 0 }, why = { 0 };
	bool is_increase = s->query.reduce == REDUCE_DEFAULT || s->query.reduce == REDUCE_INCREASE;

	if (!is_increase || !is_first_snapshot(s, profiles, series))
		return;
	find_due(s, &due, &why);
	if (due.len)
		buf_addf(notes, "%s: needs a second scrape at %s; +reduce=last shows the first\n", types,
			 buf_text(&due));
	else
		buf_addf(notes, "%s: needs a second scrape, and %s; +reduce=last shows the first\n", types,
			 buf_text(&why));
	buf_release(&due);
	buf_release(&why);
}

void stored_note_young_profile(const struct stored_source *s, const struct store_sum *sum, const struct profile *p,
			       const char *sample_index, struct buf *notes)
{
	struct buf names = { 0 };
	bool is_shown = false;
	uint32_t own;

	if (view_find_type(p, sample_index, &own, NULL) < 0)
		return;
	for (uint32_t t = 0; t < p->n_types; t++) {
		if (profile_temporality(p, t) != TEMPORALITY_CUMULATIVE || !stored_due_is_zero(p, t))
			continue;
		buf_addf(&names, "%s%s", names.len ? ", " : "", profile_text(p, p->type[t].name));
		is_shown |= t == own;
	}
	if (is_shown)
		stored_note_young(s, buf_text(&names), sum->profiles, sum->series, notes);
	buf_release(&names);
}
