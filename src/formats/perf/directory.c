/*
 * directory.c - a recording in a directory, as perf record --threads writes it
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The file data is a recording with the records that perf itself made. The files data.0, data.1 and so on have only
 * records, each file those of a thread of perf; if they are compressed, each file is a stream of its own. All files
 * are passed to the reader as one block of memory: 8 magic bytes, the number of files and the size of each one, as u64 of
 * this machine, then the bytes of the files.
 */
#include "config.h"

#include "base/buf.h"
#include "base/mem.h"
#include "formats/perf/perf.h"
#include "formats/perf/perf_int.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 1 << 16, MAGIC_BYTES = 8, WORD = 8 };
static const char directory_magic[] = "PERF.DIR";

/* The number of files of a directory: data, and one more than the largest N of data.N. 0: it is no recording. */
static size_t directory_count(const char *path)
{
	DIR *dir = opendir(path);
	bool has_data = false;
	struct dirent *e;
	size_t n = 1;

	while (dir && (e = readdir(dir))) {
		unsigned long i;
		char end;

		has_data |= strcmp(e->d_name, "data") == 0;
		if (sscanf(e->d_name, "data.%5lu%c", &i, &end) == 1 && i < FILES_MAX && i + 2 > n)
			n = i + 2;
	}
	if (dir)
		closedir(dir);
	return has_data ? n : 0;
}

static void directory_name(const char *path, size_t i, struct buf *out)
{
	out->len = 0;
	buf_addf(out, "%s/data", path);
	if (i)
		buf_addf(out, ".%zu", i - 1);
}

/* Map or read file i. */
static int directory_open(const char *path, size_t i, size_t max, struct bytes *out, struct err *err)
{
	struct buf name = { 0 };
	int rc = 0;

	directory_name(path, i, &name);
	if (!io_map_file(buf_text(&name), 1, max, out))
		rc = io_read_file(buf_text(&name), max, "--max-input", out, err);
	if (rc < 0)
		err_wrap(err, "%s", strrchr(buf_text(&name), '/') + 1);
	buf_release(&name);
	return rc;
}

bool perfdata_directory_is(const char *path)
{
	enum { MAPPED_MAX = 1 << 30 };
	struct bytes first = { 0 };
	bool is_recording = directory_count(path) && directory_open(path, 0, MAPPED_MAX, &first, NULL) == 0 &&
			    perfdata_probe(first.data, first.n) == FORMAT_SURE;

	io_release(&first);
	return is_recording;
}

static int directory_open_all(const char *path, size_t n, uint64_t max, struct bytes *file, uint64_t *size,
			      struct err *err)
{
	uint64_t n_bytes = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		rc = directory_open(path, i, max - n_bytes, &file[i], err);
		size[2 + i] = file[i].n;
		n_bytes += file[i].n;
	}
	return rc;
}

int perfdata_directory_read(const char *path, uint64_t max, struct bytes *out, struct err *err)
{
	size_t n = directory_count(path), n_head = (2 + n) * WORD, at = n_head;
	struct bytes *file = mem_zalloc(n + 1, sizeof(*file));
	uint64_t *head = mem_zalloc(2 + n, WORD);
	int rc = directory_open_all(path, n, max, file, head, err);

	memcpy(head, directory_magic, MAGIC_BYTES);
	head[1] = n;
	for (size_t i = 0; rc == 0 && i < n; i++)
		at += file[i].n;
	if (rc == 0) {
		*out = (struct bytes){ .data = mem_alloc_large(at, 1), .n = at };
		memcpy(out->data, head, at = n_head);
	}
	for (size_t i = 0; i < n; i++) {
		if (rc == 0 && file[i].n) /* else it has no bytes */
			memcpy(out->data + at, file[i].data, file[i].n);
		at += file[i].n;
		io_release(&file[i]);
	}
	free(file);
	free(head);
	return rc;
}

bool perfdata_directory_probe(const uint8_t *data, size_t n)
{
	return n >= 2 * WORD && memcmp(data, directory_magic, MAGIC_BYTES) == 0;
}

int perfdata_directory_split(struct perf_reader *r, struct err *err)
{
	size_t n_head, at, n = 0;

	if (!perfdata_directory_probe(r->data, r->n))
		return 0;
	memcpy(&n, r->data + MAGIC_BYTES, WORD);
	at = n_head = n <= FILES_MAX ? (2 + n) * WORD : SIZE_MAX;
	if (n == 0 || n_head > r->n)
		return err_set(err, ERR_FORMAT, "perf.data: a directory of %zu files", n);
	r->part = mem_zalloc(n, sizeof(*r->part));
	for (size_t i = 0; i < n; i++) {
		uint64_t size;

		memcpy(&size, r->data + (2 + i) * WORD, WORD);
		if (size > r->n - at)
			return err_set(err, ERR_FORMAT, "perf.data: the directory ends before its file %zu", i);
		r->part[i] = (struct perf_part){ r->data + at, (size_t)size };
		at += (size_t)size;
	}
	r->n_parts = n - 1;
	r->n = r->part[0].n;
	r->data = r->part[0].data;
	return 0;
}
