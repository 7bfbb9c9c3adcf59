/*
 * row_links.c - links from a row to other views of its function
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * An expression selects the function. A link to a view that takes an expression must keep the filter f of this page, so
 * the expression is then passed as arg; without a filter it is passed as f, as in pprof's links.
 *
 * A page has up to nine links for each of its rows, which differ only in the expression. So what precedes and follows it
 * is made once.
 */
#include "config.h"

#include "front/web/parts/table.h"

#include "base/mem.h"
#include "base/url_escape.h"
#include "base/utf8.h"
#include "base/webpage.h"
#include "session/expression.h"

#include <stdlib.h>
#include <string.h>

enum link_kind {
	LINK_ABOUT,  /* the expression is the argument of the view */
	LINK_PIVOT,  /* the flame graph at the function */
	LINK_FILTER, /* the expression is a filter of this view */
	LINK_ADD,    /* the expression is added to a filter of this view */
};

static const struct {
	enum link_kind kind;
	const char *path, *param; /* NULL: this view; the argument */
	const char *key;          /* pressed in a row; those of the full screen */
	const char *title;
} links[] = {
	{ LINK_PIVOT, "flamegraph", "p", "g", "Flame graph" },
	{ LINK_ABOUT, "peek", NULL, "p", "Callers and callees" },
	{ LINK_ABOUT, "source", NULL, "e", "Source" },
	{ LINK_ABOUT, "disasm", NULL, "a", "Instructions" },
	{ LINK_FILTER, NULL, "f", "f", "Focus: keep only stacks with it" },
	{ LINK_ADD, NULL, "i", "x", "Ignore: remove stacks with it" },
	{ LINK_ADD, NULL, "h", "H", "Hide: charge its cost to callers" },
	{ LINK_FILTER, NULL, "sf", "F", "Show from: start stacks at it" },
};

enum { N_LINKS = sizeof(links) / sizeof(links[0]), EXPRESSION_NAME_MAX = 1000 };

struct web_row_links {
	const struct web_page *page;
	struct buf before[N_LINKS], after[N_LINKS]; /* of each link: its URL up to the expression, and the rest */
	struct buf expression;                      /* escaped */
	bool is_function;                           /* is the expression for a function, not for a file or a binary? */
};

static bool takes_pattern(const struct web_page *page)
{
	return page->view->flags & WEB_VIEW_TAKES_PATTERN;
}

/* The parameter for the argument of another view. */
static const char *argument_key(const struct web_page *page)
{
	const char *filter = takes_pattern(page) ? url_params_get(page->params, "arg") : page->q.focus;

	return *filter ? "arg" : "f";
}

/* Make the parts of a link that are the same for all rows. */
static void row_links_init(const struct web_page *page, size_t i, struct buf *before, struct buf *after)
{
	const char *path = links[i].path ? links[i].path : page->view->path;
	const char *key = links[i].param ? links[i].param : argument_key(page),
		   *old = url_params_get(page->params, key);
	struct url_params *link = web_link_start(page);
	struct buf value = { 0 }, query[2] = { 0 };

	if (links[i].kind == LINK_ABOUT)
		url_params_remove(link, "arg");
	/* f is also the argument of this view: keep the argument when the filter changes */
	if (links[i].kind == LINK_FILTER && takes_pattern(page) && !*url_params_get(page->params, "arg"))
		url_params_set(link, "arg", url_params_get(page->params, "f"));
	if (links[i].kind == LINK_ADD && *old)
		buf_addf(&value, "%s|", old);
	url_params_set(link, key, buf_text(&value));
	url_params_split_query(link, key, &query[0], &query[1]);
	webpage_add_text(before, path, strlen(path));
	buf_addz(before, "?");
	webpage_add_text(before, buf_text(&query[0]), query[0].len);
	webpage_add_text(after, buf_text(&query[1]), query[1].len);
	buf_release(&query[0]);
	buf_release(&query[1]);
	buf_release(&value);
	url_params_free(link);
}

struct web_row_links *web_row_links_new(const struct web_page *page)
{
	struct web_row_links *l = mem_zalloc(1, sizeof(*l));

	l->page = page;
	for (size_t i = 0; i < N_LINKS; i++)
		row_links_init(page, i, &l->before[i], &l->after[i]);
	return l;
}

void web_row_links_free(struct web_row_links *l)
{
	for (size_t i = 0; i < N_LINKS; i++) {
		buf_release(&l->before[i]);
		buf_release(&l->after[i]);
	}
	buf_release(&l->expression);
	free(l);
}

/* Append an expression for a name. That for a long name matches its beginning, since long URLs are refused. */
static void row_links_add_name(const char *name, struct buf *out)
{
	size_t n = strlen(name);

	if (n <= EXPRESSION_NAME_MAX) {
		expression_add_name(name, "", out);
		return;
	}
	n = EXPRESSION_NAME_MAX;
	while (n && ((unsigned char)name[n] & 0xc0) == 0x80) /* do not split a character */
		n--;
	buf_addz(out, "^");
	expression_add_literal(name, n, "", out);
}

