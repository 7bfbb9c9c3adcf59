/*
 * capture.c - the page that captures profiles of servers
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/pages/compare.h"
#include "front/web/parts/frame.h"
#include "front/web/pages/views.h"

#include "base/jsonw.h"
#include "base/unit.h"
#include "front/web/jobs/capture.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void web_capture_add_seconds(uint64_t ms, struct buf *out)
{
	buf_addf(out, "%" PRIu64 "&nbsp;s", ms / 1000);
}

/* Append seconds, samples and bytes so far. */
static void add_progress(const struct capture_status *s, struct buf *out)
{
	web_capture_add_seconds(s->elapsed_ms, out);
	if (s->options.seconds)
		buf_addf(out, " of %u&nbsp;s", s->options.seconds);
	if (s->n_samples) {
		buf_addz(out, ", ");
		unit_add_count(out, s->n_samples);
		buf_addz(out, " samples");
	}
	if (s->n_bytes) {
		buf_addz(out, ", ");
		unit_add_label(out, (int64_t)s->n_bytes, "B", "auto");
		buf_addz(out, " received");
	}
}

static void add_stop(const struct web_page *page, unsigned number, const char *keep, const char *title, struct buf *out)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	web_form_start(page->web, "stop", out);
	web_form_add_hidden(out, "capture", text);
	web_form_add_hidden(out, "keep", keep);
	web_form_end(out, title);
}

static void web_capture_add_running(const struct web_page *page, const struct capture_status *s, struct buf *out)
{
	buf_addf(out, "<section class=\"capture\" data-capture=\"%u\"><h2>", s->number);
	web_add_name(out, s->name);
	buf_addz(out, "</h2>\n<p><progress");
	if (s->options.seconds)
		buf_addf(out, " max=\"%u\" value=\"%" PRIu64 "\"", s->options.seconds,
			 s->elapsed_ms / 1000 < s->options.seconds ? s->elapsed_ms / 1000 : s->options.seconds);
	buf_addz(out, " aria-label=\"progress of the capture\"></progress> <span class=\"count\">");
	add_progress(s, out);
	buf_addz(out, "</span></p>\n<div class=\"pages\">");
	if (!s->is_stopping)
		add_stop(page, s->number, "t", "Stop and keep", out);
	add_stop(page, s->number, "f", "Discard", out);
	if (s->is_stopping)
		buf_addz(out, "<span class=\"faint\">stopped; waiting for what the server has measured</span>");
	buf_addz(out, "</div></section>\n");
}

/* ---- the form that starts a capture ---- */

static void web_capture_add_kinds(bool is_process, struct buf *out)
{
	const char *title, *kind;

	buf_addz(out, "<fieldset><legend>Profile</legend>\n");
	for (size_t i = 0; (kind = captures_kind(i, &title)) && !(is_process && i > 0); i++)
		buf_addf(out, "<label><input type=\"radio\" name=\"kind\" value=\"%s\"%s> %s</label>\n", kind,
			 i == 0 ? " checked" : "", title);
	buf_addz(out, "</fieldset>\n");
}

static void add_fields(struct buf *out)
{
	buf_addf(out,
		 "<div class=\"fields\"><label>Seconds of a CPU profile <input type=\"number\" name=\"seconds\" "
		 "min=\"0\" max=\"%d\" "
		 "value=\"30\"></label>\n<label>Samples per second <input type=\"number\" name=\"hz\" min=\"1\" "
		 "max=\"%d\" placeholder=\"default of the server\"></label>\n<label>Repeat every <input "
		 "type=\"number\" name=\"repeat\" min=\"1\" max=\"%d\" placeholder=\"never\"> minutes</label></div>\n",
		 CAPTURE_SECONDS_MAX, CAPTURE_HZ_MAX, CAPTURE_REPEAT_MINUTES_MAX);
	buf_addz(out, "<fieldset><legend>Then</legend>\n<label><input type=\"radio\" name=\"then\" value=\"compare\" "
		      "checked> compare with the previous</label>\n<label><input type=\"radio\" name=\"then\" "
		      "value=\"show\"> show alone</label></fieldset>\n");
}

