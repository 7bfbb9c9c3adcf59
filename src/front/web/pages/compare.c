/*
 * compare.c - the list of open profiles, and the forms that compare, merge, open and close them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/pages/compare.h"
#include "front/web/parts/frame.h"
#include "front/web/parts/sources.h"
#include "front/web/pages/views.h"

#include "base/time.h"
#include "base/unit.h"
#include "base/webpage.h"
#include "engine/view.h"
#include "profile/profile.h"

#include <string.h>
#include <sys/stat.h>

enum { FILES_READ_MAX = 8, FILE_BYTES_READ_MAX = 8 << 20 }; /* the list reads so few files to show their totals */

static const char *origin_word(enum open_origin origin)
{
	static const char *const word[] = {
		[OPEN_COMMAND_LINE] = "command line", [OPEN_FOLDER] = "folder", [OPEN_UPLOAD] = "upload",
		[OPEN_CAPTURE] = "capture",           [OPEN_MERGE] = "merged",  [OPEN_STORE] = "store",
		[OPEN_SOURCE] = "command line"
	};

	return word[origin];
}

void web_compare_add_time(int64_t time_ns, struct buf *out)
{
	if (time_ns)
		time_add_utc(out, time_ns, "<time datetime=\"" TIME_ISO "\">" TIME_SPACED "</time>");
}

/* Append the sum of the default sample type of a profile, with its unit and name. */
static void web_compare_add_total(const struct profile *p, struct buf *out)
{
	struct buf text = { 0 };
	int64_t total = 0;
	uint32_t type;

	if (p->n_types == 0 || view_find_type(p, "", &type, NULL) < 0)
		return;
	for (uint32_t row = 0; row < p->n_rows; row++)
		if (__builtin_add_overflow(total, p->value[type][row], &total))
			return;
	unit_add_label(&text, total, profile_text(p, p->type[type].unit), "auto");
	webpage_add_name(out, buf_text(&text)); /* the unit comes from the profile */
	buf_release(&text);
	buf_addz(out, " ");
	webpage_add_name(out, profile_text(p, p->type[type].name));
}

static bool is_on_side(const struct web_side *side, const struct open_profile *o)
{
	for (size_t i = 0; i < side->n; i++)
		if (side->profile[i] == o)
			return true;
	return false;
}

/* A row of the list: an open profile, or a file of the command line. */
struct compare_row {
	const char *id, *name;
	const struct open_profile *o; /* NULL: a file that was not read yet */
	const char *from, *error;     /* error: why the file cannot be read; "" */
};

static void add_checkbox(const struct web_page *page, enum side side, const struct compare_row *r, struct buf *out)
{
	/* the merged profile is not checked beside its files unless the URL names it */
	bool is_checked = r->o && is_on_side(&page->side[side], r->o) &&
			  (!page->web->sources.n || *url_params_get(page->params, side == SIDE_BASE ? "base" : "prof"));

	buf_addf(out, "<td><input type=\"checkbox\" form=\"compare\" name=\"%s\" value=\"%s\"%s aria-label=\"%s ",
		 side == SIDE_BASE ? "base" : "prof", r->id, is_checked ? " checked" : "",
		 side == SIDE_BASE ? "before:" : "after:");
	webpage_add_name(out, r->name);
	buf_addz(out, "\"></td>");
}

static void compare_add_facts(const struct compare_row *r, struct buf *out)
{
	const struct profile *p = r->o ? r->o->p : NULL;

	buf_addz(out, "<td class=\"text wide\">");
	if (p)
		web_compare_add_time(p->meta.time_ns, out);
	buf_addz(out, "</td><td class=\"wide\">");
	if (p && p->meta.duration_ns > 0)
		unit_add_label(out, p->meta.duration_ns, "ns", "auto");
	buf_addz(out, "</td><td>");
	if (p)
		web_compare_add_total(p, out);
	else
		buf_addz(out, *r->error ? "" : "<span class=\"faint\">not read yet</span>");
	buf_addf(out, "</td><td class=\"text wide\"><code>%s</code></td><td class=\"text wide\">%s</td>", r->id,
		 r->from);
}

