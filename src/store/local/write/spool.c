/*
 * spool.c - journals that are kept for those who follow them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The lock of the spool is taken after `maintenance` and `lock` of the writer, and before that of the cap. It is not held during a sync,
 * since an append would wait for it: files of followers are written with `file_lock`, which is taken before it.
 */
#include "config.h"

#include "base/cond.h"
#include "base/mem.h"
#include "base/str.h"
#include "store/local/os.h"
#include "store/local/write/spool_state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 4096 };

struct spool_follower {
	char name[SPOOL_NAME_MAX + 1];
	struct spool_position at;     /* the last one that was saved */
	struct spool_position synced; /* the last one that survives a power failure */
	uint64_t max, n_lost;
	bool is_changed; /* by spool_skip, to be written */
};

struct spool_kept {
	int64_t seq;
	uint64_t profiles, bytes;
};

struct store_spool {
	pthread_mutex_t lock, file_lock;
	pthread_cond_t changed;
	struct spool_kept *kept; /* [n_kept] by seq */
	size_t n_kept, cap_kept;
	struct spool_follower *follower; /* [n_followers] */
	size_t n_followers, cap_followers;
};

struct store_spool *spool_new(void)
{
	struct store_spool *s = mem_zalloc(1, sizeof(*s));

	pthread_mutex_init(&s->lock, NULL);
	pthread_mutex_init(&s->file_lock, NULL);
	cond_init(&s->changed);
	return s;
}

void spool_free(struct store_spool *s)
{
	if (!s)
		return;
	pthread_mutex_destroy(&s->lock);
	pthread_mutex_destroy(&s->file_lock);
	pthread_cond_destroy(&s->changed);
	free(s->kept);
	free(s->follower);
	free(s);
}

bool spool_is_name(const char *name)
{
	size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");

	return n > 0 && n <= SPOOL_NAME_MAX && !name[n];
}

static void spool_kept_name(const struct spool_kept *k, char name[64])
{
	snprintf(name, 64, "spool/%08" PRId64 "-%" PRIu64 ".cpj", k->seq, k->profiles);
}

static struct spool_follower *spool_find_follower(struct store_spool *s, const char *name)
{
	for (size_t i = 0; i < s->n_followers; i++)
		if (strcmp(s->follower[i].name, name) == 0)
			return &s->follower[i];
	return NULL;
}

/* ---- files of followers ---- */

static int spool_fail(const struct store_writer *w, const char *name, struct err *err)
{
	return err_set(err, ERR_IO, "%s/%s: %s", w->directory, name, strerror(errno));
}

/* Write spool/NAME.sink. The file lock is held. */
static int spool_write_file(struct store_writer *w, const struct spool_follower *f, bool sync, struct err *err)
{
	char name[SPOOL_NAME_MAX + 16], temporary[SPOOL_NAME_MAX + 16], text[512];
	int n, rc = 0, fd;

	snprintf(name, sizeof(name), "spool/%s.sink", f->name);
	snprintf(temporary, sizeof(temporary), "spool/%s.new", f->name);
	n = snprintf(text, sizeof(text),
		     "cpa sink 1\njournal %" PRId64 "\nrewrites %" PRIu32 "\nprofiles %" PRIu64 "\nmax %" PRIu64
		     "\nlost %" PRIu64 "\nend\n",
		     f->at.journal, f->at.rewrites, f->at.profiles, f->max, f->n_lost);
	fd = writer_create_file(w, temporary, O_RDWR | O_CREAT | O_TRUNC, err);
	if (fd < 0)
		return fd;
	if (os_pwrite(fd, text, (size_t)n, 0) < 0 || (sync && os_fdatasync(fd) < 0) ||
	    os_rename(w->dir, temporary, name) < 0 || (sync && os_sync_folder(w->dir, "spool") < 0))
		rc = spool_fail(w, name, err);
	close(fd);
	return rc;
}