static void row_links_set_expression(struct web_row_links *l, const char *text, size_t n)
{
	struct buf value = { 0 };

	url_escape(text, n, URL_QUERY, &value);
	l->expression.len = 0;
	webpage_add_text(&l->expression, buf_text(&value), value.len);
	buf_release(&value);
}

/* Make the expression of a place. Returns false if the place has no name. */
static bool row_links_set_place(struct web_row_links *l, const struct row_place *place)
{
	struct buf text = { 0 };

	l->is_function = place && *place->function;
	if (!place)
		return false;
	if (*place->function)
		row_links_add_name(place->function, &text);
	else if (*place->file)
		expression_add_file(l->page->p, place->file, "", &text);
	else if (*place->binary)
		expression_add_name(place->binary, "", &text);
	row_links_set_expression(l, buf_text(&text), text.len);
	buf_release(&text);
	return l->expression.len;
}

/* Append the URL of a link for the expression. */
static void row_links_add_url(const struct web_row_links *l, size_t i, struct buf *out)
{
	buf_add(out, l->before[i].data, l->before[i].len);
	buf_add(out, l->expression.data, l->expression.len);
	buf_add(out, l->after[i].data, l->after[i].len);
}

/* Append a name, isolated. */
static void row_links_add_text(const char *text, struct buf *out)
{
	struct buf shortened = { 0 };

	utf8_add_short(&shortened, text, strlen(text), WEB_NAME_MAX);
	web_add_name(out, buf_text(&shortened));
	buf_release(&shortened);
}

/* The link of the name: the flame graph, or for a binary this view with only its samples. */
static size_t name_link(const struct row_place *place)
{
	enum link_kind wanted = *place->function || *place->file ? LINK_PIVOT : LINK_FILTER;
	size_t i = 0;

	while (links[i].kind != wanted)
		i++;
	return i;
}

/* Append a link for the expression. */
static void row_add_link(struct web_row_links *l, size_t i, const char *text, struct buf *out)
{
	buf_addz(out, "<a href=\"");
	row_links_add_url(l, i, out);
	buf_addz(out, "\">");
	row_links_add_text(text, out);
	buf_addz(out, "</a>");
}

void web_row_links_add_name(struct web_row_links *l, const struct row_place *place, const char *text, struct buf *out)
{
	if (row_links_set_place(l, place))
		row_add_link(l, name_link(place), text, out);
	else
		row_links_add_text(text, out);
}

/* Append the menu of all links for the expression. */
static void add_menu(struct web_row_links *l, const char *text, struct buf *out)
{
	buf_addz(out, "<details class=\"menu actions\"><summary aria-label=\"Links of this row\"></summary><ul>");
	buf_addz(out, "<li class=\"faint\">");
	row_links_add_text(text, out);
	buf_addz(out, "</li>");
	for (size_t i = 0; i < N_LINKS; i++) {
		if (links[i].kind == LINK_ABOUT && !l->is_function)
			continue;
		buf_addz(out, "<li><a data-key=\"");
		buf_addz(out, links[i].key);
		buf_addz(out, "\" href=\"");
		row_links_add_url(l, i, out);
		buf_addz(out, "\">");
		buf_addz(out, links[i].title);
		buf_addz(out, "</a></li>");
	}
	buf_addz(out, "</ul></details>");
}

void web_row_links_add_menu(struct web_row_links *l, const struct row_place *place, const char *text, struct buf *out)
{
	if (row_links_set_place(l, place))
		add_menu(l, text, out);
}

void web_row_links_add_matches(struct web_row_links *l, const char *pattern, const char *text, struct buf *out)
{
	const struct row_place function = { .function = text };

	row_links_set_expression(l, pattern, strlen(pattern));
	l->is_function = true;
	buf_addz(out, "<span class=\"end\">");
	row_add_link(l, name_link(&function), text, out);
	buf_addz(out, "</span>");
	add_menu(l, text, out);
}

void web_row_links_add_view(struct web_row_links *l, const struct row_place *place, const char *path, const char *text,
			    struct buf *out)
{
	size_t i = 0;

	while (i < N_LINKS && (links[i].kind != LINK_ABOUT || strcmp(links[i].path, path) != 0))
		i++;
	if (i < N_LINKS && row_links_set_place(l, place))
		row_add_link(l, i, text, out);
	else
		row_links_add_text(text, out);
}

void web_row_links_add_help(struct buf *out)
{
	for (size_t i = 0; i < N_LINKS; i++)
		buf_addf(out, "<dt><kbd>%s</kbd></dt><dd>%s</dd>\n", links[i].key, links[i].title);
}
