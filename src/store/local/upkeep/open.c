/*
 * open.c - opens a store for writing, creates it, closes it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/io.h"
#include "base/mem.h"
#include "base/time.h"
#include "store/local/layout.h"
#include "store/local/os.h"
#include "store/local/upkeep/recover.h"
#include "store/local/upkeep/upkeep.h"
#include "store/local/write/flush.h"
#include "store/local/write/seen.h"
#include "store/local/write/writer.h"
#include "store/local/write/writer_journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RETAIN_RAW_DEFAULT (14 * NS_PER_DAY)

static int store_open_find_group(struct store_writer *w, const char *name, struct err *err)
{
	struct group group, *found = NULL;
	char buffer[16 << 10];

	if (!name || !*name)
		return 0;
	if (getgrnam_r(name, &group, buffer, sizeof(buffer), &found) != 0 || !found)
		return err_set(err, ERR_USAGE, "there is no group %s", name);
	w->gid = group.gr_gid;
	w->dir_mode = 0750;
	w->file_mode = 0640;
	return 0;
}

/* An existing store keeps its group, unless another one is given. */
static void keep_group(struct store_writer *w)
{
	struct stat st;

	if (w->gid != (gid_t)-1 || fstat(w->dir, &st) < 0 || (st.st_mode & 0050) != 0050)
		return;
	w->gid = st.st_gid;
	w->dir_mode = 0750;
	w->file_mode = 0640;
}

/* The index is the first file of a store that is created, and STORE the last one. */
static const char *const index_files[] = { "index.db", "index.db-journal", "index.db-wal", "index.db-shm" };
enum { N_INDEX_FILES = sizeof(index_files) / sizeof(*index_files) };

static int set_modes(struct store_writer *w, struct err *err)
{
	if (fchmod(w->dir, w->dir_mode) < 0 || (w->gid != (gid_t)-1 && fchown(w->dir, (uid_t)-1, w->gid) < 0))
		return err_set(err, ERR_IO, "%s: %s", w->directory, strerror(errno));
	for (size_t i = 0; i < N_INDEX_FILES; i++) {
		if (faccessat(w->dir, index_files[i], F_OK, 0) < 0)
			continue;
		if (fchmodat(w->dir, index_files[i], w->file_mode, 0) < 0 ||
		    (w->gid != (gid_t)-1 && fchownat(w->dir, index_files[i], (uid_t)-1, w->gid, 0) < 0))
			return err_set(err, ERR_IO, "%s/%s: %s", w->directory, index_files[i], strerror(errno));
	}
	return 0;
}

/* Call fn for each name in a folder of the store, without "." and "..". A folder that is missing is empty. */
static int open_each_name(const struct store_writer *w, const char *folder,
			  int (*fn)(const struct store_writer *w, const char *folder, const char *name,
				    struct err *err),
			  struct err *err)
{
	int rc = 0, fd = openat(w->dir, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d && errno == ENOENT)
		return 0;
	if (!d)
		return err_set(err, ERR_IO, "%s/%s: %s", w->directory, folder, strerror(errno));
	for (struct dirent *e; rc == 0 && (e = readdir(d));)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			rc = fn(w, folder, e->d_name, err);
	closedir(d);
	return rc;
}

/* A store is created only in a directory that has nothing but what an interrupted creation left. */
static int open_check_name(const struct store_writer *w, const char *folder, const char *name, struct err *err)
{
	static const char *const ours[] = { "lock", "tmp", "seg", "pin", "journal", "bad" };

	(void)folder;
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		if (strcmp(name, ours[i]) == 0)
			return 0;
	for (size_t i = 0; i < N_INDEX_FILES; i++)
		if (strcmp(name, index_files[i]) == 0)
			return 0;
	return err_set(err, ERR_IO, "%s: is not a store and contains %s; choose an empty or new directory",
		       w->directory, name);
}

static int check_no_data(const struct store_writer *w, const char *folder, const char *name, struct err *err)
{
	return err_set(err, ERR_FORMAT,
		       "%s: STORE is missing, but there is %s/%s; make it again with: cpa store repair", w->directory,
		       folder, name);
}

