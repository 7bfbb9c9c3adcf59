/*
 * export.c - views as files: /ui/VIEW.EXT
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A view can be written in the formats of its report, and in the file formats of other reports that show the same. The
 * command line writes the same bytes for the same query.
 */
#include "config.h"

#include "front/web/parts/export.h"

#include "front/web/parts/state.h"
#include "front/web/parts/table.h"

#include "answer/draw.h"
#include "report/traces.h"
#include "sources/sources.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES_STEP = 1024, STEM_MAX = 60 };

/* A file that a view can be written to. */
struct export_file {
	const struct report_type *type;
	enum format shape;
	const char *ending, *title;
};

/* Find the next file of a report; *at is 0 for the first one. */
static bool next_file(const struct report_type *t, int *at, struct export_file *out)
{
	for (; *at < N_FORMATS; ++*at) {
		const struct report_format *f = &report_formats[*at];

		if (!reports_has_format(t, (enum format) * at))
			continue;
		*out = (struct export_file){ t, (enum format)(*at)++, f->ending, f->title };
		return true;
	}
	if (*at - N_FORMATS >= REPORT_FILES_MAX || !t->file[*at - N_FORMATS].ending)
		return false;
	*out = (struct export_file){ t, FORMAT_TEXT, t->file[*at - N_FORMATS].ending, t->file[*at - N_FORMATS].title };
	++*at;
	return true;
}

/* The report with this number that writes files of a view: 0 is its own one, unless the view has a function for its
   files; NULL after the last. */
static const struct report_type *report_of(const struct web_view *view, int i)
{
	const char *name = i == 0 ? view->report : i <= WEB_VIEW_FILES_MAX ? view->files[i - 1] : NULL;

	assert(!name || reports_get(name)->input <= INPUT_SIDES);
	return name ? reports_get(name) : NULL;
}

static bool web_export_find_file(const struct web_view *view, const char *ext, struct export_file *out)
{
	for (int i = !view->report || view->send; report_of(view, i); i++)
		for (int at = 0; next_file(report_of(view, i), &at, out);)
			if (strcmp(out->ending + 1, ext) == 0)
				return true;
	return false;
}

bool web_export_has(const struct web_view *view, const char *ext)
{
	struct export_file f;

	return web_export_find_file(view, ext, &f);
}

/* The type of a file. Scripts of an HTML file do not run here: it is saved, and has its own policy. */
static const char *type_of(const char *ending)
{
	static const char *const type[][2] = {
		{ ".txt", "text/plain; charset=utf-8" },
		{ ".json", "application/json" },
		{ ".csv", "text/csv; charset=utf-8" },
		{ ".md", "text/markdown; charset=utf-8" },
		{ ".svg", "image/svg+xml" },
		{ ".pdf", "application/pdf" },
		{ ".png", "image/png" },
		{ ".html", "text/html; charset=utf-8" },
		{ ".folded", "text/plain; charset=utf-8" },
		{ ".dot", "text/vnd.graphviz; charset=utf-8" },
		{ ".pb.gz", "application/vnd.google.protobuf+gzip" },
	};

	for (size_t i = 0; i < sizeof(type) / sizeof(type[0]); i++)
		if (strcmp(type[i][0], ending) == 0)
			return type[i][1];
	return "application/octet-stream";
}

/* Append a file name: the profile, the view and the ending, of letters, digits and -._ only. */
static void web_export_add_file_name(const struct web_page *page, struct buf *out)
{
	const char *slash = strrchr(page->open->name, '/'), *name = slash ? slash + 1 : page->open->name;
	size_t n = sources_stem(name, strcspn(name, "?#")), start = out->len;

	for (size_t i = 0; i < n && i < STEM_MAX; i++) {
		bool is_plain = (name[i] >= '0' && name[i] <= '9') ||
				((name[i] | 32) >= 'a' && (name[i] | 32) <= 'z') || (i > 0 && strchr("-._", name[i]));

		buf_fill(out, is_plain ? name[i] : '_', 1);
	}
	buf_addf(out, "%s-%s.%s", out->len == start ? "profile" : "", page->view->path, page->ext);
}

void web_export_add_name(const struct web_page *page, struct http_response *out)
{
	struct buf value = { 0 };

	buf_addz(&value, "attachment; filename=\"");
	web_export_add_file_name(page, &value);
	buf_addz(&value, "\"");
	http_response_add(out, "Content-Disposition", buf_text(&value));
	buf_release(&value);
}

/* Append a report that is drawn in pieces, as long as it fits into a response. */
static int add_pieces(const struct answer *a, struct stop *stop, struct buf *out, struct err *err)
{
	uint32_t n = a->report.traces->n, lo = 0;
	void *drawing = a->pieces->start(&a->report);
	int rc = 0;

	do {
		uint32_t hi = n - lo > SAMPLES_STEP ? lo + SAMPLES_STEP : n;

		a->pieces->draw(drawing, lo, hi, out);
		lo = hi;
		rc = out->len > WEB_RESPONSE_MAX ? ERR_LIMIT : stop_check(stop, err);
	} while (rc == 0 && lo < n);
	a->pieces->end(drawing);
	return rc;
}

