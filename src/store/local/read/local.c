/*
 * local.c - open a store in a directory for reading
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/read/local.h"

#include "base/buf.h"
#include "base/mem.h"
#include "store/local/catalogue/catalogue.h"
#include "store/local/layout.h"
#include "store/local/read/listing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void local_close(struct store *s)
{
	struct local_store *l = local_of(s);

	catalogue_close(l->catalogue);
	close(l->dir);
	buf_release(&s->damage);
	free(l->directory);
	free(l);
}

static const struct store_backend backend = {
	.close = local_close,
	.read = local_read,
	.describe_samples = local_describe_samples,
	.list = local_list,
	.totals = local_totals,
	.each_increase = local_each_increase,
	.each_profile = local_each_profile,
	.each_series = local_each_series,
	.each_mark = local_each_mark,
	.each_pin = local_each_pin,
};

int local_open(const char *directory, struct store **out, struct err *err)
{
	struct local_store s = { .store.backend = &backend,
				 .dir = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	uint8_t uuid[16];
	int rc = 0;

	if (s.dir < 0 && errno == ENOENT)
		return err_set(err, ERR_IO, "there is no store %s; cpa collect and cpa store import make one",
			       directory);
	if (s.dir < 0)
		return err_set(err, ERR_IO, "%s: %s", directory, strerror(errno));
	rc = os_read_header(s.dir, directory, uuid, err);
	if (rc == 0)
		rc = catalogue_open(directory, CATALOGUE_READ, &s.catalogue, err);
	if (rc < 0) {
		close(s.dir);
		return rc;
	}
	s.directory = mem_strndup(directory, strlen(directory));
	*out = mem_alloc(1, sizeof(s));
	memcpy(*out, &s, sizeof(s));
	return 0;
}

struct loss_caller {
	local_loss_fn *fn;
	void *arg;
};

static int call_loss(void *arg, const struct catalogue_loss *l, struct err *err)
{
	const struct loss_caller *c = arg;

	(void)err;
	c->fn(c->arg, &(struct local_loss){ l->ts, l->t0, l->t1, l->tier, l->what,
					    strstr(l->what, " to ") || strcmp(l->what, "by rules") == 0, l->profiles,
					    l->bytes });
	return 0;
}

int local_each_loss(struct store *s, local_loss_fn *fn, void *arg, struct err *err)
{
	struct loss_caller c = { fn, arg };
	int rc = catalogue_read_begin(local_of(s)->catalogue, err);

	if (rc < 0)
		return rc;
	rc = catalogue_each_loss(local_of(s)->catalogue, INT64_MIN, INT64_MAX, call_loss, &c, err);
	catalogue_read_end(local_of(s)->catalogue);
	return rc;
}

/* ---- sizes and numbers of a store ---- */

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
				    .journal_bytes = folder_bytes(local_of(s)->dir, "journal", 0) +
						     folder_bytes(local_of(s)->dir, "spool", 0),
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
