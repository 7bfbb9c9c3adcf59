/*
 * save_formats.c - as what a view can be saved, and the lines that do it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/save_formats.h"

#include "base/path.h"
#include "base/str.h"
#include "viewers/shell/option.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

/* The formats of the view's own report. */
static const struct {
	const char *title, *ending, *option;
	enum format format;
} formats[] = {
	{ "text", ".txt", "", FORMAT_TEXT },
	{ "JSON", ".json", "--json", FORMAT_JSON },
	{ "CSV, for spreadsheets", ".csv", "--csv", FORMAT_CSV },
	{ "Markdown, for tickets", ".md", "--markdown", FORMAT_MARKDOWN },
};

static bool has_format(const struct report_type *t, enum format format)
{
	if (format == FORMAT_TEXT)
		return t->view != VIEW_FLAME;
	return t->draw[format] || t->draw_pieces[format];
}

/* Can what a report shows be written by another one, too? One about source or instructions only from such a view. */
static bool can_be_saved_by(const struct report_type *t, const struct report_type *other)
{
	return !reports_takes_pattern(other) || (t->needs & other->needs);
}

int shell_save_formats(const struct pane *p, struct save_format out[SAVE_FORMATS_MAX])
{
	const struct report_type *other;
	int n = 0;

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (has_format(p->type, formats[i].format))
			out[n++] = (struct save_format){ .title = formats[i].title,
							 .ending = formats[i].ending,
							 .option = formats[i].option };
	for (int rank = 1; (other = reports_saved(rank)); rank++) {
		if (!can_be_saved_by(p->type, other))
			continue;
		for (int i = 0; i < REPORT_FILES_MAX && other->file[i].ending; i++) {
			assert(n < SAVE_FORMATS_MAX);
			out[n++] = (struct save_format){ .title = other->file[i].title,
							 .ending = other->file[i].ending,
							 .other = other };
		}
	}
	return n;
}

/* Append what names a profile's file, without the endings that all have. */
static void add_stem(const char *source, struct buf *out)
{
	static const char *const endings[] = { ".gz", ".pb", ".prof", ".pprof", ".profile", ".zst" };
	struct buf base = { 0 };
	size_t before;

	path_add_base(&base, source);
	do {
		before = base.len;
		for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
			size_t n = strlen(endings[i]);

			if (base.len > n && memcmp(base.data + base.len - n, endings[i], n) == 0)
				base.len -= n;
		}
	} while (base.len != before);
	for (size_t i = 0; i < base.len && i < 60; i++) {
		char c = base.data[i];
		bool fine = (unsigned char)c > ' ' && c != 0x7f && !strchr("'\"|>*?[]\\", c);

		buf_add(out, fine ? &c : "_", 1);
	}
	buf_release(&base);
}

/* Letters and digits of an expression, one _ for what lies between them. */
static void add_words(const char *pattern, struct buf *out)
{
	size_t end = out->len + 40;
	bool gap = true;

	for (; *pattern && out->len < end; pattern++) {
		char low = (char)(*pattern | 0x20);
		bool fine = (low >= 'a' && low <= 'z') || (*pattern >= '0' && *pattern <= '9');

		if (fine)
			buf_add(out, pattern, 1);
		else if (!gap)
			buf_addz(out, "_");
		gap = !fine;
	}
	if (out->len && out->data[out->len - 1] == '_')
		out->data[--out->len] = 0;
}

void shell_save_add_name(const struct shell *s, const struct pane *p, const struct save_format *f, struct buf *out)
{
	const struct report_type *t = f->other ? f->other : p->type;
	bool about = reports_takes_pattern(p->type) && p->ask && reports_takes_pattern(t);

	add_stem(s->open.from[SIDE_TARGET].n ? s->open.from[SIDE_TARGET].source[0] : "profile", out);
	if (strcmp(f->ending, ".pb.gz") != 0) /* which is the profile, and no report of it */
		buf_addf(out, "-%s", t->name);
	if (about) {
		buf_addz(out, "-");
		add_words(settings_query(p->ask)->pattern, out);
	}
	buf_addz(out, f->ending);
}

/* Filters that the pane's own line adds, as options of another line. */
static void add_filters(const struct shell *s, const struct pane *p, struct buf *out)
{
	struct option o;
	size_t at = 0;

	while (p->ask && option_next(&at, &o)) {
		struct buf value = { 0 };

		if (o.opt->group == GROUP_FILTER && !option_is_same(&o, p->ask, s->now)) {
			option_add_value(&o, p->ask, &value);
			buf_addf(out, " --%s=", o.name);
			option_add_word(buf_text(&value), out);
		}
		buf_release(&value);
	}
}

void shell_save_add_line(const struct shell *s, const struct pane *p, const struct save_format *f, const char *file,
			 struct buf *out)
{
	const struct report_type *other = f->other;

	if (!other || (other == p->type && other->view != VIEW_TEXT)) {
		buf_addz(out, p->line);
		if (p->type->shell_rows && p->ask && settings_query(p->ask)->nodecount == -1)
			buf_addz(out, " --nodecount=0"); /* the view shows all rows, the line alone would write a few */
	} else {
		buf_addz(out, other->name);
		if (reports_takes_pattern(other) && p->ask) {
			buf_addz(out, " ");
			option_add_word(settings_query(p->ask)->pattern, out);
		}
		add_filters(s, p, out);
	}
	if (f->option && *f->option)
		buf_addf(out, " %s", f->option);
	if (other && other->file[1].ending && !ends_with(file, f->ending))
		buf_addf(out, " --format=%s", f->ending + 1);
	buf_addz(out, " >");
	option_add_word(file, out);
}