/* A store whose STORE is missing must not be created again, since its data would not be in the index. */
static int check_no_files(const struct store_writer *w, struct err *err)
{
	static const char *const data[] = { "seg", "pin", "journal" };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(data) / sizeof(*data); i++)
		rc = open_each_name(w, data[i], check_no_data, err);
	return rc;
}

/* Remove the index that an interrupted creation left: it may be half-written, and has nothing. */
static int remove_index(const struct store_writer *w, struct err *err)
{
	for (size_t i = 0; i < N_INDEX_FILES; i++)
		if (os_unlink(w->dir, index_files[i]) < 0 && errno != ENOENT)
			return err_set(err, ERR_IO, "%s/%s: %s", w->directory, index_files[i], strerror(errno));
	return 0;
}

static int set_first_properties(struct store_writer *w, struct err *err)
{
	char uuid[33];
	int rc = catalogue_begin(w->catalogue, err);

	for (int i = 0; i < 16; i++)
		snprintf(uuid + 2 * i, 3, "%02x", w->uuid[i]);
	if (rc == 0)
		rc = catalogue_set_text(w->catalogue, "uuid", uuid, err);
	if (rc == 0)
		rc = catalogue_set_number(w->catalogue, "next_journal", 1, err);
	if (rc == 0)
		rc = catalogue_commit(w->catalogue, err);
	catalogue_rollback(w->catalogue);
	return rc;
}

static int store_open_create(struct store_writer *w, struct err *err)
{
	static const char *const folder[] = { "tmp/", "journal/", "seg/", "pin/", "bad/" };
	int rc = remove_index(w, err);

	if (rc == 0)
		rc = set_modes(w, err);
	for (int i = 0; rc == 0 && i < 5; i++)
		rc = writer_make_folders(w, folder[i], err);
	if (rc == 0)
		rc = catalogue_open(w->directory, CATALOGUE_CREATE, &w->catalogue, err);
	os_random(w->uuid, sizeof(w->uuid));
	if (rc == 0)
		rc = set_first_properties(w, err);
	return rc < 0 ? rc : writer_write_header(w, err);
}

/* The value of an option: given, else the property, else a default; a new value is stored. */
static int get_property(struct store_writer *w, const char *key, int64_t given, int64_t normal, int64_t *out,
			struct err *err)
{
	int64_t old = 0;
	int rc = catalogue_get_number(w->catalogue, key, &old, err);

	if (rc < 0)
		return rc;
	*out = given ? given : rc ? old : normal;
	if (rc && *out == old)
		return 0;
	rc = catalogue_begin(w->catalogue, err);
	if (rc == 0)
		rc = catalogue_set_number(w->catalogue, key, *out, err);
	if (rc == 0)
		rc = catalogue_commit(w->catalogue, err);
	catalogue_rollback(w->catalogue);
	return rc;
}

static int open_cap(struct store_writer *w, const struct store_writer_options *o, struct err *err)
{
	int64_t cap, retain;
	int rc;

	if (o->cap && o->cap < CAP_BYTES_MIN)
		return err_set(err, ERR_USAGE, "the quota of a store must be at least 64MiB");
	rc = get_property(w, "cap", (int64_t)o->cap, (int64_t)cap_default(w->dir), &cap, err);
	if (rc == 0)
		rc = get_property(w, "retain_raw", o->retain_raw_ns, RETAIN_RAW_DEFAULT, &retain, err);
	return rc < 0 ? rc : cap_init(&w->cap, w->dir, w->catalogue, (uint64_t)cap, retain, w->now, err);
}

static int open_directory(struct store_writer *w, bool make, struct err *err)
{
	if (make) {
		io_make_folders(w->directory);
		if (mkdir(w->directory, 0700) < 0 && errno != EEXIST)
			return err_set(err, ERR_IO, "%s: %s", w->directory, strerror(errno));
	}
	w->dir = open(w->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->dir < 0 && errno == ENOENT)
		return err_set(err, ERR_IO, "%s: there is no store; \"cpa store import\" or \"cpa collect\" makes one",
			       w->directory);
	if (w->dir < 0)
		return err_set(err, ERR_IO, "%s: %s", w->directory, strerror(errno));
	return 0;
}

