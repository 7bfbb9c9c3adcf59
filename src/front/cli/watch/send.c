/*
 * send.c - output of cpa watch: text, webhooks, commands
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/watch/watch.h"

#include "base/child.h"
#include "base/io.h"
#include "base/jsonw.h"
#include "base/str.h"
#include "base/time.h"
#include "base/url_escape.h"
#include "base/utf8.h"
#include "fetch/url.h"

#include <string.h>
#include <sys/resource.h>

enum {
	FUNCTIONS_SHOWN = 10, /* in a line for people */
	COMMAND_SECONDS = 300,
	COMMAND_OUTPUT_MAX = 1 << 20,
};

static void add_change(const struct cmd_watch_function *f, struct buf *out)
{
	buf_addf(out, "+%.0f%%  ", 100 * f->change);
	utf8_add_safe(out, f->name, strlen(f->name));
	buf_addf(out, "  (%.2f%% -> %.2f%% of the total)", 100 * f->share_before, 100 * f->share_after);
}

/* Append "shop/cpu", and the deploy. */
static void add_subject(const struct cmd_watch_result *r, struct buf *out)
{
	utf8_add_safe(out, r->service, strlen(r->service));
	buf_addz(out, "/");
	utf8_add_safe(out, r->key, strlen(r->key));
	if (!r->check->deploy)
		return;
	buf_addz(out, " after deploy ");
	utf8_add_safe(out, r->check->deploy->text, strlen(r->check->deploy->text));
}

void cmd_watch_print(const struct cmd_watch_result *r, struct buf *out)
{
	const struct cmd_watch_verdict *v = r->verdict;

	time_add_span(out, r->check->new.t0, r->check->new.t1);
	buf_addz(out, "  ");
	add_subject(r, out);
	buf_addf(out, "  %s\n", cmd_watch_outcome_word(v->outcome));
	for (size_t i = 0; i < v->n && i < FUNCTIONS_SHOWN; i++) {
		buf_addz(out, "    ");
		add_change(&v->function[i], out);
		buf_addz(out, "\n");
	}
	if (v->n > FUNCTIONS_SHOWN)
		buf_addf(out, "    and %zu more functions\n", v->n - FUNCTIONS_SHOWN);
	if (v->outcome == WATCH_FAIL)
		buf_addf(out, "    %s\n", r->shell);
}

/* --- the message for programs --- */

static void add_parameter(const char *name, const char *value, struct buf *out)
{
	buf_addf(out, "&%s=", name);
	url_escape(value, strlen(value), URL_QUERY, out);
}

static void add_time_parameter(const char *name, int64_t ns, struct buf *out)
{
	struct buf text = { 0 };

	time_add_utc(&text, ns, "%Y-%m-%dT%H:%M:%S");
	add_parameter(name, buf_text(&text), out);
	buf_release(&text);
}

/* Append the page that compares both windows; the newest base is the one to compare with. */
static void add_link(const char *server, const struct cmd_watch_result *r, struct buf *out)
{
	size_t n = strlen(server);

	buf_addf(out, "%.*s/ui/store?service=", (int)(n - (n && server[n - 1] == '/')), server);
	url_escape(r->service, strlen(r->service), URL_QUERY, out);
	add_parameter("kind", r->kind, out);
	add_time_parameter("w0", r->check->new.t0, out);
	add_time_parameter("w1", r->check->new.t1, out);
	add_time_parameter("b0", r->check->base[0].t0, out);
	add_time_parameter("b1", r->check->base[0].t1, out);
}

static void send_add_sentence(const struct cmd_watch_result *r, struct buf *out)
{
	add_subject(r, out);
	buf_addz(out, " became slower, ");
	time_add_span(out, r->check->new.t0, r->check->new.t1);
	for (size_t i = 0; i < r->verdict->n && i < FUNCTIONS_SHOWN; i++) {
		buf_addz(out, "\n");
		add_change(&r->verdict->function[i], out);
	}
}

