/*
 * object.c - a program or library, opened
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/object_int.h"

#include "base/mem.h"

#include <string.h>

struct object *object_adopt(const struct object_file *f)
{
	struct arena *mem = arena_new();
	struct object *o = arena_zalloc(mem, 1, sizeof(*o));
	size_t n = 0;

	o->mem = mem;
	o->file = *f;
	o->mini.fd = o->debug.fd = o->alt.fd = -1;
	gelf_getehdr(f->elf, &o->ehdr);
	elf_getphdrnum(f->elf, &n);
	o->phdr = arena_alloc(mem, n ? n : 1, sizeof(*o->phdr));
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(f->elf, (int)i, &o->phdr[o->n_phdr]))
			o->n_phdr++;
	return o;
}

int object_open(const char *path, struct object **out, struct err *err)
{
	struct object_file f;
	int rc = object_file_open(path, &f, err);

	if (rc < 0)
		return rc;
	*out = object_adopt(&f);
	return 0;
}

void object_close(struct object *o)
{
	if (!o)
		return;
	object_file_close(&o->alt);
	object_file_close(&o->debug);
	object_file_close(&o->mini);
	object_file_close(&o->file);
	arena_free(o->mem);
}

const char *object_path(const struct object *o)
{
	return o->file.path;
}

const char *object_build_id(const struct object *o)
{
	return o->file.build_id;
}

int object_fd(const struct object *o)
{
	return o->file.fd;
}