static void web_capture_add_server(const struct web_page *page, size_t i, struct buf *out)
{
	struct captures *c = page->web->captures;
	char text[24];

	buf_addz(out, "<h2>");
	web_add_name(out, captures_server_name(c, i));
	buf_addz(out, "</h2>\n");
	snprintf(text, sizeof(text), "%zu", i);
	web_form_start(page->web, "capture", out);
	web_form_add_hidden(out, "server", text);
	web_capture_add_kinds(captures_is_process(c, i), out);
	add_fields(out);
	if (!captures_can_end_early(c, i))
		buf_addf(out,
			 "<p class=\"faint\">With HTTPS, <i>Stop and keep</i> has only the complete pieces of %d "
			 "seconds of a CPU profile: nothing before the first one.</p>\n",
			 CAPTURE_PIECE_SECONDS);
	if (captures_is_busy(c, i))
		buf_addz(out,
			 "<button disabled>Start</button> <span class=\"faint\">a capture is running</span></form>\n");
	else
		web_form_end(out, "Start");
}

/* ---- the list ---- */

static void web_capture_add_link(const char *path, const struct capture_status *s, bool with_base, const char *title,
				 struct buf *out)
{
	buf_addf(out, "<a href=\"%s?", path);
	if (with_base)
		buf_addf(out, "base=%s&amp;", s->previous);
	buf_addf(out, "prof=%s\">%s</a> ", s->id, title);
}

static bool has_difference(const struct capture_status *s)
{
	return *s->previous && strcmp(s->previous, s->id) != 0;
}

static void web_capture_add_result(const struct capture_status *s, struct buf *out)
{
	switch (s->state) {
	case CAPTURE_RUNNING:
		buf_addz(out, "running");
		break;
	case CAPTURE_DISCARDED:
		buf_addz(out, "discarded");
		break;
	case CAPTURE_FAILED:
		buf_addz(out, "<span class=\"error\">");
		web_add_name(out, s->error);
		buf_addz(out, "</span> ");
		if (*s->id)
			web_capture_add_link("flamegraph", s, false, "show the data before the error", out);
		break;
	case CAPTURE_DONE:
		web_capture_add_link("flamegraph", s, false, "show alone", out);
		if (has_difference(s))
			web_capture_add_link("diff", s, true, "compare with the previous", out);
		else if (*s->previous)
			buf_addz(out, "<span class=\"faint\">equal to the previous</span>");
		break;
	}
}

static void web_capture_add_list(const struct capture_status *s, size_t n, struct buf *out)
{
	if (n == 0)
		return;
	buf_addz(out,
		 "<h2>Captures</h2>\n<div class=\"scroll\"><table class=\"report\"><thead><tr><th scope=\"col\" "
		 "class=\"text\">started (UTC)</th><th scope=\"col\" class=\"text\">capture</th><th scope=\"col\">"
		 "took</th><th scope=\"col\">received</th><th scope=\"col\" class=\"name\">result</th></tr></thead>\n"
		 "<tbody>\n");
	for (size_t i = 0; i < n; i++) {
		buf_addz(out, "<tr><td class=\"text\">");
		web_compare_add_time(s[i].started_ns, out);
		buf_addz(out, "</td><td class=\"text\">");
		web_add_name(out, s[i].name);
		buf_addz(out, "</td><td>");
		web_capture_add_seconds(s[i].elapsed_ms, out);
		buf_addz(out, "</td><td>");
		if (s[i].n_bytes)
			unit_add_label(out, (int64_t)s[i].n_bytes, "B", "auto");
		buf_addz(out, "</td><td class=\"name\">");
		web_capture_add_result(&s[i], out);
		buf_addz(out, "</td></tr>\n");
	}
	buf_addz(out, "</tbody></table></div>\n");
}

static void add_reload(const struct web_page *page, struct buf *out)
{
	if (!captures_can_reload(page->web->captures))
		return;
	web_form_start(page->web, "reload", out);
	buf_addz(out, "<button data-fetch-again title=\"Fetch the sources of the command line again\">Fetch "
		      "again</button></form>\n");
}

