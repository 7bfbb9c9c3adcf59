/*
 * store.c - choose a window of a store, or two to compare them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The page needs no script: the choice is a form, each bar of the chart a link, and windows have fields. store.js
 * selects windows by dragging. Opening a window loads it as a profile, which all views show.
 */
#include "config.h"

#include "front/web/pages/store.h"

#include "base/time.h"
#include "base/webpage.h"
#include "front/web/assets/assets.h"
#include "front/web/pages/views.h"
#include "front/web/parts/frame.h"
#include "sources/load.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { STEPS_SHOWN = 150, SELECT_VALUES = 100, LABEL_PREFIX = 2 /* of "l." */ };

/* --- the choice in a URL --- */

/* Parse "2026-11-22 14:00" or "2026-11-22T14:00" with optional seconds, in UTC. */
static int parse_time(const char *key, const char *text, int64_t *ns, struct err *err)
{
	struct tm utc = { 0 };
	const char *end = strptime(text, strchr(text, 'T') ? "%Y-%m-%dT%H:%M" : "%Y-%m-%d %H:%M", &utc);

	if (end && *end == ':')
		end = strptime(end, ":%S", &utc);
	if (end && *end == '.') /* browsers may send fractions */
		end += 1 + strspn(end + 1, "0123456789");
	if (!end || (*end && strcmp(end, "Z") != 0) || utc.tm_year < 70 || utc.tm_year > 300)
		return err_set(err, ERR_USAGE, "%s=%.40s: not a time such as 2026-11-22 14:00", key, text);
	*ns = (int64_t)timegm(&utc) * NS_PER_S;
	return 0;
}

/* Read a window; it is not set unless both ends are there. */
static int read_window(const struct url_params *p, const char *from, const char *to, struct web_window *out,
		       struct err *err)
{
	const char *t0 = url_params_get(p, from), *t1 = url_params_get(p, to);

	*out = (struct web_window){ .is_set = *t0 && *t1 };
	if (!out->is_set)
		return 0;
	if (parse_time(from, t0, &out->t0, err) < 0 || parse_time(to, t1, &out->t1, err) < 0)
		return ERR_USAGE;
	if (out->t0 >= out->t1)
		return err_set(err, ERR_USAGE, "%s=%.40s is not before %s=%.40s", from, t0, to, t1);
	return 0;
}

static void web_store_read_labels(const struct url_params *p, struct stored_choice *out)
{
	for (size_t i = 0; i < p->n && out->n_labels < STORED_CHOICE_LABELS_MAX; i++) {
		const char *key = p->item[i].key, *value = p->item[i].value;

		if (strncmp(key, "l.", LABEL_PREFIX) != 0 || !key[LABEL_PREFIX] || !*value)
			continue;
		out->label[out->n_labels].name = key + LABEL_PREFIX;
		out->label[out->n_labels++].value = value;
	}
}

static const char *web_store_find_kind(const struct stored_service *s, const char *name)
{
	for (size_t i = 0; i < s->n_kinds; i++)
		if (strcmp(s->kind[i], name) == 0)
			return s->kind[i];
	return stored_service_kind(s);
}

/* The shortest usual step with at most STEPS_SHOWN steps. */
static int64_t choose_step(int64_t span)
{
	static const int64_t usual_s[] = { 1,    5,    10,    30,    60,    120,   300,    600,   1800,
					   3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800 };
	int64_t step = NS_PER_S;

	for (size_t i = 0; i < sizeof(usual_s) / sizeof(usual_s[0]); i++) {
		step = usual_s[i] * NS_PER_S;
		if (span / step < STEPS_SHOWN)
			return step;
	}
	while (span / step >= STEPS_SHOWN)
		step *= 2;
	return step;
}

/* Set the times of the chart, in whole steps: those of the URL, else the last day with profiles. */
static void set_range(struct web_choice *c, const struct web_window *range)
{
	int64_t t0 = range->t0, t1 = range->t1;

	if (!range->is_set) {
		t1 = c->service->last_ns + 1;
		t0 = t1 - NS_PER_DAY > c->service->first_ns ? t1 - NS_PER_DAY : c->service->first_ns;
	}
	c->step_ns = choose_step(t1 - t0);
	c->choice.t0 = t0 - t0 % c->step_ns;
	c->choice.t1 = t1 + (c->step_ns - t1 % c->step_ns) % c->step_ns;
}