/* Write the present state of a follower; one that was removed is not written. */
static int spool_write(struct store_writer *w, const char *name, bool sync, struct err *err)
{
	struct store_spool *s = w->spool;
	struct spool_follower *f, copy = { .n_lost = 0 };
	int rc = 0;

	pthread_mutex_lock(&s->file_lock);
	pthread_mutex_lock(&s->lock);
	f = spool_find_follower(s, name);
	if (f) {
		f->is_changed = false;
		copy = *f;
	}
	pthread_mutex_unlock(&s->lock);
	rc = f ? spool_write_file(w, &copy, sync, err) : 0;
	pthread_mutex_lock(&s->lock);
	f = spool_find_follower(s, name);
	if (f && rc == 0 && sync && copy.at.journal >= f->synced.journal)
		f->synced = copy.at;
	pthread_mutex_unlock(&s->lock);
	pthread_mutex_unlock(&s->file_lock);
	return rc;
}

/* Write the followers that spool_skip changed. A file that cannot be written has an older position, which is as good. */
static void spool_write_changed(struct store_writer *w)
{
	struct store_spool *s = w->spool;
	char name[SPOOL_NAME_MAX + 1];
	bool is_done = false;

	while (!is_done) {
		is_done = true;
		pthread_mutex_lock(&s->lock);
		for (size_t i = 0; i < s->n_followers && is_done; i++)
			if (s->follower[i].is_changed) {
				memcpy(name, s->follower[i].name, sizeof(name));
				is_done = false;
			}
		pthread_mutex_unlock(&s->lock);
		if (!is_done)
			spool_write(w, name, true, NULL);
	}
}

/* Read a file of a follower. One that is not complete begins with the oldest journal that is kept. */
static void spool_read(struct store_writer *w, const char *file, struct spool_follower *f)
{
	char text[FILE_MAX], name[320];
	ssize_t n;
	int fd;

	*f = (struct spool_follower){ .max = SPOOL_DEFAULT };
	memcpy(f->name, file, strlen(file) - strlen(".sink"));
	snprintf(name, sizeof(name), "spool/%s", file);
	fd = openat(w->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	n = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	if (sscanf(text,
		   "cpa sink 1\njournal %" SCNd64 "\nrewrites %" SCNu32 "\nprofiles %" SCNu64 "\nmax %" SCNu64
		   "\nlost %" SCNu64,
		   &f->at.journal, &f->at.rewrites, &f->at.profiles, &f->max, &f->n_lost) != 5 ||
	    !strstr(text, "\nend\n"))
		f->at = (struct spool_position){ 0 };
	f->synced = f->at;
}

static int spool_compare_kept(const void *a, const void *b)
{
	const struct spool_kept *x = a, *y = b;

	return (x->seq > y->seq) - (x->seq < y->seq);
}

static void spool_load_entry(struct store_writer *w, int folder, const char *name)
{
	struct store_spool *s = w->spool;
	size_t n = strlen(name);
	struct spool_kept k;
	struct stat st;
	int end = 0;

	if (n > 5 && n - 5 <= SPOOL_NAME_MAX && ends_with(name, ".sink") && s->n_followers < SPOOL_FOLLOWERS_MAX) {
		s->follower = mem_grow(s->follower, &s->cap_followers, s->n_followers + 1, sizeof(*s->follower));
		spool_read(w, name, &s->follower[s->n_followers++]);
	} else if (sscanf(name, "%" SCNd64 "-%" SCNu64 ".cpj%n", &k.seq, &k.profiles, &end) == 2 && end == (int)n &&
		   fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		k.bytes = (uint64_t)st.st_blocks * 512;
		s->kept = mem_grow(s->kept, &s->cap_kept, s->n_kept + 1, sizeof(*s->kept));
		s->kept[s->n_kept++] = k;
	} else if (ends_with(name, ".new")) {
		unlinkat(folder, name, 0);
	}
}

/* ---- kept journals ---- */

/* Does a follower still need a journal of so many profiles? The lock is held. */
static bool spool_is_needed(const struct store_spool *s, int64_t seq, uint64_t profiles)
{
	for (size_t i = 0; i < s->n_followers; i++) {
		const struct spool_position *p = &s->follower[i].synced;

		if (p->journal < seq || (p->journal == seq && p->profiles < profiles))
			return true;
	}
	return false;
}

static void spool_unlink(struct store_writer *w, size_t i)
{
	struct store_spool *s = w->spool;
	char name[64];

	spool_kept_name(&s->kept[i], name);
	if (os_unlink(w->dir, name) == 0 || errno == ENOENT)
		cap_release(&w->cap, CAP_SPOOL, s->kept[i].bytes);
	s->n_kept--;
	memmove(&s->kept[i], &s->kept[i + 1], (s->n_kept - i) * sizeof(*s->kept));
}

/* Remove the journals that all followers passed. The lock is held. */
static void spool_release(struct store_writer *w)
{
	struct store_spool *s = w->spool;

	for (size_t i = 0; i < s->n_kept;)
		if (spool_is_needed(s, s->kept[i].seq, s->kept[i].profiles))
			i++;
		else
			spool_unlink(w, i);
}

int spool_load(struct store_writer *w, struct err *err)
{
	int fd = openat(w->dir, "spool", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!d) {
		int saved = errno;

		if (fd >= 0)
			close(fd);
		errno = saved;
		return saved == ENOENT ? 0 : spool_fail(w, "spool", err);
	}
	while ((e = readdir(d)))
		if (e->d_name[0] != '.')
			spool_load_entry(w, fd, e->d_name);
	closedir(d);
	if (w->spool->n_kept)
		qsort(w->spool->kept, w->spool->n_kept, sizeof(*w->spool->kept), spool_compare_kept);
	pthread_mutex_lock(&w->spool->lock);
	spool_release(w); /* a crash can leave those that all passed */
	pthread_mutex_unlock(&w->spool->lock);
	return 0;
}

static uint64_t spool_bytes_of(const struct store_spool *s, const struct spool_follower *f)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < s->n_kept; i++)
		if (s->kept[i].seq >= f->at.journal)
			bytes += s->kept[i].bytes;
	return bytes;
}

