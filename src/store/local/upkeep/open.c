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
#include "store/local/upkeep/downsample.h"
#include "store/local/upkeep/upkeep.h"
#include "store/local/upkeep/upkeep_int.h"
#include "store/local/write/spool_state.h"
#include "store/local/write/writer.h"
#include "store/local/write/writer_journal.h"
#include "store/local/write/writer_state.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
	static const char *const ours[] = { "lock", "tmp", "seg", "pin", "journal", "bad", "spool" };

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

/* The rules of the retention: given, or those of the store. New ones are stored. */
static int open_retain(struct store_writer *w, const struct store_writer_options *o, struct retain *out,
		       struct err *err)
{
	struct buf old = { 0 }, given = { 0 };
	int rc = catalogue_get_text(w->catalogue, "retain", &old, err);

	if (rc < 0)
		return rc;
	if (o->retain)
		buf_addz(&given, o->retain);
	else if (o->retain_raw_ns == INT64_MAX)
		buf_addz(&given, "raw=forever");
	else if (o->retain_raw_ns)
		buf_addf(&given, "raw=%" PRId64 "s", o->retain_raw_ns / NS_PER_S);
	rc = retain_parse(given.len ? given.data : rc && old.len ? old.data : RETAIN_DEFAULT, out, err);
	if (rc == 0 && given.len && strcmp(given.data, buf_text(&old)) != 0) {
		rc = catalogue_begin(w->catalogue, err);
		if (rc == 0)
			rc = catalogue_set_text(w->catalogue, "retain", given.data, err);
		if (rc == 0)
			rc = catalogue_commit(w->catalogue, err);
		catalogue_rollback(w->catalogue);
	}
	buf_release(&old);
	buf_release(&given);
	return rc;
}