int web_choice_read(const struct web_options *o, const struct url_params *p, const struct stored_catalogue *all,
		    struct web_choice *out, struct err *err)
{
	const char *service = url_params_get(p, "service"), *kind = url_params_get(p, "kind");
	struct web_window range;

	*out = (struct web_choice){ .place = { o->store, o->q } };
	out->service = stored_catalogue_find(all, *service ? service : o->store_service);
	if (!out->service && *service)
		return err_set(err, ERR_USAGE, "the store has no service %.100s", service);
	if (!out->service)
		out->service = stored_catalogue_find(all, "");
	out->choice.service = out->service->name;
	out->choice.kind = web_store_find_kind(out->service, *kind ? kind : o->store_kind);
	web_store_read_labels(p, &out->choice);
	if (read_window(p, "t0", "t1", &range, err) < 0 || read_window(p, "w0", "w1", &out->window, err) < 0 ||
	    read_window(p, "b0", "b1", &out->base, err) < 0)
		return ERR_USAGE;
	set_range(out, &range);
	return 0;
}

void web_choice_set_time(struct url_params *link, const char *key, int64_t ns)
{
	struct buf text = { 0 };

	web_chart_add_url_time(ns, &text);
	url_params_set(link, key, buf_text(&text));
	buf_release(&text);
}

struct url_params *web_choice_params(const struct web_choice *c, const char *type)
{
	struct url_params *link = url_params_new();

	url_params_set(link, "service", c->choice.service);
	url_params_set(link, "kind", c->choice.kind);
	for (size_t i = 0; i < c->choice.n_labels; i++) {
		struct buf key = { 0 };

		buf_addf(&key, "l.%s", c->choice.label[i].name);
		url_params_set(link, buf_text(&key), c->choice.label[i].value);
		buf_release(&key);
	}
	web_choice_set_time(link, "t0", c->choice.t0);
	web_choice_set_time(link, "t1", c->choice.t1);
	if (*type)
		url_params_set(link, "val", type);
	return link;
}

static void set_windows(const struct web_choice *c, struct url_params *link)
{
	if (c->window.is_set) {
		web_choice_set_time(link, "w0", c->window.t0);
		web_choice_set_time(link, "w1", c->window.t1);
	}
	if (c->base.is_set) {
		web_choice_set_time(link, "b0", c->base.t0);
		web_choice_set_time(link, "b1", c->base.t1);
	}
}

static void add_hidden(const struct url_params *p, struct buf *out)
{
	for (size_t i = 0; i < p->n; i++) {
		buf_addz(out, "<input type=\"hidden\" name=\"");
		webpage_add_text(out, p->item[i].key, strlen(p->item[i].key));
		buf_addz(out, "\" value=\"");
		webpage_add_text(out, p->item[i].value, strlen(p->item[i].value));
		buf_addz(out, "\">");
	}
}

/* --- the forms --- */

static void web_store_add_option(const char *value, const char *text, bool is_selected, struct buf *out)
{
	buf_addz(out, "<option value=\"");
	webpage_add_text(out, value, strlen(value));
	buf_addf(out, "\"%s>", is_selected ? " selected" : "");
	webpage_add_name(out, text);
	buf_addz(out, "</option>\n");
}

static const char *chosen_value(const struct stored_choice *c, const char *label)
{
	for (size_t i = 0; i < c->n_labels; i++)
		if (strcmp(c->label[i].name, label) == 0)
			return c->label[i].value;
	return "";
}

/* A label with several values; with too many for a list, a field. */
static void web_store_add_label(const struct web_choice *c, const struct stored_label *l, struct buf *out)
{
	const char *chosen = chosen_value(&c->choice, l->name);

	if (l->n < 2 && !*chosen)
		return;
	buf_addz(out, "<label>");
	web_add_name(out, l->name);
	if (l->n > SELECT_VALUES || l->has_more) {
		buf_addz(out, " <input name=\"l.");
		webpage_add_text(out, l->name, strlen(l->name));
		buf_addz(out, "\" placeholder=\"any\" value=\"");
		webpage_add_text(out, chosen, strlen(chosen));
		buf_addz(out, "\"></label>\n");
		return;
	}
	buf_addz(out, " <select name=\"l.");
	webpage_add_text(out, l->name, strlen(l->name));
	buf_addz(out, "\">\n");
	web_store_add_option("", "any", !*chosen, out);
	for (size_t i = 0; i < l->n; i++)
		if (*l->value[i])
			web_store_add_option(l->value[i], l->value[i], strcmp(l->value[i], chosen) == 0, out);
	buf_addz(out, "</select></label>\n");
}

