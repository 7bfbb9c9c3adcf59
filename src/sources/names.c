/*
 * names.c - names of a profile, for completion
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sources/names.h"

#include "sources/read.h"
#include "base/buf.h"
#include "base/mem.h"
#include "engine/query.h"
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool names_is_regular(const char *file)
{
	struct stat st;

	return stat(file, &st) == 0 && S_ISREG(st.st_mode);
}

static struct profile *names_read_file(const char *file)
{
	struct query q;
	struct source_set l = { .source = &file, .n = 1, .kind = "source", .q = &q };
	struct profile *p = NULL;
	struct err err;

	query_init(&q);
	if (source_set_read(&l, &p, &err) < 0)
		p = NULL;
	buf_release(&l.notes);
	buf_release(&l.info);
	query_release(&q);
	return p;
}

static void add_once(struct string_list *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++) {
		size_t n;
		const char *known = string_list_get(list, i, &n);

		if (strlen(name) == n && memcmp(known, name, n) == 0)
			return;
	}
	buf_addz(&list->all, name);
	string_list_end(list);
}

static int compare_function_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Add each name once, sorted. */
static void add_function_names(const struct profile *p, struct string_list *functions)
{
	const char **name = mem_alloc(p->n_funcs, sizeof(*name));

	for (uint32_t i = 0; i < p->n_funcs; i++)
		name[i] = profile_text(p, p->func_name[i]);
	qsort(name, p->n_funcs, sizeof(*name), compare_function_names);
	for (uint32_t i = 0; i < p->n_funcs; i++) {
		if (i > 0 && strcmp(name[i - 1], name[i]) == 0)
			continue;
		buf_addz(&functions->all, name[i]);
		string_list_end(functions);
	}
	free(name);
}

void sources_add_names(const char *const *file, size_t n, struct string_list *types, struct string_list *keys,
		       struct string_list *functions)
{
	struct profile *p = NULL;

	for (size_t i = 0; i < n && !p; i++)
		if (names_is_regular(file[i]))
			p = names_read_file(file[i]);
	for (uint32_t i = 0; p && types && i < p->n_types; i++)
		add_once(types, profile_text(p, p->type[i].name));
	for (uint32_t i = 0; p && keys && i < p->n_labels; i++)
		add_once(keys, profile_text(p, p->label_key[i]));
	if (p && functions)
		add_function_names(p, functions);
	profile_free(p);
}