static uint64_t spool_max_of(const struct store_writer *w, const struct spool_follower *f)
{
	return f->max < w->cap.limit / 4 ? f->max : w->cap.limit / 4;
}

/* Let a follower lose a journal, up to and including it. The lock is held. */
static void spool_skip(struct spool_follower *f, int64_t seq, uint64_t profiles)
{
	uint64_t passed = f->at.journal == seq ? f->at.profiles : 0;

	if (f->at.journal > seq)
		return;
	f->n_lost += profiles > passed ? profiles - passed : 0;
	f->at = f->synced = (struct spool_position){ .journal = seq + 1 };
	f->is_changed = true;
}

/* A journal is missing, but those before it are not: a follower continues with them. The lock is held. */
static void spool_count_lost(struct store_spool *s, int64_t seq, uint64_t profiles)
{
	for (size_t i = 0; i < s->n_followers; i++) {
		struct spool_follower *f = &s->follower[i];

		if (f->at.journal >= seq) {
			spool_skip(f, seq, profiles);
			continue;
		}
		f->n_lost += profiles;
		f->is_changed = true;
	}
}

/* Let followers lose what is beyond their limits. The lock is held. */
static void spool_limit(struct store_writer *w)
{
	struct store_spool *s = w->spool;

	for (size_t i = 0; i < s->n_followers; i++) {
		struct spool_follower *f = &s->follower[i];

		for (size_t k = 0; k < s->n_kept && spool_bytes_of(s, f) > spool_max_of(w, f); k++)
			spool_skip(f, s->kept[k].seq, s->kept[k].profiles);
	}
	spool_release(w);
}

/* Cut a journal off at its end, rename it, and add it to the list. The lock is held. */
static int spool_keep(struct store_writer *w, const char *name, struct spool_kept *k, uint64_t end)
{
	struct store_spool *s = w->spool;
	int fd = os_open(w->dir, name, O_RDWR, 0), rc;
	char kept[64];

	spool_kept_name(k, kept);
	if (fd < 0)
		return -1;
	rc = end ? os_truncate(fd, end) : 0;
	if (rc == 0)
		rc = os_rename(w->dir, name, kept);
	k->bytes = cap_file_bytes(fd);
	close(fd);
	if (rc < 0)
		return rc;
	cap_settle(&w->cap, CAP_SPOOL, 0, k->bytes);
	s->kept = mem_grow(s->kept, &s->cap_kept, s->n_kept + 1, sizeof(*s->kept));
	s->kept[s->n_kept++] = *k;
	qsort(s->kept, s->n_kept, sizeof(*s->kept), spool_compare_kept);
	return 0;
}