static void add_time_field(const char *name, const char *text, int64_t ns, bool is_set, struct buf *out)
{
	buf_addf(out, "<label>%s <input name=\"%s\" size=\"19\" placeholder=\"2026-11-22 14:00\" value=\"", text, name);
	if (is_set)
		web_chart_add_time(ns, out);
	buf_addz(out, "\"></label>\n");
}

static void add_choice_form(const struct web_choice *c, const struct stored_catalogue *all,
			    const struct stored_totals *totals, uint32_t type, struct buf *out)
{
	struct url_params *windows = url_params_new();

	buf_addz(out, "<form method=\"get\" action=\"store\" id=\"store-choice\"><div class=\"fields\">\n"
		      "<label>service <select name=\"service\">\n");
	for (size_t i = 0; i < all->n; i++)
		web_store_add_option(all->service[i].name, all->service[i].name, &all->service[i] == c->service, out);
	buf_addz(out, "</select></label>\n<label>kind <select name=\"kind\">\n");
	for (size_t i = 0; i < c->service->n_kinds; i++)
		web_store_add_option(c->service->kind[i], c->service->kind[i],
				     strcmp(c->service->kind[i], c->choice.kind) == 0, out);
	buf_addz(out, "</select></label>\n");
	if (totals->n_types > 1) {
		buf_addz(out, "<label>values <select name=\"val\">\n");
		for (uint32_t t = 0; t < totals->n_types; t++)
			web_store_add_option(totals->type[t].name, totals->type[t].name, t == type, out);
		buf_addz(out, "</select></label>\n");
	}
	for (size_t i = 0; i < c->service->n_labels; i++)
		web_store_add_label(c, &c->service->label[i], out);
	add_time_field("t0", "from", c->choice.t0, true, out);
	add_time_field("t1", "to", c->choice.t1, true, out);
	set_windows(c, windows);
	add_hidden(windows, out);
	url_params_free(windows);
	buf_addz(out, "</div><div class=\"pages\"><button>Show</button>\n");
}

/* Links to the last hour, day and so on, counted from the last profile of the service. */
static void web_store_add_spans(const struct web_choice *c, const char *type, struct buf *out)
{
	static const struct {
		const char *text;
		int64_t minutes;
	} spans[] = { { "last 15 min", 15 }, { "last 1 h", 60 },    { "last 6 h", 360 },
		      { "last 24 h", 1440 }, { "last 7 d", 10080 }, { "last 30 d", 43200 } };
	int64_t end = c->service->last_ns / NS_PER_S * NS_PER_S + NS_PER_S;

	for (size_t i = 0; i <= sizeof(spans) / sizeof(spans[0]); i++) {
		bool is_all = i == sizeof(spans) / sizeof(spans[0]);
		struct url_params *link = web_choice_params(c, type);

		web_choice_set_time(link, "t0", is_all ? c->service->first_ns : end - spans[i].minutes * 60 * NS_PER_S);
		web_choice_set_time(link, "t1", end);
		set_windows(c, link);
		buf_addz(out, "<a class=\"button\" href=\"");
		web_link_end(link, "store", out);
		buf_addf(out, "\">%s</a>\n", is_all ? "all" : spans[i].text);
	}
	buf_addz(out, "<span class=\"faint\">counted from the last profile; all times are UTC</span></div></form>\n");
}

static void add_window_form(const struct web_choice *c, const char *type, struct buf *out)
{
	struct url_params *own = web_choice_params(c, type);

	buf_addz(out, "<form method=\"get\" action=\"store\" id=\"store-windows\">");
	add_hidden(own, out);
	url_params_free(own);
	buf_addz(out,
		 "<div class=\"pages\" id=\"store-drag\" hidden><label><input type=\"checkbox\" id=\"store-compare\"> "
		 "drag a second window, to compare (or Shift and drag)</label></div>\n"
		 "<div class=\"fields\"><fieldset class=\"base\"><legend>Before</legend>\n");
	add_time_field("b0", "from", c->base.t0, c->base.is_set, out);
	add_time_field("b1", "to", c->base.t1, c->base.is_set, out);
	buf_addz(out, "</fieldset><fieldset class=\"window\"><legend>After, or a single window</legend>\n");
	add_time_field("w0", "from", c->window.t0, c->window.is_set, out);
	add_time_field("w1", "to", c->window.t1, c->window.is_set, out);
	buf_addz(out, "</fieldset></div><div class=\"pages\"><button>Use these times</button></div></form>\n");
}

