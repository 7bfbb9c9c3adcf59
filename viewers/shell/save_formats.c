/*
 * save_formats.c - as what a view can be saved, and the lines that do it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/save_formats.h"

#include "base/path.h"
#include "viewers/shell/option.h"

#include <stdbool.h>
#include <string.h>

static const struct save_format formats[] = {
	{ "text", ".txt", "", NULL },
	{ "JSON", ".json", "--json", NULL },
	{ "CSV, for spreadsheets", ".csv", "--csv", NULL },
	{ "Markdown, for tickets", ".md", "--markdown", NULL },
	{ "web page of source and assembly", ".html", NULL, "weblist" },
	{ "flame graph, SVG", ".svg", NULL, "flame" },
	{ "flame graph, PDF", ".pdf", NULL, "flame" },
	{ "flame graph, PNG", ".png", NULL, "flame" },
	{ "flame graph, web page", ".html", NULL, "flame" },
	{ "folded stacks", ".folded", NULL, "folded" },
	{ "profile, for pprof", ".pb.gz", NULL, "proto" },
};

static bool is_table(enum query_report report)
{
	return report == REPORT_TOP || report == REPORT_TREE || report == REPORT_PEEK || report == REPORT_TAGS ||
	       report == REPORT_LIST || report == REPORT_DISASM || report == REPORT_COMMENTS || report == REPORT_TRACES;
}

static bool makes_sense(const struct save_format *f, enum query_report report)
{
	if (f->command)
		return strcmp(f->command, "weblist") != 0 || report == REPORT_LIST || report == REPORT_DISASM;
	if (report == REPORT_FLAME)
		return false;
	if (strcmp(f->option, "--markdown") == 0 && report == REPORT_TRACES) /* they are no table */
		return false;
	return !*f->option || is_table(report);
}

int shell_save_formats(const struct pane *p, const struct save_format *out[SAVE_FORMATS_MAX])
{
	int n = 0;

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (makes_sense(&formats[i], p->command->report))
			out[n++] = &formats[i];
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
	const char *command = f->command ? f->command : p->command->name;
	bool about = p->command->takes_pattern && p->ask && (!f->command || strcmp(f->command, "weblist") == 0);

	add_stem(s->open.n_sources ? s->open.sources[0] : "profile", out);
	if (!f->command || strcmp(f->command, "proto") != 0)
		buf_addf(out, "-%s", command);
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

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), k = strlen(end);

	return n >= k && strcmp(text + n - k, end) == 0;
}

void shell_save_add_line(const struct shell *s, const struct pane *p, const struct save_format *f, const char *file,
			 struct buf *out)
{
	bool same = !f->command || (strcmp(f->command, "flame") == 0 && p->command->report == REPORT_FLAME);

	if (same) {
		buf_addz(out, p->line);
		if (p->command->report == REPORT_TOP && p->ask && settings_query(p->ask)->nodecount == -1)
			buf_addz(out, " --nodecount=0"); /* the view shows all rows, the line alone would write ten */
	} else {
		buf_addz(out, f->command);
		if (strcmp(f->command, "weblist") == 0 && p->ask) {
			buf_addz(out, " ");
			option_add_word(settings_query(p->ask)->pattern, out);
		}
		add_filters(s, p, out);
	}
	if (f->option && *f->option)
		buf_addf(out, " %s", f->option);
	if (f->command && strcmp(f->command, "flame") == 0 && !ends_with(file, f->ending))
		buf_addf(out, " --format=%s", f->ending + 1);
	buf_addz(out, " >");
	option_add_word(file, out);
}
