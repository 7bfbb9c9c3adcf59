/*
 * edit.c - a file in the user's editor
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/shell/edit.h"

#include "base/buf.h"
#include "base/child.h"
#include "base/mem.h"
#include "base/path.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 30 };

/* Editors that take FILE:LINE; all others know +LINE FILE, as vi does. */
static const struct {
	const char *name, *flag;
} colon[] = {
	{ "code", "--goto" }, { "codium", "--goto" }, { "helix", NULL },
	{ "hx", NULL },       { "subl", NULL },       { "zed", NULL },
};

static const char *command(void)
{
	static const char *const name[] = { "VISUAL", "EDITOR" };

	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		const char *value = getenv(name[i]);

		if (value && value[strspn(value, " ")])
			return value;
	}
	return "vi";
}

/* Append file and line in the way of an editor to its words. */
static size_t add_place(const char **argv, size_t n, const char *path, int64_t line, struct buf *place)
{
	struct buf editor = { 0 };
	size_t i = 0, n_colon = sizeof(colon) / sizeof(colon[0]);

	path_add_base(&editor, argv[0]);
	while (i < n_colon && strcmp(buf_text(&editor), colon[i].name) != 0)
		i++;
	buf_release(&editor);
	if (i == n_colon) {
		buf_addf(place, "+%" PRId64, line);
		argv[n++] = place->data;
		argv[n++] = path;
		return n;
	}
	if (colon[i].flag)
		argv[n++] = colon[i].flag;
	buf_addf(place, "%s:%" PRId64, path, line);
	argv[n++] = place->data;
	return n;
}

int cmd_shell_edit(const char *path, int64_t line, struct err *err)
{
	const char *value = command(), *argv[WORDS_MAX + 3];
	char *words = mem_strndup(value, strlen(value)), *rest = words, *word;
	struct buf place = { 0 }, file = { 0 };
	size_t n = 0;
	int rc;

	while ((word = strsep(&rest, " ")))
		if (*word && n < WORDS_MAX)
			argv[n++] = word;
	buf_addf(&file, "%s%s", *path == '/' ? "" : "./", path); /* no option, whatever it is called */
	n = add_place(argv, n, file.data, line > 0 ? line : 1, &place);
	argv[n] = NULL;
	rc = child_talk(argv, err);
	buf_release(&place);
	buf_release(&file);
	free(words);
	return rc;
}