/* --- windows --- */

struct stored_choice web_choice_window(const struct web_choice *c, const struct web_window *w)
{
	struct stored_choice out = c->choice;

	if (w->is_set) {
		out.t0 = w->t0;
		out.t1 = w->t1;
	}
	return out;
}

/* Append a line about a window: its source, profiles and total. is_empty is set if it has no profiles. */
static int add_window_line(const struct web_chart *chart, const struct web_window *w, const char *name,
			   struct stop *stop, bool *is_empty, struct buf *out, struct err *err)
{
	const struct web_choice *c = chart->c;
	const struct stored_type *type = &chart->totals->type[chart->type];
	struct stored_choice choice = web_choice_window(c, w);
	struct stored_totals t;
	struct buf source = { 0 };
	int rc = stored_choice_totals(&c->place, &choice, choice.t1 - choice.t0, type->name, stop, &t, err);

	stored_choice_print(&c->place, &choice, &source);
	if (rc == 0) {
		*is_empty |= t.profiles[0] == 0;
		buf_addf(out, "<dt>%s</dt><dd>", name);
		web_chart_add_time(choice.t0, out);
		buf_addz(out, " to ");
		web_chart_add_time(choice.t1, out);
		buf_addf(out, ": %" PRIu64 " profile%s of %zu series", t.profiles[0], t.profiles[0] == 1 ? "" : "s",
			 t.n_series);
		for (uint32_t i = 0; i < t.n_types && t.n_groups; i++) {
			if (strcmp(t.type[i].name, type->name) != 0)
				continue;
			buf_addz(out, ", ");
			web_chart_add_value(chart, &t.type[i], t.type[i].window, out);
			buf_addz(out, " ");
			web_add_name(out, t.type[i].name);
			break;
		}
		buf_addz(out, "<br><code>");
		web_add_name(out, buf_text(&source));
		buf_addz(out, "</code></dd>\n");
	}
	buf_release(&source);
	stored_totals_release(&t);
	return rc;
}

/* Append a link that exchanges the windows. */
static void store_add_swap(const struct web_choice *c, const char *type, struct buf *out)
{
	struct url_params *link = web_choice_params(c, type);
	struct web_choice swapped = *c;

	swapped.window = c->base;
	swapped.base = c->window;
	set_windows(&swapped, link);
	buf_addz(out, "<a class=\"button\" href=\"");
	web_link_end(link, "store", out);
	buf_addz(out, "\">Swap before and after</a>\n");
}

static void add_view_button(const char *path, const char *title, struct buf *out)
{
	buf_addf(out, "<button name=\"view\" value=\"%s\">%s</button>\n", path, title);
}

static void add_open_form(const struct web_page *page, const struct web_choice *c, const char *type, struct buf *out)
{
	struct url_params *fields = web_choice_params(c, type);
	const struct web *web = page->web;

	set_windows(c, fields);
	web_form_start(web, "store", out);
	add_hidden(fields, out);
	url_params_free(fields);
	buf_addf(out, "<div class=\"pages\"><span>%s</span>\n",
		 c->base.is_set     ? "Compare the windows:"
		 : c->window.is_set ? "Open the window:"
				    : "Open all of it:");
	for (size_t i = 0; c->base.is_set && i < web->n_views; i++)
		if (web_store_opens(&web->view[i], true) && web->view[i].flags & WEB_VIEW_IN_COMPARE_MENU)
			add_view_button(web->view[i].path, web->view[i].title, out);
	for (size_t i = 0; i < web->n_views; i++)
		if (web_store_opens(&web->view[i], c->base.is_set) && web->view[i].flags & WEB_VIEW_IN_MENU)
			add_view_button(web->view[i].path, web->view[i].title, out);
	if (c->base.is_set && c->window.is_set)
		store_add_swap(c, type, out);
	buf_addz(out, "</div></form>\n");
}

/* --- the page --- */

bool web_store_opens(const struct web_view *v, bool are_two)
{
	const unsigned menu = WEB_VIEW_IN_MENU | (are_two ? WEB_VIEW_IN_COMPARE_MENU : 0);

	return v->flags & menu && !(v->flags & (WEB_VIEW_ALONE | WEB_VIEW_TAKES_PATTERN));
}