static void compare_add_row(const struct web_page *page, const struct compare_row *r, struct buf *out)
{
	buf_addz(out, "<tr>");
	add_checkbox(page, SIDE_BASE, r, out);
	add_checkbox(page, SIDE_NEW, r, out);
	buf_addf(out, "<td class=\"name\"><a href=\"flamegraph?prof=%s\">", r->id);
	web_add_name(out, r->name);
	buf_addz(out, "</a>");
	if (*r->error) {
		buf_addz(out, " <span class=\"error\">");
		web_add_name(out, r->error);
		buf_addz(out, "</span>");
	}
	buf_addz(out, "</td>");
	compare_add_facts(r, out);
	buf_addz(out, "<td>");
	if (r->o && r->o->origin != OPEN_COMMAND_LINE && r->o->origin != OPEN_SOURCE) {
		web_form_start(page->web, "close", out);
		web_form_add_hidden(out, "id", workspace_id(r->o));
		web_form_end(out, "Close");
	}
	buf_addz(out, "</td></tr>\n");
}

static bool compare_file_is_small(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 && st.st_size <= FILE_BYTES_READ_MAX;
}

/* Add a row for each file of the command line. A few small files are read, to show their times and totals. */
static void compare_add_files(const struct web_page *page, struct buf *out)
{
	struct web *w = page->web;

	for (size_t i = 0; i < w->sources.n; i++) {
		const struct web_source *s = &w->sources.item[i];
		struct open_profile *o = web_source_get(w, s);
		struct err err = { 0 };

		if (!o && w->sources.n <= FILES_READ_MAX && compare_file_is_small(s->name) &&
		    web_source_read(w, s, page->stop, &o, &err) < 0)
			o = NULL;
		compare_add_row(page,
				&(struct compare_row){ .id = s->id,
						       .name = s->name,
						       .o = o,
						       .from = s->is_base ? "command line, before" : "command line",
						       .error = err.msg },
				out);
		workspace_put(w->workspace, o);
	}
}

/* Add a row for an open profile, unless it is a file. The merged profile of the command line comes before its files. */
static void compare_add_open(const struct web_page *page, const struct open_profile *o, struct buf *out)
{
	const struct web_sources *files = &page->web->sources;
	bool is_merged = o->origin == OPEN_COMMAND_LINE && files->n + files->n_others > 1;

	if (o->origin == OPEN_SOURCE)
		return;
	compare_add_row(page,
			&(struct compare_row){ .id = workspace_id(o),
					       .name = o->name,
					       .o = o,
					       .from = is_merged ? "all files, merged" : origin_word(o->origin),
					       .error = "" },
			out);
	if (is_merged)
		compare_add_files(page, out);
}

static void web_compare_add_profiles(const struct web_page *page, struct open_profile *const *o, size_t n,
				     struct buf *out)
{
	static const char *const title[] = {
		"before", "after", "name", "time (UTC)", "duration", "total", "id", "from"
	};
	static const char *const class[] = { "",
					     "",
					     " class=\"name\"",
					     " class=\"text wide\"",
					     " class=\"wide\"",
					     "",
					     " class=\"text wide\"",
					     " class=\"text wide\"" };

	buf_addz(out, "<div class=\"scroll\"><table class=\"report\"><thead><tr>");
	for (size_t i = 0; i < sizeof(title) / sizeof(title[0]); i++)
		buf_addf(out, "<th scope=\"col\"%s>%s</th>", class[i], title[i]);
	buf_addz(out, "<td></td></tr></thead>\n<tbody>\n");
	if (page->web->sources.reason.len)
		compare_add_files(page, out);
	for (size_t i = 0; i < n; i++)
		compare_add_open(page, o[i], out);
	buf_addz(out, "</tbody></table></div>\n");
}

static void add_scales(struct buf *out)
{
	static const char *const scale[][2] = { { "", "none" },
						{ "total", "equal totals" },
						{ "duration", "durations" } };

	buf_addz(out, "<label>Scale <select name=\"scale\">");
	for (size_t i = 0; i < sizeof(scale) / sizeof(scale[0]); i++)
		buf_addf(out, "<option value=\"%s\">%s</option>", scale[i][0], scale[i][1]);
	buf_addz(out, "</select></label>\n");
}

static void add_buttons(const struct web_page *page, size_t n, struct buf *out)
{
	bool has_files = page->web->sources.n > 0;

	buf_addz(out,
		 "<form id=\"compare\" method=\"get\" action=\"diff\" class=\"pages\">\n<button>Difference</button>\n"
		 "<button formaction=\"flamegraph\">Flame graph</button>\n"
		 "<button formaction=\"gate\">Gate</button>\n<button formaction=\"trend\">Trend</button>\n");
	add_scales(out);
	buf_addz(out,
		 "</form>\n<p class=\"faint\">Several profiles on a side are added up; the gate reads them as runs of "
		 "the program. Without a profile on the side “before”, the flame graph shows the sum of those on the "
		 "side “after”. The trend is that of the checked profiles of both sides, in the order of time; without "
		 "checked ones, that of all.</p>\n");
	if (n < 2 || has_files) /* the files were merged already */
		return;
	buf_addz(out, "<div class=\"pages\">");
	web_form_start(page->web, "merge", out);
	buf_addf(out, "<button>Merge all %zu</button></form></div>\n", n);
}