/* A capture that will be repeated, though its last run has ended. */
static void add_repeated(const struct web_page *page, const struct capture_status *s, size_t n, struct buf *out)
{
	struct captures *c = page->web->captures;

	for (size_t i = 0; i < captures_n_servers(c); i++) {
		for (size_t k = 0; k < n && captures_is_busy(c, i); k++) {
			if (s[k].options.server != i)
				continue;
			if (s[k].state != CAPTURE_RUNNING) {
				buf_addz(out, "<p>");
				web_add_name(out, s[k].name);
				buf_addf(out, ": repeated every %u minutes</p>\n", s[k].options.repeat_minutes);
				add_stop(page, s[k].number, "t", "Stop repeating", out);
			}
			break;
		}
	}
}

/* The capture that the address names has ended before its page was loaded: the script moves on to its profile. */
static void add_ended(const struct web_page *page, const struct capture_status *s, size_t n, struct buf *out)
{
	unsigned long number = strtoul(url_params_get(page->params, "capture"), NULL, 10);

	for (size_t i = 0; i < n; i++)
		if (s[i].number == number && s[i].state == CAPTURE_DONE)
			buf_addf(out, "<section data-capture=\"%lu\" hidden></section>\n", number);
}

int web_draw_capture(struct web_page *page, struct err *err)
{
	struct captures *c = page->web->captures;
	struct capture_status *s = arena_alloc(page->mem, CAPTURES_MAX, sizeof(*s));
	size_t n = captures_list(c, s), n_running = 0;
	struct buf *out = &page->main;

	(void)err;
	for (size_t i = 0; i < n; i++) {
		if (s[i].state == CAPTURE_RUNNING) {
			web_capture_add_running(page, &s[i], out);
			n_running++;
		}
	}
	page->refresh_seconds = n_running ? 2 : 0;
	add_ended(page, s, n, out);
	add_repeated(page, s, n, out);
	add_reload(page, out);
	for (size_t i = 0; i < captures_n_servers(c); i++)
		web_capture_add_server(page, i, out);
	if (captures_n_servers(c) == 0)
		buf_addz(out, "<p>No server was given: start <code>cpa -http=: localhost:6060</code>, or add "
			      "<code>--http-allow-server=localhost:6060</code>.</p>\n");
	web_capture_add_list(s, n, out);
	return 0;
}

/* ---- actions ---- */

/* The page to show when a capture has ended. */
static void add_next(const struct capture_status *s, struct buf *out)
{
	if (s->options.compare && has_difference(s))
		buf_addf(out, "diff?base=%s&prof=%s", s->previous, s->id);
	else
		buf_addf(out, "flamegraph?prof=%s", s->id);
}

void web_capture_send(struct web *w, unsigned number, struct http_response *out)
{
	static const char *const word[] = { "running", "done", "failed", "discarded" };
	struct json j = { .out = &out->body, .is_one_line = true };
	struct buf text = { 0 };
	struct capture_status *s = malloc(sizeof(*s));

	if (!s || !captures_find(w->captures, number, s)) {
		buf_addz(&out->body, "{\"state\":\"unknown\"}\n");
		free(s);
		return;
	}
	jsonw_open(&j, '{');
	jsonw_add_text(&j, "state", word[s->state]);
	jsonw_add_int(&j, "ms", (int64_t)s->elapsed_ms);
	jsonw_add_int(&j, "seconds", s->options.seconds);
	jsonw_add_int(&j, "bytes", (int64_t)s->n_bytes);
	jsonw_add_int(&j, "samples", (int64_t)s->n_samples);
	if (s->state == CAPTURE_DONE) {
		add_next(s, &text);
		jsonw_add_text(&j, "location", buf_text(&text));
	} else if (s->state == CAPTURE_FAILED) {
		jsonw_add_text(&j, "error", s->error);
	}
	jsonw_close(&j, '}');
	buf_addz(&out->body, "\n");
	buf_release(&text);
	free(s);
}
