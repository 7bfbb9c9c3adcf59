/*
 * complete_names.c - candidates from the profile and the file system
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "session/complete_int.h"

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "base/utf8.h"
#include "session/line.h"
#include "session/settings.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Append a name as an expression that matches it. Special characters are escaped, control characters and quotes are
   written as numbers, and a byte that is not UTF-8 becomes a dot, which matches any character. */
static void complete_names_add_escaped(const char *s, size_t n, struct buf *out)
{
	for (size_t i = 0, len; i < n; i += len) {
		uint32_t c = 0;

		len = utf8_decode(s + i, n - i, &c);
		if (len == 0) {
			buf_addz(out, ".");
			len = 1;
		} else if (c == '\'' || c == '"' || !utf8_is_safe(c) || c == '\t') {
			buf_addf(out, "\\x{%x}", (unsigned)c);
		} else {
			if (len == 1 && strchr("\\.+*?()|[]{}^$", s[i]))
				buf_addz(out, "\\");
			buf_add(out, s + i, len);
		}
	}
}

static void complete_names_add_candidate(struct candidates *c, const struct buf *text)
{
	const char *quote = line_splits(buf_text(text)) ? "'" : "";

	buf_addf(&c->found.all, "%s%s%s%s", c->prefix, quote, buf_text(text), quote);
	string_list_end(&c->found);
}

void complete_add_name(struct candidates *c, const char *name, const char *end)
{
	if (!starts_with(name, c->word))
		return;
	buf_addf(&c->found.all, "%s%s%s", c->prefix, name, end);
	string_list_end(&c->found);
}

/* The text that a partly typed expression should find: without anchor and backslashes. */
static char *literal_of(const char *word, bool *anchored)
{
	struct buf out = { 0 };

	*anchored = *word == '^';
	buf_addz(&out, "");
	for (word += *anchored; *word; word++) {
		word += *word == '\\' && word[1];
		buf_add(&out, word, 1);
	}
	return out.data;
}

/* Add the functions whose name contains the literal, at its start or anywhere. Return whether there were any. */
static bool complete_names_add_functions(struct candidates *c, const char *literal, bool at_start)
{
	const struct profile *p = c->p;
	size_t n = strlen(literal);
	bool any = false;

	for (uint32_t i = 0; i < p->n_funcs; i++) {
		const char *name = profile_text(p, p->func_name[i]);
		struct buf text = { 0 };

		if (!*name || (at_start ? strncmp(name, literal, n) != 0 : !strstr(name, literal)))
			continue;
		buf_addz(&text, "^");
		complete_names_add_escaped(name, strtab_len(p->str, p->func_name[i]), &text);
		buf_addz(&text, "$");
		complete_names_add_candidate(c, &text);
		buf_release(&text);
		any = true;
	}
	return any;
}

void complete_functions(struct candidates *c)
{
	bool anchored;
	char *literal = literal_of(c->word, &anchored);

	if (!complete_names_add_functions(c, literal, true) && !anchored)
		complete_names_add_functions(c, literal, false);
	free(literal);
}

/* Would the prompt misread a name: as a redirection, an option, a pipe or a quoted word? */
static bool is_ambiguous(const char *name)
{
	return *name == '>' || *name == '-' || *name == '|' || strpbrk(name, "'\"");
}

void complete_keys(struct candidates *c, const char *end)
{
	for (uint32_t i = 0; i < c->p->n_labels; i++) {
		const char *key = profile_text(c->p, c->p->label_key[i]);
		struct buf text = { 0 };

		if (!starts_with(key, c->word) || strpbrk(key, "=,") || is_ambiguous(key) ||
		    (*c->prefix == '-' && settings_is_known(key)))
			continue;
		utf8_add_safe(&text, key, strlen(key));
		if (strcmp(buf_text(&text), key) == 0) { /* skip what cannot be typed */
			buf_addz(&text, end);
			complete_names_add_candidate(c, &text);
		}
		buf_release(&text);
	}
}

static void complete_names_add_values(struct candidates *c, const char *key, size_t n, const char *value)
{
	const struct profile *p = c->p;
	bool anchored;
	char *literal = literal_of(value, &anchored);

	for (uint32_t i = 0; i < p->n_labels; i++) {
		const char *text = profile_text(p, p->label_text[i]), *name = profile_text(p, p->label_key[i]);
		struct buf out = { 0 };

		if (!p->label_is_text[i] || strlen(name) != n || memcmp(name, key, n) != 0 ||
		    !starts_with(text, literal) || strchr(text, ','))
			continue;
		buf_add(&out, key, n);
		buf_addz(&out, "=^");
		complete_names_add_escaped(text, strtab_len(p->str, p->label_text[i]), &out);
		buf_addz(&out, "$");
		complete_names_add_candidate(c, &out);
		buf_release(&out);
	}
	free(literal);
}

void complete_labels(struct candidates *c)
{
	const char *equals = strchr(c->word, '=');

	if (equals)
		complete_names_add_values(c, c->word, (size_t)(equals - c->word), equals + 1);
	else
		complete_keys(c, "=");
}

void complete_types(struct candidates *c, const char *prefix)
{
	for (uint32_t t = 0; t < c->p->n_types; t++) {
		const char *type = profile_text(c->p, c->p->type[t].name);
		struct buf name = { 0 }, safe = { 0 };

		buf_addf(&name, "%s%s", prefix, type);
		utf8_add_safe(&safe, name.data, name.len);
		if (strcmp(buf_text(&safe), name.data) == 0) /* skip what cannot be typed */
			complete_add_name(c, name.data, "");
		buf_release(&name);
		buf_release(&safe);
	}
}

static void complete_names_add_file(struct candidates *c, const char *folder, const char *name)
{
	struct buf path = { 0 }, safe = { 0 };
	struct stat st;

	buf_addf(&path, "%s%s", folder, name);
	utf8_add_safe(&safe, path.data, path.len);
	if (strcmp(buf_text(&safe), path.data) == 0 && !strpbrk(path.data, "'\"")) {
		if (stat(path.data, &st) == 0 && S_ISDIR(st.st_mode))
			buf_addz(&path, "/");
		complete_names_add_candidate(c, &path);
	}
	buf_release(&path);
	buf_release(&safe);
}

void complete_files(struct candidates *c)
{
	const char *begin = path_base(c->word);
	char *folder = mem_strndup(c->word, (size_t)(begin - c->word));
	DIR *dir = opendir(*folder ? folder : ".");
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (starts_with(entry->d_name, begin) && (*begin || *entry->d_name != '.') &&
		    strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			complete_names_add_file(c, folder, entry->d_name);
	if (dir)
		closedir(dir);
	free(folder);
}