static void add_upload(const struct web_page *page, struct buf *out)
{
	buf_addz(out, "<section class=\"drop\"><h2>Drop profiles here, or choose files</h2>\n<form method=\"post\" "
		      "action=\"do/open\" enctype=\"multipart/form-data\" id=\"open\">");
	web_form_add_hidden(out, "token", page->options->token);
	buf_addz(out,
		 "<label>Profiles of this computer: <input type=\"file\" name=\"file\" multiple required></label> "
		 "<button>Open</button></form>\n<p class=\"faint\">Files can be dropped on any page. They are read "
		 "by the server and not stored.</p></section>\n");
}

/* List what can be opened, and the command line that does the same. */
static void add_openable(struct buf *out)
{
	static const char *const source[][3] = {
		{ "one file", "its flame graph", "cpa -http=: cpu.pb.gz" },
		{ "two files", "their difference; the earlier profile is before",
		  "cpa -http=: -base=old.pb.gz new.pb.gz" },
		{ "three to 16 files", "a list from which to compare and merge them, or to see their trend", "" },
		{ "a folder", "its files can be chosen on this page; a page cannot name a folder",
		  "cpa -http=: prof/" },
		{ "a running program", "captured by the server; a page cannot name an address",
		  "cpa -http=: localhost:6060" },
		{ "a store", "a chart on which to choose times", "cpa -http=: store:shop" },
	};

	buf_addz(out, "<h2>What can be opened</h2>\n<p>A file is a profile of pprof, as programs in Go, gperftools and "
		      "cpa write it (profile.proto, compressed or not), or in one of its older formats.</p>\n"
		      "<dl class=\"help\">\n");
	for (size_t i = 0; i < sizeof(source) / sizeof(source[0]); i++)
		buf_addf(out, "<dt>%s</dt><dd>%s%s%s%s</dd>\n", source[i][0], source[i][1],
			 *source[i][2] ? ": <code>" : "", source[i][2], *source[i][2] ? "</code>" : "");
	buf_addz(out, "</dl>\n");
}

int web_draw_open(struct web_page *page, struct err *err)
{
	(void)err;
	add_upload(page, &page->main);
	web_folder_add_all(page, &page->main);
	add_openable(&page->main);
	return 0;
}

/* State why there is no merged profile, and which sources are in it only. */
static void add_files_note(const struct web_sources *s, struct buf *out)
{
	if (s->reason.len) {
		if (s->reason_code == ERR_MEMORY)
			buf_addz(out, "<p>The profile of the command line was not loaded: ");
		else
			buf_addf(out, "<p>The %zu files of the command line were not merged: ", s->n + s->n_others);
		web_add_name(out, buf_text(&s->reason));
		buf_addz(out, ".</p>\n");
	}
	if (s->n > FILES_READ_MAX)
		buf_addf(out,
			 "<p>The command line has %zu files. A file is read when it is opened, and at most %d profiles "
			 "are open at once.</p>\n",
			 s->n, WORKSPACE_PROFILES_MAX);
	if (s->n_others && s->n)
		buf_addf(out,
			 "<p>%zu source%s of the command line, on servers or standard input, %s only in the merged "
			 "profile.</p>\n",
			 s->n_others, s->n_others == 1 ? "" : "s", s->n_others == 1 ? "is" : "are");
}

int web_draw_compare(struct web_page *page, struct err *err)
{
	struct open_profile *o[WORKSPACE_PROFILES_MAX];
	size_t n = workspace_list(page->web->workspace, o);

	(void)err;
	buf_addz(&page->main, "<h2>Open profiles</h2>\n");
	if (page->web->sources.missing.len)
		buf_addf(&page->notes, "Not in the merged profile:\n%s", buf_text(&page->web->sources.missing));
	add_files_note(&page->web->sources, &page->main);
	web_compare_add_profiles(page, o, n, &page->main);
	add_buttons(page, n, &page->main);
	add_upload(page, &page->main);
	web_folder_add_all(page, &page->main);
	for (size_t i = 0; i < n; i++)
		workspace_put(page->web->workspace, o[i]);
	return 0;
}
