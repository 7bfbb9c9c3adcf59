/*
 * prefix_map.c - undo the prefix maps of compilers in source file names
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/prefix_map.h"

#include "base/buf.h"
#include "symbol/dwarf_handle.h"
#include "symbol/elfutils.h"

#include <assert.h>
#include <string.h>

enum { UNITS_MAX = 20000, PRODUCER_MAX = 64 << 10 };

static void prefix_map_add_pair(struct prefix_map *m, const char *text, size_t n)
{
	const char *equals = memchr(text, '=', n);
	struct prefix_pair pair;

	if (!equals || equals == text || m->n == PREFIX_MAP_MAX)
		return;
	pair.old_name = arena_strndup(m->mem, text, (size_t)(equals - text));
	pair.new_name = arena_strndup(m->mem, equals + 1, n - (size_t)(equals + 1 - text));
	for (size_t i = 0; i < m->n; i++)
		if (strcmp(m->pair[i].old_name, pair.old_name) == 0 && strcmp(m->pair[i].new_name, pair.new_name) == 0)
			return;
	m->pair[m->n++] = pair;
}

/* Add one argument of a command line. */
static void prefix_map_add_word(struct prefix_map *m, const struct buf *word)
{
	static const char *const option[] = { "-ffile-prefix-map=", "-fdebug-prefix-map=", "-fmacro-prefix-map=" };

	for (size_t i = 0; i < sizeof(option) / sizeof(option[0]); i++) {
		size_t n = strlen(option[i]);

		if (word->len > n && memcmp(word->data, option[i], n) == 0)
			prefix_map_add_pair(m, word->data + n, word->len - n);
	}
}

void prefix_map_add(struct prefix_map *m, const char *producer)
{
	struct buf word = { 0 };

	if (!strstr(producer, "-prefix-map=") || strnlen(producer, PRODUCER_MAX) == PRODUCER_MAX)
		return;
	for (const char *s = producer;; s++) {
		if (*s == ' ' || *s == '\0') {
			prefix_map_add_word(m, &word);
			word.len = 0;
		} else {
			s += *s == '\\' && s[1];
			buf_add(&word, s, 1);
		}
		if (*s == '\0')
			break;
	}
	buf_release(&word);
}

static void prefix_map_add_folder(struct prefix_map *m, const char *folder)
{
	if (m->n_folders == PREFIX_MAP_MAX || strnlen(folder, PRODUCER_MAX) == PRODUCER_MAX)
		return;
	for (size_t i = 0; i < m->n_folders; i++)
		if (strcmp(m->folder[i], folder) == 0)
			return;
	m->folder[m->n_folders++] = arena_strndup(m->mem, folder, strlen(folder));
}

static void read_units(struct prefix_map *m, Dwarf *dwarf)
{
	const char *last = NULL, *last_folder = NULL;
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	for (int i = 0; i < UNITS_MAX && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0; i++) {
		Dwarf_Attribute attr;
		const char *producer = dwarf_attr(&die, DW_AT_producer, &attr) ? dwarf_formstring(&attr) : NULL;
		const char *folder;

		if (producer && producer != last) /* units of one compilation share the text */
			prefix_map_add(m, producer);
		last = producer;
		folder = dwarf_attr(&die, DW_AT_comp_dir, &attr) ? dwarf_formstring(&attr) : NULL;
		if (folder && folder != last_folder)
			prefix_map_add_folder(m, folder);
		last_folder = folder;
	}
}

void prefix_map_read(struct prefix_map *m, struct object *o, const struct symbol_options *w)
{
	const char *path;
	struct dwarf_handle h;
	int fd = object_debug(o, w, NULL, &path);

	if (fd < 0 || dwarf_handle_open(&h, fd, object_debug_alt(o, w, NULL), NULL) < 0)
		return;
	read_units(m, h.dwarf);
	dwarf_handle_close(&h);
}

const char *prefix_map_undo(const struct prefix_map *m, size_t i, const char *file)
{
	const struct prefix_pair *pair = &m->pair[i];
	size_t n = strlen(pair->new_name);

	assert(i < m->n);
	if (strncmp(file, pair->new_name, n) != 0)
		return NULL;
	return arena_printf(m->mem, "%s%s", pair->old_name, file + n);
}
