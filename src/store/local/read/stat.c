/*
 * stat.c - sizes and numbers of a store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/buf.h"
#include "store/local/catalogue/catalogue.h"
#include "store/local/read/local.h"
#include "store/local/read/listing.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Add the allocated bytes of the files of a folder, and of the folders in it. */
static uint64_t folder_bytes(int parent, const char *name, int depth)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	uint64_t bytes = 0;
	struct dirent *e;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while ((e = readdir(dir))) {
		struct stat st;

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
		    fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		bytes += (uint64_t)st.st_blocks * 512;
		if (S_ISDIR(st.st_mode) && depth > 0)
			bytes += folder_bytes(fd, e->d_name, depth - 1);
	}
	closedir(dir);
	return bytes;
}

static uint64_t stat_file_bytes(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, 0) == 0 ? (uint64_t)st.st_blocks * 512 : 0;
}

/* Profiles of journals, and bytes of dictionaries and blocks of segments. */
static int add_content(struct store *s, struct store_stat *out, struct err *err)
{
	struct store_query q = { .t0 = INT64_MIN, .t1 = INT64_MAX, .partial = true };
	struct selection sel;
	int rc = select_open(s, &q, &sel, err);

	for (size_t i = 0; rc == 0 && i < sel.n; i++)
		rc = select_add_stat(&sel.chapter[i], out, err);
	if (rc >= 0)
		select_close(&sel);
	return rc;
}

int local_get_stat(struct store *s, struct store_stat *out, struct err *err)
{
	struct catalogue_stat c;
	int64_t cap = 0;
	int rc = catalogue_read_begin(local_of(s)->catalogue, err);

	if (rc < 0)
		return rc;
	rc = catalogue_get_stat(local_of(s)->catalogue, &c, err);
	if (rc >= 0)
		rc = catalogue_get_number(local_of(s)->catalogue, "cap", &cap, err);
	catalogue_read_end(local_of(s)->catalogue);
	if (rc < 0)
		return rc;
	*out = (struct store_stat){ .cap = (uint64_t)cap,
				    .pin_bytes = folder_bytes(local_of(s)->dir, "pin", 0),
				    .journal_bytes = folder_bytes(local_of(s)->dir, "journal", 0),
				    .bad_bytes = folder_bytes(local_of(s)->dir, "bad", 1),
				    .index_bytes = stat_file_bytes(local_of(s)->dir, "index.db") +
						   stat_file_bytes(local_of(s)->dir, "index.db-wal") +
						   stat_file_bytes(local_of(s)->dir, "index.db-shm"),
				    .used = folder_bytes(local_of(s)->dir, ".", 5),
				    .segments = (uint32_t)c.segments,
				    .services = (uint32_t)c.services,
				    .first_ns = c.first,
				    .last_ns = c.last };
	memcpy(out->bytes, c.bytes, sizeof(out->bytes));
	memcpy(out->profiles, c.profiles, sizeof(out->profiles));
	return add_content(s, out, err);
}