static void add_exact(struct json *j, const char *key, int64_t ns)
{
	struct buf text = { 0 };

	time_add_exact(&text, ns);
	jsonw_add_text(j, key, buf_text(&text));
	buf_release(&text);
}

static void add_functions(struct json *j, const struct cmd_watch_verdict *v)
{
	jsonw_open_key(j, "functions", '[');
	for (size_t i = 0; i < v->n; i++) {
		jsonw_open(j, '{');
		jsonw_add_text(j, "name", v->function[i].name);
		jsonw_add_real(j, "change", v->function[i].change);
		jsonw_add_real(j, "share_before", v->function[i].share_before);
		jsonw_add_real(j, "share_after", v->function[i].share_after);
		jsonw_close(j, '}');
	}
	jsonw_close(j, ']');
}

/* Append the JSON of docs/schema/watch.schema.json. Chat services show its field text. */
static void add_message(const struct cmd_watch_args *a, const struct cmd_watch_result *r, struct buf *out)
{
	struct json j = { .out = out };
	struct buf text = { 0 };

	send_add_sentence(r, &text);
	if (*a->link) {
		buf_addz(&text, "\n");
		add_link(a->link, r, &text);
	}
	jsonw_open(&j, '{');
	jsonw_add_text(&j, "text", buf_text(&text));
	jsonw_add_text(&j, "service", r->service);
	jsonw_add_text(&j, "kind", r->kind);
	if (r->check->deploy)
		jsonw_add_text(&j, "deploy", r->check->deploy->text);
	add_exact(&j, "from", r->check->new.t0);
	add_exact(&j, "until", r->check->new.t1);
	add_functions(&j, r->verdict);
	jsonw_add_text(&j, "command", r->shell);
	if (*a->link) {
		text.len = 0;
		add_link(a->link, r, &text);
		jsonw_add_text(&j, "link", buf_text(&text));
	}
	jsonw_close(&j, '}');
	buf_addz(out, "\n");
	buf_release(&text);
}

static int post(const struct cmd_watch_args *a, const struct buf *message, struct err *err)
{
	enum { OK_FIRST = 200, OK_END = 300 };
	struct url url;
	struct fetch_request r = { .url = &url,
				   .body = message->data,
				   .n_body = message->len,
				   .content_type = "application/json",
				   .keeps_refusal = true };
	int rc = url_parse(a->webhook, 0, &url, err);

	if (rc < 0)
		return err_wrap(err, "--webhook");
	cmd_http_fetch(&a->http, &r, 1, "waiting for the webhook");
	if (r.status >= OK_FIRST && r.status < OK_END)
		rc = 0;
	else if (r.status)
		rc = err_set(err, ERR_IO, "--webhook: the server answered with status %ld", r.status);
	else
		rc = err_set(err, ERR_IO, "--webhook: %.900s", r.err.msg);
	io_release(&r.bytes);
	url_release(&url);
	return rc;
}

static int run_command(const char *command, const struct buf *message, const struct stop *stop, struct err *err)
{
	const char *const argv[] = { "/bin/sh", "-c", command, NULL };
	const struct child_limits limits = {
		.max_output = COMMAND_OUTPUT_MAX, .max_memory = RLIM_INFINITY, .seconds = COMMAND_SECONDS, .stop = stop
	};
	struct buf out = { 0 };
	int rc = child_run_limited(argv, message->data, message->len, &limits, &out, err);

	buf_release(&out);
	return rc < 0 ? err_wrap(err, "--exec") : 0;
}

int cmd_watch_send(const struct cmd_watch_args *a, const struct cmd_watch_result *r, const struct stop *stop,
		   struct err *err)
{
	struct buf message = { 0 };
	int rc = 0;

	add_message(a, r, &message);
	if (*a->webhook)
		rc = post(a, &message, err);
	if (rc == 0 && *a->command)
		rc = run_command(a->command, &message, stop, err);
	buf_release(&message);
	return rc;
}
