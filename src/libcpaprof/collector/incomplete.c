/*
 * incomplete.c - the reason why stacks of a process are incomplete
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/incomplete.h"

#include "libcpaprof/collector/collect_int.h"

#include <stdio.h>
#include <string.h>

enum { ENDS_MAX = 4096 };

void incomplete_count(struct process *p, uint64_t pc)
{
	uint32_t map = maps_find(&p->maps, pc);
	struct stack_end *end = p->ends.data;

	for (size_t i = 0; i < p->ends.n; i++)
		if (end[i].map == map) {
			end[i].n++;
			return;
		}
	vec_add(&p->ends, &(struct stack_end){ map, 1 }, 1, sizeof(*end), ENDS_MAX);
}

static bool incomplete_is_file(const struct maps *m, const struct map *map)
{
	const char *path = (const char *)m->texts.data + map->path;

	return *path == '/' && strncmp(path, "//anon", 6) != 0 && strncmp(path, "/memfd:", 7) != 0;
}

static void incomplete_copy_name(const struct maps *m, const struct map *map, char out[INCOMPLETE_FILE_MAX])
{
	const char *path = (const char *)m->texts.data + map->path;
	size_t at = map->n_path;

	while (at > 0 && path[at - 1] != '/')
		at--;
	snprintf(out, INCOMPLETE_FILE_MAX, "%.*s", (int)(map->n_path - at), path + at);
}

void incomplete_get(const struct process *p, struct incomplete *out)
{
	const struct stack_end *end = p->ends.data, *most = NULL;
	const struct map *map = p->maps.map.data;

	*out = (struct incomplete){ .n_complete = p->cut[UNWIND_ROOT], .has_generated_code = p->has_generated_code };
	for (int i = 0; i < N_CUTS; i++) {
		out->n += p->cut[i];
		if (i != UNWIND_ROOT && p->cut[i] > out->n_reason) {
			out->n_reason = p->cut[i];
			out->reason = (enum unwind_end)i;
		}
	}
	for (size_t i = 0; i < p->maps.map.n && !*out->program; i++)
		if (incomplete_is_file(&p->maps, &map[i]))
			incomplete_copy_name(&p->maps, &map[i], out->program);
	for (size_t i = 0; i < p->ends.n; i++)
		if (!most || end[i].n > most->n)
			most = &end[i];
	if (!most)
		return;
	out->n_file = most->n;
	if (most->map && incomplete_is_file(&p->maps, &map[most->map - 1]))
		incomplete_copy_name(&p->maps, &map[most->map - 1], out->file);
}