void spool_retire(struct store_writer *w, int64_t seq, uint64_t profiles, uint64_t end, uint64_t charged)
{
	struct store_spool *s = w->spool;
	struct spool_kept k = { .seq = seq, .profiles = profiles };
	bool is_needed, is_kept;
	char name[32];

	journal_name(seq, name);
	pthread_mutex_lock(&s->lock);
	is_needed = spool_is_needed(s, seq, profiles);
	is_kept = is_needed && spool_keep(w, name, &k, end) == 0;
	if (is_kept)
		spool_limit(w);
	else if (is_needed)
		spool_count_lost(s, seq, profiles);
	pthread_mutex_unlock(&s->lock);
	if (is_kept || os_unlink(w->dir, name) == 0)
		cap_release(&w->cap, CAP_JOURNALS, charged);
	if (is_kept)
		os_sync_folder(w->dir,
			       "spool"); /* if a power failure undoes the name, the next opening gives it again */
	spool_write_changed(w);
	spool_wake(w);
}

void spool_lose(struct store_writer *w, int64_t seq, uint64_t profiles)
{
	pthread_mutex_lock(&w->spool->lock);
	spool_count_lost(w->spool, seq, profiles);
	pthread_mutex_unlock(&w->spool->lock);
	spool_write_changed(w);
	spool_wake(w);
}

bool spool_make_room(void *writer)
{
	struct store_writer *w = writer;
	struct store_spool *s = w->spool;
	bool has_one;

	pthread_mutex_lock(&s->lock);
	has_one = s->n_kept > 0;
	for (size_t i = 0; has_one && i < s->n_followers; i++)
		spool_skip(&s->follower[i], s->kept[0].seq, s->kept[0].profiles);
	if (has_one)
		spool_unlink(w, 0);
	pthread_mutex_unlock(&s->lock);
	spool_write_changed(w);
	return has_one;
}

bool spool_has_followers(struct store_writer *w)
{
	return w->spool->n_followers > 0;
}

/* ---- followers ---- */

/* The position after everything that is stored now. */
static int spool_now(struct store_writer *w, struct spool_position *out, struct err *err)
{
	int rc = 0;

	pthread_mutex_lock(&w->lock);
	*out = (struct spool_position){ .journal = w->next_journal };
	if (w->active) {
		rc = writer_journal_commit(w, w->active, err);
		*out = (struct spool_position){ w->active->seq, w->active->rewrites, head_profiles(w->active->head) };
	}
	pthread_mutex_unlock(&w->lock);
	return rc;
}

int spool_add(struct store_writer *w, const char *name, uint64_t max, struct spool_position *out, struct err *err)
{
	struct store_spool *s = w->spool;
	struct spool_follower *f, fresh = { 0 };
	int rc = spool_is_name(name) ? writer_make_folders(w, "spool/", err)
				     : err_set(err, ERR_USAGE, "%.80s: not a name of letters, digits, - and _", name);

	rc = rc < 0 ? rc : spool_now(w, &fresh.at, err);
	if (rc < 0)
		return rc;
	memcpy(fresh.name, name, strlen(name));
	pthread_mutex_lock(&s->lock);
	f = spool_find_follower(s, name);
	if (!f && s->n_followers == SPOOL_FOLLOWERS_MAX)
		rc = err_set(err, ERR_USAGE, "more than %d sinks", (int)SPOOL_FOLLOWERS_MAX);
	if (rc == 0 && !f) {
		s->follower = mem_grow(s->follower, &s->cap_followers, s->n_followers + 1, sizeof(*s->follower));
		f = &s->follower[s->n_followers++];
		*f = fresh;
	}
	if (rc == 0) {
		f->max = max ? max : SPOOL_DEFAULT;
		*out = f->at;
	}
	pthread_mutex_unlock(&s->lock);
	return rc < 0 ? rc : spool_write(w, name, true, err);
}

int spool_remove(struct store_writer *w, const char *name, struct err *err)
{
	struct store_spool *s = w->spool;
	struct spool_follower *f;
	char file[SPOOL_NAME_MAX + 16];
	int rc = 0;

	snprintf(file, sizeof(file), "spool/%s.sink", name);
	pthread_mutex_lock(&s->lock);
	f = spool_find_follower(s, name);
	if (f && os_unlink(w->dir, file) < 0 && errno != ENOENT)
		rc = spool_fail(w, file, err);
	if (f && rc == 0) {
		*f = s->follower[--s->n_followers];
		spool_release(w);
	}
	pthread_mutex_unlock(&s->lock);
	return rc;
}

