/*
 * missing.c - programs and debug files in a build that cannot read them: none can be opened
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/component.h"
#include "symbol/debuginfod.h"
#include "symbol/frames.h"
#include "symbol/kernel.h"
#include "symbol/locate.h"
#include "symbol/object.h"
#include "symbol/prefix_map.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

bool debuginfod_missing(const struct symbol_options *w, struct buf *out)
{
	return false;
}

struct debuginfod *debuginfod_new(struct arena *mem)
{
	return NULL;
}

int debuginfod_source(const struct symbol_options *w, const char *build_id, const char *file, struct arena *mem,
		      const char **path, struct buf *tried)
{
	*path = "";
	return -1;
}

int frames_find(struct object *o, const struct symbol_options *w, const uint64_t *addr, uint32_t n, struct arena *mem,
		struct frames *out, struct buf *tried, struct err *err)
{
	return component_missing("symbols", err);
}

bool kernel_is_name(const char *file)
{
	return false;
}

struct object_map locate_map(const struct profile *p, const struct mapping *m)
{
	return (struct object_map){ 0 };
}

void locate_mappings(struct profile *p, const struct symbol_options *w, struct buf *notes)
{
}

int locate_object(const struct profile *p, const struct mapping *m, const struct symbol_options *w, struct buf *tried,
		  struct object **out, struct err *err)
{
	return component_missing("symbols", err);
}

int object_base(struct object *o, const struct object_map *map, uint64_t address, uint64_t *base, struct err *err)
{
	return component_missing("symbols", err);
}

void object_close(struct object *o)
{
}

int object_debug(struct object *o, const struct symbol_options *w, struct buf *tried, const char **path)
{
	*path = "";
	return -1;
}

bool object_map_contains(const struct object_map *map, uint64_t address)
{
	return false;
}

const char *object_path(const struct object *o)
{
	return "";
}

bool object_symbol_covering(struct object *o, uint64_t addr, struct object_symbol *out)
{
	return false;
}

size_t object_symbols(struct object *o, const struct object_symbol **out)
{
	*out = NULL;
	return 0;
}

void prefix_map_read(struct prefix_map *m, struct object *o, const struct symbol_options *w)
{
}

const char *prefix_map_undo(const struct prefix_map *m, size_t i, const char *file)
{
	return NULL;
}
