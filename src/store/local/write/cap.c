/*
 * cap.c - the limit of bytes below the directory of a store: counting, reserving, and what is removed to make room
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/write/cap.h"

#include "base/time.h"
#include "base/unit.h"
#include "store/local/os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { DEPTH_MAX = 8, FOLDERS_ROOM = 128 << 10 /* for folders and small files that are not reserved */ };

uint64_t cap_default(int dir)
{
	uint64_t cap = UINT64_C(10) << 30;
	struct statvfs fs;

	if (fstatvfs(dir, &fs) == 0 && (uint64_t)fs.f_blocks * fs.f_frsize / 10 < cap)
		cap = (uint64_t)fs.f_blocks * fs.f_frsize / 10;
	return cap > CAP_BYTES_MIN ? cap : CAP_BYTES_MIN;
}

uint64_t cap_file_bytes(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : (uint64_t)st.st_blocks * 512;
}

uint64_t cap_journal_bytes(const struct cap *c)
{
	return c->limit / 16 < 128 << 20 ? c->limit / 16 : 128 << 20;
}

uint64_t cap_segment_bytes(const struct cap *c)
{
	return c->limit / 8 < SEGMENT_BYTES_MAX ? c->limit / 8 : SEGMENT_BYTES_MAX;
}

/* The counter of a file or folder directly below the directory of the store. */
static enum cap_kind kind_of(const char *name)
{
	static const char *const names[] = { [CAP_SEGMENTS] = "seg",
					     [CAP_JOURNALS] = "journal",
					     [CAP_PINS] = "pin",
					     [CAP_BAD] = "bad",
					     [CAP_SPOOL] = "spool" };

	for (int i = 0; i < CAP_OTHER; i++)
		if (!strcmp(name, names[i]))
			return (enum cap_kind)i;
	return CAP_OTHER;
}

/* Called for each entry of a folder, files and folders; name is below the folder at. */
typedef void entry_fn(void *arg, int at, const char *name, const struct stat *st, unsigned depth);

/* Call fn for all entries below a folder, first those of a folder, then the folder. */
static int cap_walk(int at, const char *name, unsigned depth, entry_fn *fn, void *arg, struct err *err)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), rc = 0;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	struct stat st;

	if (!d) {
		rc = errno == ENOENT ? 0 : err_set(err, ERR_IO, "%s: %s", name, strerror(errno));
		if (fd >= 0)
			close(fd);
		return rc;
	}
	while (rc == 0 && (e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		    fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue; /* removed since it was listed */
		if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX)
			rc = cap_walk(dirfd(d), e->d_name, depth + 1, fn, arg, err);
		fn(arg, dirfd(d), e->d_name, &st, depth);
	}
	closedir(d);
	return rc;
}

struct counter {
	uint64_t used[N_CAP_KINDS], below; /* below: since the last entry of depth 0 */
};

static void count_entry(void *arg, int at, const char *name, const struct stat *st, unsigned depth)
{
	struct counter *n = arg;

	(void)at;
	n->below += (uint64_t)st->st_blocks * 512;
	if (depth > 0)
		return;
	if (strncmp(name, "index.db", 8) != 0) /* catalogue_bytes counts them */
		n->used[kind_of(name)] += n->below;
	n->below = 0;
}

int cap_recount(struct cap *c, struct err *err)
{
	for (int tries = 0; tries < 5; tries++) {
		struct counter n = { 0 };
		uint64_t changes;
		bool is_same;
		int rc;

		pthread_mutex_lock(&c->lock);
		changes = c->n_changes;
		pthread_mutex_unlock(&c->lock);
		rc = cap_walk(c->dir, ".", 0, count_entry, &n, err);
		if (rc < 0)
			return rc;
		n.used[CAP_OTHER] += cap_file_bytes(c->dir);
		pthread_mutex_lock(&c->lock);
		is_same = changes == c->n_changes;
		if (is_same)
			memcpy(c->used, n.used, sizeof(c->used));
		pthread_mutex_unlock(&c->lock);
		if (is_same)
			break;
	}
	c->counted = c->now();
	return 0; /* the counters stay as they are while files change all the time */
}

int cap_init(struct cap *c, int dir, struct catalogue *catalogue, uint64_t limit, const struct retain *retain,
	     int64_t (*now)(void), struct err *err)
{
	if (limit < CAP_BYTES_MIN)
		return err_set(err, ERR_USAGE, "the quota of a store must be at least %d MiB",
			       (int)(CAP_BYTES_MIN >> 20));
	*c = (struct cap){
		.dir = dir, .catalogue = catalogue, .limit = limit, .retain = *retain, .now = now ? now : clock_wall_ns
	};
	pthread_mutex_init(&c->lock, NULL);
	catalogue_set_limit(catalogue, limit / 20, err);
	return cap_recount(c, err);
}

void cap_destroy(struct cap *c)
{
	pthread_mutex_destroy(&c->lock);
	retain_release(&c->retain);
}

/* With the lock held. */
static uint64_t sum_used(const struct cap *c)
{
	uint64_t sum = c->reserved;

	for (int i = 0; i < N_CAP_KINDS; i++)
		sum += c->used[i];
	return sum;
}