/* Make a report of the profiles before and after. */
static int make_of_sides(struct web_page *page, const struct report_type *t, struct query *q, struct err *err)
{
	const struct open_profile *o[N_SIDES] = { [SIDE_BASE] = page->base, [SIDE_NEW] = page->open };
	const struct profile *p[N_SIDES];
	struct side_sources from[N_SIDES];

	if (!page->base)
		return err_set(err, ERR_USAGE, "there is no profile to compare with; add base=ID to the address");
	for (int side = 0; side < N_SIDES; side++) {
		p[side] = o[side]->p;
		from[side] = o[side]->loaded.from[SIDE_NEW];
	}
	q->normalize = web_scale(page);
	return answer_compare(p, t, q, from, false, &page->answer, err);
}

/* Make the answer that the command line writes to the file. */
static int web_export_make(struct web_page *page, const struct export_file *f, struct err *err)
{
	const struct open_profile *o = page->difference ? page->difference : page->open;
	struct query q = page->q;
	int rc;

	q.shape = f->shape;
	q.output = q.format = "";
	if (f->type->needs & NEEDS_SOURCE && !*q.pattern)
		q.pattern = "."; /* all functions, as on the page */
	rc = answer_check(f->type, &q, err);
	if (rc < 0)
		return rc;
	if (f->type->input == INPUT_SIDES)
		return make_of_sides(page, f->type, &q, err);
	rc = answer_make(page->p, f->type, &q, o->loaded.from, false, &page->answer, err);
	return rc == ERR_USAGE && web_page_widen(page) ? web_export_make(page, f, err) : rc;
}

int web_export(struct web_page *page, const char *ext, struct http_response *out, struct err *err)
{
	struct buf body = { 0 };
	struct export_file f;
	bool is_found = web_export_find_file(page->view, ext, &f);
	int rc;

	assert(is_found);
	rc = web_export_make(page, &f, err);
	if (rc == 0 && page->answer.pieces)
		rc = add_pieces(&page->answer, page->stop, &body, err);
	else if (rc == 0)
		answer_add_text(&page->answer, &body);
	if (rc == ERR_LIMIT || body.len > WEB_RESPONSE_MAX)
		rc = err_set(err, ERR_LIMIT, "the file is larger than %d MiB; use the command line to write it",
			     WEB_RESPONSE_MAX >> 20);
	if (rc < 0) {
		buf_release(&body);
		return rc;
	}
	out->type = type_of(f.ending);
	out->body = body;
	return 0;
}

/* Append a link to a file: an entry of a menu, or one of a row of links. */
static void add_file_link(const struct web_page *page, const char *ext, const char *title, bool is_entry,
			  struct buf *out)
{
	struct buf path = { 0 };

	buf_addf(&path, "%s.%s", page->view->path, ext);
	buf_addf(out, "%s<a class=\"file\" download title=\"%s\" href=\"", is_entry ? "<li>" : "", title);
	web_link_end(web_link_start(page), buf_text(&path), out);
	if (is_entry)
		buf_addf(out, "\">%s <span class=\"faint\">.%s</span></a></li>\n", title, ext);
	else
		buf_addf(out, "\">%s</a>\n", ext);
	buf_release(&path);
}

void web_export_add_links(const struct web_page *page, bool are_entries, struct buf *out)
{
	struct export_file f;

	for (const char *ext = page->view->sends; ext && *ext; ext += strcspn(ext, " ")) {
		char word[8] = "";

		ext += strspn(ext, " ");
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(ext, " "), ext);
		add_file_link(page, word, page->view->title, are_entries, out);
	}
	for (int i = !page->view->report || page->view->send; report_of(page->view, i); i++)
		for (int at = 0; next_file(report_of(page->view, i), &at, &f);)
			add_file_link(page, f.ending + 1, f.title, are_entries, out);
}

int web_download(struct web_page *page, const char *ext, struct http_response *out, struct err *err)
{
	const struct open_profile *o = page->difference ? page->difference : page->open;
	struct query q;
	int rc;

	assert(!*ext);
	query_init(&q);
	q.stop = page->stop;
	q.keep_default_type = true;
	rc = answer_make(page->p, reports_get("proto"), &q, o->loaded.from, false, &page->answer, err);
	query_release(&q);
	if (rc < 0)
		return rc;
	http_response_add(out, "Content-Disposition", "attachment;filename=profile.pb.gz");
	out->type = type_of(".pb.gz");
	answer_add_text(&page->answer, &out->body);
	return 0;
}
