/*
 * response.c - responses of Google's APIs, which are JSON, and tokens of the metadata server
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * An error is {"error": {"code": 409, "message": ..., "status": "ABORTED", "details": [{"@type": ..., "retryDelay": "3.5s"}]}}.
 */
#include "config.h"

#include "sinks/gcp/gcp_int.h"

#include "base/str.h"
#include "base/time.h"
#include "formats/json/jsonr.h"
#include "sinks/outcome.h"
#include "sinks/request.h"

#include <stdlib.h>
#include <string.h>

enum { GCP_UNAUTHORIZED = 401, GCP_CONFLICT = 409, TOKEN_MARGIN_S = 60 };

/* Called for each value that is a string or a number, with its key and the number of open objects and arrays. */
typedef void gcp_value_fn(void *arg, const char *key, unsigned depth, const struct jsonr *value);

static void gcp_read(const struct bytes *body, gcp_value_fn *fn, void *arg)
{
	struct jsonr r;
	struct err err;
	enum jsonr_event event;
	char key[32] = "";

	jsonr_init(&r, body->data, body->n, JSONR_DEPTH, &err);
	while ((event = jsonr_next(&r)) != JSONR_END && event != JSONR_ERROR) {
		if (event == JSONR_KEY) {
			size_t n = r.len < sizeof(key) - 1 ? r.len : 0;

			memcpy(key, r.text, n);
			key[n] = '\0';
		} else if (event == JSONR_STRING || event == JSONR_NUMBER) {
			fn(arg, key, r.depth, &r);
		}
	}
	jsonr_release(&r);
}

/* A value that is looked for. */
struct gcp_wanted {
	const char *key;
	struct buf *out;
	bool is_found;
};

static void gcp_take_value(void *arg, const char *key, unsigned depth, const struct jsonr *value)
{
	struct gcp_wanted *w = arg;

	if (depth != 1 || strcmp(key, w->key) != 0 || w->is_found)
		return;
	buf_add(w->out, value->text, value->len);
	w->is_found = true;
}

bool gcp_read_string(const struct bytes *body, const char *key, struct buf *out)
{
	struct gcp_wanted w = { key, out, false };

	gcp_read(body, gcp_take_value, &w);
	return w.is_found;
}

int64_t gcp_read_seconds(const struct bytes *body, const char *key)
{
	struct buf text = { 0 };
	int64_t v = gcp_read_string(body, key, &text) ? strtoll(buf_text(&text), NULL, 10) : 0;

	buf_release(&text);
	return v < 0 ? 0 : v < S_PER_DAY ? v : S_PER_DAY;
}

struct gcp_error {
	struct buf message;
	bool is_aborted;
	int64_t retry_ns;
};

static void gcp_take_error(void *arg, const char *key, unsigned depth, const struct jsonr *value)
{
	struct gcp_error *e = arg;
	char delay[32] = "";
	double seconds;

	if (depth == 2 && strcmp(key, "message") == 0 && !e->message.len)
		buf_add(&e->message, value->text, value->len);
	else if (depth == 2 && strcmp(key, "status") == 0)
		e->is_aborted = jsonr_is(value, "ABORTED");
	else if (depth == 4 && strcmp(key, "retryDelay") == 0) {
		memcpy(delay, value->text, value->len < sizeof(delay) - 1 ? value->len : sizeof(delay) - 1);
		seconds = strtod(delay, NULL);
		e->retry_ns = seconds > 0 && seconds < S_PER_DAY ? (int64_t)(seconds * (double)NS_PER_S) : 0;
	}
}

void gcp_read_error(const struct fetch_request *r, struct sink_result *out)
{
	struct gcp_error e = { 0 };

	if (!r->bytes.n)
		return;
	gcp_read(&r->bytes, gcp_take_error, &e);
	if (r->status == GCP_CONFLICT && e.is_aborted)
		out->outcome = SINK_LATER;
	if (e.message.len)
		sink_setf(out, out->outcome, "HTTP %ld: %s", r->status, buf_text(&e.message));
	if (e.retry_ns && out->outcome == SINK_LATER)
		out->retry_ns = e.retry_ns;
	buf_release(&e.message);
}

int gcp_token_init(const char *where, struct gcp_token *t, struct err *err)
{
	static const char path[] = "/computeMetadata/v1/instance/service-accounts/default/token";
	const char *url = strcmp(where, "yes") == 0 ? "http://metadata.google.internal" : where;

	if (!starts_with(url, "http://"))
		return err_set(err, ERR_USAGE, "metadata=%.100s: use metadata=yes or metadata=http://HOST", where);
	return sink_parse_url(url, "", path, &t->url, err);
}

void gcp_token_forget(struct gcp_token *t)
{
	if (t->line.data)
		explicit_bzero(t->line.data, t->line.cap);
	t->line.len = 0;
}

void gcp_token_release(struct gcp_token *t)
{
	gcp_token_forget(t);
	buf_release(&t->line);
	if (t->url.host)
		url_release(&t->url);
}

int gcp_token_read(struct gcp_token *t, struct stop *stop, struct sink_result *out, struct err *err)
{
	static const char *const header[] = { "Metadata-Flavor: Google" };
	static const struct fetch_options plain = { "", "", "", "", "", "", .stays_on_server = true };
	struct fetch_request r = { .url = &t->url, .header = header, .n_headers = 1 };
	int rc;

	t->is_new = !t->url.host || !t->line.len || clock_boot_ns() > t->until_ns;
	if (!t->is_new || !t->url.host)
		return 0;
	gcp_token_forget(t);
	rc = sink_send(&r, &plain, stop, out, err);
	if (rc == 0 && out->outcome == SINK_SENT) {
		buf_addz(&t->line, "Authorization: Bearer ");
		if (!gcp_read_string(&r.bytes, "access_token", &t->line) || strpbrk(t->line.data, "\r\n"))
			sink_setf(out, SINK_LATER, "the response of the metadata server has no access_token");
		t->until_ns = clock_boot_ns() + (gcp_read_seconds(&r.bytes, "expires_in") - TOKEN_MARGIN_S) * NS_PER_S;
	} else if (rc == 0) {
		out->outcome = SINK_LATER; /* the profile is not what was refused */
	}
	if (r.bytes.data)
		explicit_bzero(r.bytes.data, r.bytes.n);
	sink_release_response(&r);
	return rc;
}