uint64_t cap_used(struct cap *c)
{
	uint64_t sum;

	pthread_mutex_lock(&c->lock);
	sum = sum_used(c) - c->reserved;
	pthread_mutex_unlock(&c->lock);
	return sum + catalogue_bytes(c->catalogue);
}

void cap_get_used(struct cap *c, uint64_t used[N_CAP_KINDS])
{
	pthread_mutex_lock(&c->lock);
	memcpy(used, c->used, sizeof(c->used));
	pthread_mutex_unlock(&c->lock);
}

/* The bytes that are missing for a reservation of n; 0: it was made. */
static uint64_t try_reserve(struct cap *c, uint64_t n)
{
	uint64_t need = catalogue_bytes_max(c->catalogue) + FOLDERS_ROOM + n;

	pthread_mutex_lock(&c->lock);
	need += sum_used(c);
	if (need <= c->limit)
		c->reserved += n;
	pthread_mutex_unlock(&c->lock);
	return need <= c->limit ? 0 : need - c->limit;
}

bool cap_try_reserve(struct cap *c, uint64_t n)
{
	return try_reserve(c, n) == 0;
}

void cap_settle(struct cap *c, enum cap_kind kind, uint64_t reserved, uint64_t actual)
{
	pthread_mutex_lock(&c->lock);
	c->reserved -= reserved < c->reserved ? reserved : c->reserved;
	c->used[kind] += actual;
	c->n_changes++;
	pthread_mutex_unlock(&c->lock);
}

void cap_release(struct cap *c, enum cap_kind kind, uint64_t bytes)
{
	pthread_mutex_lock(&c->lock);
	c->used[kind] -= bytes < c->used[kind] ? bytes : c->used[kind];
	c->n_changes++;
	pthread_mutex_unlock(&c->lock);
}

struct remover {
	uint64_t bytes;
};

static void remove_entry(void *arg, int at, const char *name, const struct stat *st, unsigned depth)
{
	struct remover *r = arg;

	(void)depth;
	if (S_ISDIR(st->st_mode) ? unlinkat(at, name, AT_REMOVEDIR) == 0 : os_unlink(at, name) == 0)
		r->bytes += (uint64_t)st->st_blocks * 512;
}

/* Remove everything in bad/ and tmp/. */
static int remove_refuse(struct cap *c, struct err *err)
{
	static const char *const folder[] = { "bad", "tmp" };
	int rc = 0;

	for (int i = 0; rc == 0 && i < 2; i++) {
		struct remover r = { 0 };
		struct catalogue_loss loss = { .ts = c->now(), .t0 = c->now(), .t1 = c->now(), .what = "damaged" };

		rc = cap_walk(c->dir, folder[i], 0, remove_entry, &r, err);
		cap_release(c, kind_of(folder[i]), r.bytes);
		loss.bytes = r.bytes;
		if (rc < 0 || i > 0 || r.bytes == 0)
			continue;
		rc = catalogue_begin(c->catalogue, err);
		if (rc == 0)
			rc = catalogue_add_loss(c->catalogue, &loss, err);
		if (rc == 0)
			rc = catalogue_commit(c->catalogue, err);
		catalogue_rollback(c->catalogue);
	}
	return rc;
}

/* Remove segments: the rows in one transaction, then the files. */
static int remove_segments(struct cap *c, const struct catalogue_segment *row, size_t n, const char *what,
			   struct err *err)
{
	int rc = catalogue_begin(c->catalogue, err);

	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct catalogue_loss loss = { .ts = c->now(),
					       .t0 = row[i].t0,
					       .t1 = row[i].t1,
					       .tier = row[i].tier,
					       .what = what,
					       .profiles = row[i].profiles,
					       .bytes = row[i].bytes };

		rc = catalogue_remove_segment(c->catalogue, row[i].id, err);
		if (rc == 0)
			rc = catalogue_add_loss(c->catalogue, &loss, err);
	}
	if (rc == 0)
		rc = catalogue_commit(c->catalogue, err);
	catalogue_rollback(c->catalogue);
	for (size_t i = 0; rc == 0 && i < n; i++)
		if (os_unlink(c->dir, row[i].file) == 0) {
			cap_release(c, CAP_SEGMENTS, row[i].bytes);
			c->n_removed++;
			c->bytes_removed += row[i].bytes;
		}
	return rc;
}

/* The number of segments at the start of the list that end before a time. */
static size_t count_before(const struct catalogue_segments *s, int64_t t)
{
	size_t n = 0;

	while (n < s->n && s->row[n].t1 <= t)
		n++;
	return n;
}

static void cap_add_line(struct buf *report, const struct catalogue_segment *s, const char *why)
{
	if (!report)
		return;
	buf_addf(report, "remove %s: %" PRIu64 " profiles, ", s->file, s->profiles);
	unit_add_label(report, (int64_t)s->bytes, "bytes", "auto");
	buf_addf(report, ": %s\n", why);
}