/* Open the content of the directory, or create it. */
static int open_content(struct store_writer *w, bool make, const struct store_writer_options *o, struct buf *holder,
			struct err *err)
{
	bool exists = faccessat(w->dir, "STORE", F_OK, 0) == 0;
	int rc = 0;

	if (!exists && !make)
		return err_set(err, ERR_IO, "%s: is not a store; \"cpa store import\" or \"cpa collect\" makes one",
			       w->directory);
	if (!exists)
		rc = open_each_name(w, ".", open_check_name, err);
	if (rc < 0)
		return rc;
	if (exists)
		keep_group(w);
	w->lock_fd = os_lock(w->dir, w->directory, o->owner, w->file_mode, holder, err);
	if (w->lock_fd < 0)
		return w->lock_fd;
	if (exists || faccessat(w->dir, "STORE", F_OK, 0) == 0) {
		rc = os_read_header(w->dir, w->directory, w->uuid, err);
		if (rc == 0)
			rc = recover_catalogue(w, err);
	} else {
		rc = check_no_files(w, err);
		if (rc == 0)
			rc = store_open_create(w, err);
	}
	if (rc == 0)
		rc = set_modes(w, err);
	return rc;
}

static void writer_free(struct store_writer *w)
{
	for (struct store_journal *j = w->pending, *next; j; j = next) {
		next = j->next;
		writer_journal_close(j);
	}
	writer_journal_close(w->active);
	seen_free(w->seen);
	if (w->has_cap)
		cap_destroy(&w->cap);
	catalogue_close(w->catalogue);
	buf_release(&w->notes);
	pthread_mutex_destroy(&w->lock);
	pthread_mutex_destroy(&w->maintenance);
	if (w->lock_fd >= 0)
		close(w->lock_fd);
	if (w->dir >= 0)
		close(w->dir);
	free(w->directory);
	free(w);
}

static struct store_writer *writer_new(const char *directory, const struct store_writer_options *o)
{
	struct store_writer *w = mem_zalloc(1, sizeof(*w));
	pthread_mutexattr_t recursive;

	w->directory = mem_strndup(directory, strlen(directory));
	w->dir = w->lock_fd = -1;
	w->now = o->now ? o->now : clock_wall_ns;
	w->dir_mode = 0700;
	w->file_mode = 0600;
	w->gid = (gid_t)-1;
	pthread_mutexattr_init(&recursive);
	pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&w->maintenance, &recursive);
	pthread_mutexattr_destroy(&recursive);
	pthread_mutex_init(&w->lock, NULL);
	return w;
}

int upkeep_open_writer(const char *directory, bool make, const struct store_writer_options *o,
		       struct store_writer **out, struct buf *holder, struct err *err)
{
	static const struct store_writer_options none;
	struct store_writer *w = writer_new(directory, o ? o : &none);
	int rc;

	o = o ? o : &none;
	rc = store_open_find_group(w, o->group, err);
	if (rc == 0)
		rc = open_directory(w, make, err);
	if (rc == 0)
		rc = open_content(w, make, o, holder, err);
	if (rc == 0) {
		rc = open_cap(w, o, err);
		w->has_cap = rc == 0;
	}
	if (rc == 0) {
		w->seen = seen_new(w->dir, w->directory);
		rc = recover_files(w, err);
	}
	if (rc < 0)
		writer_free(w);
	else
		*out = w;
	return rc;
}

int upkeep_close_writer(struct store_writer *w, struct err *err)
{
	int rc;

	if (!w)
		return 0;
	pthread_mutex_lock(&w->maintenance);
	rc = writer_flush_locked(w, false, err);
	if (rc == 0 && w->active) {
		writer_drop_journal(w, w->active);
		w->active = NULL;
	}
	pthread_mutex_unlock(&w->maintenance);
	if (os_truncate(w->lock_fd, 0) < 0 && rc == 0)
		rc = err_set(err, ERR_IO, "%s/lock: %s", w->directory, strerror(errno));
	writer_free(w);
	return rc;
}
