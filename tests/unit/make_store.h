/*
 * make_store.h - a store with segments of given profiles, without its writer, for tests
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_UNIT_MAKE_STORE_H
#define TESTS_UNIT_MAKE_STORE_H

#include "store/local/catalogue/catalogue.h"
#include "store/local/format/segment.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct made_store {
	char dir[64];
	struct catalogue *catalogue;
	unsigned n_segments;
};

static inline void made_store_file(const char *dir, const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
}

static inline void made_store_init(struct made_store *m)
{
	static const char *const folders[] = { "seg", "seg/raw", "seg/raw/2026", "journal", "pin" };
	char path[128];
	struct err err;

	*m = (struct made_store){ .dir = "/tmp/cpa-read-XXXXXX" };
	if (!mkdtemp(m->dir))
		abort();
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		snprintf(path, sizeof(path), "%s/%s", m->dir, folders[i]);
		if (mkdir(path, 0700))
			abort();
	}
	made_store_file(m->dir, "STORE", "cpa store 1\nuuid 000102030405060708090a0b0c0d0e0f\n");
	if (catalogue_open(m->dir, CATALOGUE_CREATE, &m->catalogue, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		abort();
	}
}

static inline void made_store_release(struct made_store *m)
{
	char command[128];

	catalogue_close(m->catalogue);
	snprintf(command, sizeof(command), "rm -rf %s", m->dir);
	if (system(command))
		abort();
}

static inline int made_store_write(void *arg, const void *data, size_t n, struct err *err)
{
	(void)err;
	return fwrite(data, 1, n, arg) == n ? 0 : ERR_IO;
}

/* Write chapters, sorted by service, as a segment, and free them with their builders. */
static inline void made_store_segment(struct made_store *m, struct chapter_builder *const *b, size_t n)
{
	struct catalogue_segment row = { 0 };
	struct segment_info info = { .tier = TIER_RAW, .t0 = 1, .t1 = 2, .made = 3 };
	struct segment_writer *w;
	struct segment *s;
	char path[192];
	struct err err;
	FILE *f;
	int rc, fd;

	snprintf(row.file, sizeof(row.file), "seg/raw/2026/%08u.cps", m->n_segments++);
	snprintf(path, sizeof(path), "%s/%s", m->dir, row.file);
	f = fopen(path, "w");
	w = f ? segment_writer_new(&info, 3, made_store_write, f) : NULL;
	if (!w)
		abort();
	rc = catalogue_begin(m->catalogue, &err);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct chapter *c = NULL;

		rc = chapter_builder_finish(b[i], 3, &c, &err);
		if (rc == 0)
			rc = segment_writer_add(w, c, &err);
		if (rc == 0)
			rc = catalogue_add_series(m->catalogue, c, &err);
		chapter_free(c);
		chapter_builder_free(b[i]);
	}
	if (rc == 0)
		rc = segment_writer_finish(w, &row.crc, &err);
	segment_writer_free(w);
	if (fclose(f))
		abort();
	fd = open(path, O_RDONLY | O_CLOEXEC);
	row.bytes = 4096;
	if (rc == 0)
		rc = segment_open(fd, row.file, &s, &err);
	if (rc == 0) {
		rc = catalogue_add_segment(m->catalogue, &row, s, &err);
		segment_close(s);
	}
	close(fd);
	if (rc == 0)
		rc = catalogue_commit(m->catalogue, &err);
	if (rc) {
		fprintf(stderr, "%s\n", err.msg);
		abort();
	}
}

#endif