int cap_retain(struct cap *c, bool dry_run, struct buf *report, struct err *err)
{
	struct catalogue_segments all;
	size_t n = 0;
	int rc = catalogue_get_segments(c->catalogue, N_TIERS, &all, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < all.n; i++) {
		int64_t age;

		if (__builtin_sub_overflow(c->now(), all.row[i].t1, &age) ||
		    !retain_none_keeps(&c->retain, all.row[i].tier, age))
			continue;
		cap_add_line(report, &all.row[i], "older than the retention");
		all.row[n++] = all.row[i];
	}
	if (n > 0 && !dry_run)
		rc = remove_segments(c, all.row, n, "retain", err);
	catalogue_segments_release(&all);
	return rc;
}

int cap_remove_oldest(struct cap *c, enum store_tier tier, uint64_t bytes, bool *is_done, struct err *err)
{
	struct catalogue_segments all;
	uint64_t sum = 0;
	size_t n, max;
	int rc = catalogue_get_segments(c->catalogue, tier, &all, err);

	if (rc < 0)
		return rc;
	max = count_before(&all, c->now() - CAP_KEEP_SECONDS * NS_PER_S);
	for (n = 0; n < max && sum < bytes; n++)
		sum += all.row[n].bytes;
	*is_done = n == 0;
	if (n > 0)
		rc = remove_segments(c, all.row, n, "cap", err);
	catalogue_segments_release(&all);
	return rc;
}

static void cap_add_bytes(struct buf *b, uint64_t n, const char *what)
{
	unit_add_label(b, n > INT64_MAX ? INT64_MAX : (int64_t)n, "bytes", "auto");
	buf_addz(b, what);
}

/* The largest pin. */
struct largest_pin {
	char name[128];
	uint64_t bytes;
};

static int note_largest(void *arg, const struct catalogue_pin *p, struct err *err)
{
	struct largest_pin *x = arg;

	(void)err;
	if (p->bytes > x->bytes) {
		snprintf(x->name, sizeof(x->name), "%s", p->name);
		x->bytes = p->bytes;
	}
	return 0;
}

/* Say what uses the quota, and what the user may remove. */
static int cap_refuse(struct cap *c, uint64_t n, const char *what, struct err *err)
{
	struct largest_pin pin = { "", 0 };
	uint64_t used[N_CAP_KINDS], reserved;
	struct buf b = { 0 };
	struct err ignored;
	int rc;

	catalogue_each_pin(c->catalogue, NULL, note_largest, &pin, &ignored);
	pthread_mutex_lock(&c->lock);
	memcpy(used, c->used, sizeof(used));
	reserved = c->reserved;
	pthread_mutex_unlock(&c->lock);
	cap_add_bytes(&b, n, "");
	buf_addf(&b, " for %s: of the quota of ", what);
	cap_add_bytes(&b, c->limit, ", segments of the last hour use ");
	cap_add_bytes(&b, used[CAP_SEGMENTS], ", journals ");
	cap_add_bytes(&b, used[CAP_JOURNALS] + reserved, ", pins ");
	cap_add_bytes(&b, used[CAP_PINS], ", other files ");
	cap_add_bytes(&b, used[CAP_BAD] + used[CAP_SPOOL] + used[CAP_OTHER] + FOLDERS_ROOM, ", and the index may use ");
	cap_add_bytes(&b, catalogue_bytes_max(c->catalogue), "; raise the quota, ");
	if (pin.bytes) {
		buf_addf(&b, "remove the pin %s of ", pin.name);
		cap_add_bytes(&b, pin.bytes, " with cpa store unpin, or ");
	}
	buf_addz(&b, "wait until the data is an hour old, or remove data with cpa store rm");
	rc = err_set(err, ERR_LIMIT, "no room of %s", buf_text(&b));
	buf_release(&b);
	return rc;
}

static int free_some(struct cap *c, uint64_t missing, bool *is_done, struct err *err)
{
	int rc;

	if (!c->make_room)
		return cap_remove_oldest(c, TIER_RAW, missing, is_done, err);
	c->is_making_room = true;
	rc = c->make_room(c->make_room_arg, missing, is_done, err);
	c->is_making_room = false;
	return rc;
}

int cap_reserve(struct cap *c, uint64_t n, const char *what, struct err *err)
{
	uint64_t missing = try_reserve(c, n);
	bool is_done = false;
	int rc = 0;

	if (missing > 0 && c->is_making_room) /* by the file that is to make room */
		return err_set(err, ERR_LIMIT, "the quota leaves no room for %s", what);
	if (missing > 0)
		rc = remove_refuse(c, err);
	if (rc == 0 && missing > 0 && (missing = try_reserve(c, n)) > 0)
		rc = cap_retain(c, false, NULL, err);
	while (rc == 0 && missing > 0 && !is_done && (missing = try_reserve(c, n)) > 0)
		rc = free_some(c, missing, &is_done, err);
	while (rc == 0 && missing > 0 && (missing = try_reserve(c, n)) > 0 && c->drop_spool &&
	       c->drop_spool(c->make_room_arg))
		;
	if (rc == 0 && missing > 0 && (missing = try_reserve(c, n)) > 0)
		rc = cap_refuse(c, n, what, err);
	return rc;
}
