/*
 * fuzz_line.c - any lines for the shells
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stops when a line that fails or requests a report changes the settings, when printed options or completions
 * contain characters unsafe for a terminal, or when a candidate does not complete its line.
 */
#include "config.h"

#include "fuzz.h"

#include "base/utf8.h"
#include "engine/query.h"
#include "session/complete.h"
#include "session/line.h"

#include "tests/unit/make_labels.h"

enum { LONGEST = 2000 };

static struct profile *sample(void)
{
	struct make m = make_start("samples/count cpu/nanoseconds top/count");
	const uint32_t labels[] = { labels_one(&m, "route", "/a b'c", 0, ""), labels_one(&m, "size", NULL, 64, "kb") };

	make_row(&m, "main.run;main.(*T).go;operator new[](int)", (const int64_t[]){ 1, 2, 3 }, labels, 2);
	ROW(&m, "\xff\xfe;a\x1b[2Jb", 1, 2, 3);
	return make_end(&m);
}

static void demand(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static bool is_harmless(const char *s, size_t n)
{
	uint32_t c = 0;

	for (size_t at = 0, len; at < n; at += len) {
		len = utf8_decode(s + at, n - at, &c);
		if (len == 0 || (!utf8_is_safe(c) && c != '\n'))
			return false;
	}
	return true;
}

static void check_options(const struct settings *s)
{
	struct buf out = { 0 };

	settings_add_arguments(s, NULL, &out);
	demand(is_harmless(buf_text(&out), out.len), "printed options are unsafe for a terminal");
	buf_release(&out);
}

static void read_one(const char *text, struct settings *s, const struct profile *p)
{
	struct settings *before = settings_copy(s);
	struct line l = { 0 };
	struct err err = { 0 };
	bool fine = line_read(text, s, p, &l, &err) == 0;

	demand(fine || *err.msg, "a line fails without a message");
	demand((fine && l.kind == LINE_SET) || settings_equal(s, before), "a line that sets nothing changed a setting");
	if (fine && l.kind == LINE_REPORT)
		check_options(l.settings);
	line_release(&l);
	settings_free(before);
	check_options(s);
}

static void complete(const char *text, const struct profile *p)
{
	struct string_list out = { 0 };
	size_t start, n;

	complete_line(text, strlen(text), p, &start, &out);
	demand(start <= strlen(text), "a word begins after its line");
	for (size_t i = 0; i < out.n; i++) {
		const char *candidate = string_list_get(&out, i, &n);

		demand(is_harmless(candidate, n), "a candidate is unsafe for a terminal");
	}
	string_list_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct profile *p = sample();
	char *text = mem_strndup((const char *)data, n < LONGEST ? n : LONGEST), *rest = text, *line;
	struct settings *s;
	struct query q;

	query_init(&q);
	s = settings_new(&q);
	while ((line = strsep(&rest, "\n"))) {
		struct string_list lines = { 0 };

		complete(line, p);
		line_expand(line, p, &lines);
		for (size_t i = 0; i < lines.n; i++) {
			size_t length;
			const char *at = string_list_get(&lines, i, &length);
			char *one = mem_strndup(at, length);

			read_one(one, s, p);
			free(one);
		}
		string_list_release(&lines);
	}
	settings_free(s);
	query_release(&q);
	profile_free(p);
	free(text);
	return 0;
}