size_t spool_list(struct store_writer *w, char (*name)[SPOOL_NAME_MAX + 1])
{
	struct store_spool *s = w->spool;
	size_t n;

	pthread_mutex_lock(&s->lock);
	n = s->n_followers;
	for (size_t i = 0; i < n; i++)
		memcpy(name[i], s->follower[i].name, sizeof(*name));
	pthread_mutex_unlock(&s->lock);
	return n;
}

static bool spool_is_same(const struct spool_position *a, const struct spool_position *b)
{
	return a->journal == b->journal && a->rewrites == b->rewrites && a->profiles == b->profiles;
}

int spool_save(struct store_writer *w, const char *name, struct spool_position *p, bool sync, struct err *err)
{
	struct store_spool *s = w->spool;
	struct spool_follower *f;
	bool is_moved, is_same;
	int rc;

	pthread_mutex_lock(&s->lock);
	f = spool_find_follower(s, name);
	is_moved = f && f->at.journal > p->journal;
	is_same = !f || spool_is_same(p, sync ? &f->synced : &f->at);
	if (is_moved)
		*p = f->at;
	else if (f)
		f->at = *p;
	pthread_mutex_unlock(&s->lock);
	if (is_moved || is_same)
		return is_moved;
	rc = spool_write(w, name, sync, err);
	if (rc == 0 && sync) {
		pthread_mutex_lock(&s->lock);
		spool_release(w);
		pthread_mutex_unlock(&s->lock);
	}
	return rc;
}

void spool_get_stat(struct store_writer *w, const char *name, struct spool_stat *out)
{
	struct store_spool *s = w->spool;
	struct spool_follower *f;

	*out = (struct spool_stat){ 0 };
	pthread_mutex_lock(&s->lock);
	f = spool_find_follower(s, name);
	if (f)
		*out = (struct spool_stat){ f->n_lost, spool_bytes_of(s, f), spool_max_of(w, f) };
	pthread_mutex_unlock(&s->lock);
}

/* ---- reading ---- */

bool spool_find(struct store_writer *w, int64_t seq, struct spool_journal *out)
{
	struct store_spool *s = w->spool;
	bool is_found = false;

	pthread_mutex_lock(&w->lock);
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->n_kept && !is_found; i++)
		if (s->kept[i].seq >= seq) {
			*out = (struct spool_journal){ s->kept[i].seq, 0, UINT64_MAX, true };
			is_found = true;
		}
	pthread_mutex_unlock(&s->lock);
	for (const struct store_journal *j = w->pending; j; j = j->next)
		if (j->seq >= seq && (!is_found || j->seq < out->seq)) {
			*out = (struct spool_journal){ j->seq, j->rewrites, j->durable, true };
			is_found = true;
		}
	if (w->active && w->active->seq >= seq && !is_found) {
		*out = (struct spool_journal){ w->active->seq, w->active->rewrites, w->active->durable, false };
		is_found = true;
	}
	pthread_mutex_unlock(&w->lock);
	return is_found;
}

int spool_open(struct store_writer *w, int64_t seq, char *name, struct err *err)
{
	struct store_spool *s = w->spool;
	int fd;

	journal_name(seq, name);
	fd = openat(w->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0)
		return fd;
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->n_kept; i++)
		if (s->kept[i].seq == seq)
			spool_kept_name(&s->kept[i], name);
	fd = openat(w->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	pthread_mutex_unlock(&s->lock);
	return fd < 0 ? spool_fail(w, name, err) : fd;
}

void spool_wait(struct store_writer *w, unsigned ms)
{
	struct store_spool *s = w->spool;

	pthread_mutex_lock(&s->lock);
	if (ms)
		cond_wait_ms(&s->changed, &s->lock, ms);
	pthread_mutex_unlock(&s->lock);
}

void spool_wake(struct store_writer *w)
{
	pthread_mutex_lock(&w->spool->lock);
	pthread_cond_broadcast(&w->spool->changed);
	pthread_mutex_unlock(&w->spool->lock);
}