static int open_cap(struct store_writer *w, const struct store_writer_options *o, struct err *err)
{
	struct retain retain = { 0 };
	int64_t cap;
	int rc;

	if (o->cap && o->cap < CAP_BYTES_MIN)
		return err_set(err, ERR_USAGE, "the quota of a store must be at least 64MiB");
	rc = get_property(w, "cap", (int64_t)o->cap, (int64_t)cap_default(w->dir), &cap, err);
	if (rc == 0)
		rc = open_retain(w, o, &retain, err);
	if (rc == 0)
		rc = cap_init(&w->cap, w->dir, w->catalogue, (uint64_t)cap, &retain, w->now, err);
	w->cap.make_room = downsample_make_room;
	w->cap.drop_spool = spool_make_room;
	w->cap.make_room_arg = w;
	return rc;
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
	spool_free(w->spool);
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
	w->spool = spool_new();
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

/* ---- repair after a crash: interrupted flushes, torn journals, temporary files ---- */

enum { FOLDER_MAX = 200 }; /* bytes of the name of a folder whose folders are emptied */

int recover_catalogue(struct store_writer *w, struct err *err)
{
	struct buf report = { 0 };
	int rc = catalogue_open(w->directory, CATALOGUE_WRITE, &w->catalogue, err);

	if (rc != ERR_FORMAT)
		return rc;
	rc = upkeep_rebuild_index(w->dir, w->directory, &report, err);
	buf_add(&w->notes, buf_text(&report), report.len);
	buf_release(&report);
	return rc < 0 ? rc : catalogue_open(w->directory, CATALOGUE_WRITE, &w->catalogue, err);
}

/* Open a folder below the directory; NULL and errno if there is none. */
static DIR *recover_open_folder(const struct store_writer *w, const char *folder)
{
	int saved, fd = openat(w->dir, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	saved = errno;
	if (!d && fd >= 0)
		close(fd);
	errno = saved;
	return d;
}

/* Call upkeep_adopt_orphan for the files of a folder that have no row, and for those of its folders. */
static int adopt_orphans(struct store_writer *w, const char *folder, struct err *err)
{
	DIR *d = recover_open_folder(w, folder);
	int rc = 0;

	if (!d && errno == ENOENT)
		return 0;
	if (!d)
		return err_set(err, ERR_IO, "%s/%s: %s", w->directory, folder, strerror(errno));
	for (struct dirent *e; rc >= 0 && (e = readdir(d));) {
		size_t n = strlen(e->d_name);
		char name[320];

		if (e->d_name[0] == '.' || strlen(folder) > sizeof("seg/raw/2026"))
			continue;
		snprintf(name, sizeof(name), "%s/%s", folder, e->d_name);
		if (n < 4 || strcmp(e->d_name + n - 4, ".cps") != 0) {
			rc = strchr(name, '.') ? 0 : adopt_orphans(w, name, err);
			continue;
		}
		rc = catalogue_has_file(w->catalogue, name, err);
		if (rc == 0)
			rc = upkeep_adopt_orphan(w, name, NULL, err);
	}
	closedir(d);
	return rc < 0 ? rc : 0;
}

/* Remove the files of a folder whose names end with suffix, and the folders in it. */
static int empty_folder(struct store_writer *w, const char *folder, const char *suffix, struct err *err)
{
	DIR *d = recover_open_folder(w, folder);
	struct stat st;
	int rc = 0;

	if (!d)
		return err_set(err, ERR_IO, "%s/%s: %s", w->directory, folder, strerror(errno));
	for (struct dirent *e; rc == 0 && (e = readdir(d));) {
		size_t n = strlen(e->d_name), end = strlen(suffix);
		char name[300];

		if (e->d_name[0] == '.' || n < end || strcmp(e->d_name + n - end, suffix) != 0)
			continue;
		snprintf(name, sizeof(name), "%s/%s", folder, e->d_name);
		if (fstatat(w->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode)) {
			rc = strlen(folder) < FOLDER_MAX ? empty_folder(w, name, "", err) : 0;
			if (rc == 0 && unlinkat(w->dir, name, AT_REMOVEDIR) < 0)
				rc = err_set(err, ERR_IO, "%s/%s: %s", w->directory, name, strerror(errno));
			continue;
		}
		writer_add_note(w, "%s: left by a process that ended; removed", name);
		rc = writer_remove_file(w, name, strncmp(folder, "tmp", 3) == 0 ? CAP_OTHER : CAP_JOURNALS, err);
	}
	closedir(d);
	return rc;
}

struct open_search {
	struct store_writer *w;
	const struct head_service *service;
	bool found;
};

static int recover_find_in_segments(void *arg, const struct stored *p, struct err *err)
{
	struct open_search *s = arg;
	const uint8_t *hash = s->service->dict->series[p->series].hash;
	bool in_slot = false;
	uint8_t id[16];
	uint64_t content;
	int rc = 0;

	block_profile_id(hash, p->start_ns, id);
	if (!s->found)
		rc = seen_find(s->w->seen, s->w->generation, s->service->name, hash, id, p->start_ns, &s->found,
			       &content, &in_slot, err);
	s->found |= in_slot; /* such a profile is not appended to a journal */
	return rc;
}

/* Does a segment have the profiles of a journal? A journal is flushed as a whole, so one profile is enough. */
static int is_flushed(struct store_writer *w, const struct store_journal *j, bool *flushed, struct err *err)
{
	struct open_search s = { .w = w };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < j->head->n; i++) {
		s.service = &j->head->service[i];
		rc = head_each(s.service, recover_find_in_segments, NULL, &s, err);
	}
	*flushed = s.found;
	return rc;
}

/* Read a journal; *out is NULL if it has nothing. */
static int recover_journal(struct store_writer *w, int64_t seq, bool may_be_flushed, struct store_journal **out,
			   struct err *err)
{
	struct store_journal *j;
	struct err problem;
	char name[32];
	bool flushed = false;
	int rc = writer_journal_reopen(w, seq, &j, &problem);

	*out = NULL;
	if (rc == ERR_FORMAT) {
		journal_name(seq, name);
		writer_add_note(w, "%s; moved to bad/", problem.msg);
		writer_set_aside(w, name, problem.msg);
		return 0;
	}
	if (rc < 0 && err)
		*err = problem;
	if (rc == 0 && may_be_flushed)
		rc = is_flushed(w, j, &flushed, err);
	if (rc < 0)
		return rc;
	if (flushed && !j->is_damaged) {
		spool_retire(w, j->seq, head_profiles(j->head), j->end, j->charged);
		writer_journal_close(j);
	} else if (flushed || (j->batches == 0 && !j->is_damaged))
		writer_drop_journal(w, j);
	else
		*out = j;
	return 0;
}

/* A journal is in segments, and a crash left it: read how many profiles it has if a follower may need it. */
static int retire_journal(struct store_writer *w, int64_t seq, struct err *err)
{
	struct store_journal *j = NULL;
	struct err ignored;
	char name[32];

	journal_name(seq, name);
	if (!spool_has_followers(w) || writer_journal_reopen(w, seq, &j, &ignored) < 0)
		return writer_remove_file(w, name, CAP_JOURNALS, err);
	spool_retire(w, seq, head_profiles(j->head), j->end, j->charged);
	writer_journal_close(j);
	return 0;
}

/* The last journal is continued; the others, and a damaged one, are flushed soon. */
static int recover_journals(struct store_writer *w, struct err *err)
{
	struct store_journal **end = &w->pending, *last = NULL;
	int64_t first = 0, *seq;
	size_t n;
	int has_first = catalogue_get_number(w->catalogue, "next_journal", &first, err);
	int rc = has_first < 0 ? has_first : journal_list(w->dir, 0, &seq, &n, err);

	if (rc < 0)
		return rc;
	w->next_journal = first > 0 ? first : 1;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct store_journal *j = NULL;
		char name[32];

		journal_name(seq[i], name);
		if (seq[i] >= w->next_journal)
			w->next_journal = seq[i] + 1;
		if (seq[i] < first)
			rc = retire_journal(w, seq[i], err);
		else
			rc = recover_journal(w, seq[i], !has_first, &j, err);
		if (!j)
			continue;
		if (last)
			end = &last->next;
		*end = last = j;
	}
	free(seq);
	if (rc == 0 && last && !last->is_damaged) {
		*end = NULL;
		w->active = last;
	}
	return rc;
}

int recover_files(struct store_writer *w, struct err *err)
{
	int rc = spool_load(w, err);

	if (rc == 0)
		rc = empty_folder(w, "tmp", "", err);
	if (rc == 0)
		rc = empty_folder(w, "journal", ".new", err);
	if (rc == 0)
		rc = adopt_orphans(w, "seg", err);
	if (rc >= 0)
		rc = pin_recover(w, err);
	return rc < 0 ? rc : recover_journals(w, err);
}