static void web_store_add_mark(void *arg, const char *service, int64_t time_ns, const char *kind, const char *text)
{
	(void)service;
	web_chart_add_mark(arg, time_ns, kind, text);
}

static int add_windows(struct web_page *page, const struct web_chart *chart, struct err *err)
{
	const struct web_choice *c = chart->c;
	const char *type = chart->totals->type[chart->type].name, *name = c->window.is_set ? "window" : "all";
	struct buf *out = &page->main;
	bool is_empty = false;
	int rc;

	buf_addz(out, "<dl class=\"help windows\">");
	rc = c->base.is_set ? add_window_line(chart, &c->base, "before", page->stop, &is_empty, out, err) : 0;
	if (rc == 0)
		rc = add_window_line(chart, &c->window, c->base.is_set ? "after" : name, page->stop, &is_empty, out,
				     err);
	buf_addz(out, "</dl>\n");
	if (rc == 0 && c->window.is_set && !c->base.is_set)
		web_store_add_comparisons(c, type, out);
	if (rc == 0 && is_empty)
		buf_addz(out, "<p>A window without profiles cannot be opened.</p>\n");
	else if (rc == 0)
		add_open_form(page, c, type, out);
	return rc;
}

static int web_store_add_chart(struct web_page *page, const struct web_choice *c, const struct stored_totals *t,
			       uint32_t type, struct err *err)
{
	struct url_params *link = web_choice_params(c, t->type[type].name);
	struct web_chart chart = { .c = c, .totals = t, .type = type, .link = link };
	struct buf *out = &page->main;
	int rc = stored_choice_marks(&c->place, &c->choice, web_store_add_mark, &chart, err);

	if (rc == 0) {
		web_chart_scale(&chart);
		web_chart_draw(&chart, out);
		rc = web_store_add_over_time(page, &chart, err);
	}
	if (rc == 0) {
		add_window_form(c, t->type[type].name, out);
		rc = add_windows(page, &chart, err);
	}
	if (rc == 0) {
		web_chart_draw_table(&chart, out);
		buf_addz(out, "<script type=\"module\" src=\"");
		web_asset_add_url("store.js", out);
		buf_addz(out, "\"></script>\n");
	}
	url_params_free(link);
	buf_release(&chart.marks);
	buf_release(&chart.mark_list);
	return rc;
}

static int web_store_draw(struct web_page *page, const struct stored_catalogue *all, struct err *err)
{
	struct stored_totals totals = { 0 };
	struct web_choice c;
	uint32_t type;
	int rc = web_choice_read(page->options, page->params, all, &c, err);

	if (rc < 0)
		return rc;
	rc = web_store_add_services(page, &c, all, &page->main, err);
	if (rc < 0)
		return rc;
	rc = stored_choice_totals(&c.place, &c.choice, c.step_ns, url_params_get(page->params, "val"), page->stop,
				  &totals, err);
	if (rc == 0) {
		const char *name;

		type = stored_totals_find(&totals, url_params_get(page->params, "val"));
		name = totals.n_types ? totals.type[type].name : "";
		add_choice_form(&c, all, &totals, type, &page->main);
		web_store_add_spans(&c, name, &page->main);
		if (totals.n_types) {
			rc = web_store_add_chart(page, &c, &totals, type, err);
		} else {
			buf_addz(&page->main,
				 "<p>No profile was stored in this time. The first of this service is of ");
			web_chart_add_time(c.service->first_ns, &page->main);
			buf_addz(&page->main, ", the last of ");
			web_chart_add_time(c.service->last_ns, &page->main);
			buf_addz(&page->main, ".</p>\n");
		}
	}
	stored_totals_release(&totals);
	return rc;
}

const char web_store_missing[] = "no store is open; start cpa -http=: store: or cpa -http=: store:SERVICE";

int web_draw_store(struct web_page *page, struct err *err)
{
	const struct stored_place place = { page->options->store, page->options->q };
	struct stored_catalogue all;
	int rc;

	if (!page->options->store)
		return err_set(err, ERR_USAGE, "%s", web_store_missing);
	buf_addz(&page->main, "<h2>Store</h2>\n");
	rc = stored_catalogue_read(&place, &all, err);
	if (rc == 0 && all.n == 0)
		buf_addz(&page->main, "<p>The store is empty. cpa collect and cpa store import fill it.</p>\n");
	else if (rc == 0)
		rc = web_store_draw(page, &all, err);
	stored_catalogue_release(&all);
	return rc;
}
