/*
 * file.c - writes segments and pins: to tmp/, then under their names
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/time.h"
#include "store/local/layout.h"
#include "store/local/os.h"
#include "store/local/write/writer_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	WRITE_SIZE = 1 << 20,   /* bytes of a write */
	SLACK = 64 << 10,       /* directory, footer, rounding to blocks */
	RESERVE_MORE = 1 << 20, /* for a file that is larger than expected */
};

struct store_file {
	struct store_writer *w;
	struct segment_info info;
	struct segment_writer *segment;
	char id[27]; /* ULID */
	char temporary[40];
	int fd;
	struct buf buf;
	uint64_t written, reserved;
};

/* A ULID: 48 bits of milliseconds, 80 random bits, in base 32. */
static void make_ulid(int64_t ms, char out[27])
{
	static const char digit[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
	uint8_t random[16];
	uint64_t time = (uint64_t)ms & 0xffffffffffff;

	os_random(random, sizeof(random));
	for (int i = 9; i >= 0; i--, time >>= 5)
		out[i] = digit[time & 31];
	for (int i = 0; i < 16; i++)
		out[10 + i] = digit[random[i] & 31];
	out[26] = 0;
}

static int file_fail(const struct store_file *f, const char *name, struct err *err)
{
	return err_set(err, ERR_IO, "%s/%s: %s", f->w->directory, name, strerror(errno));
}

static int file_write_buf(struct store_file *f, struct err *err)
{
	uint64_t need = f->written + f->buf.len + SLACK, more = need > f->reserved ? need - f->reserved : 0;

	if (more && more < RESERVE_MORE && cap_try_reserve(&f->w->cap, RESERVE_MORE))
		f->reserved += RESERVE_MORE;
	else if (more && cap_try_reserve(&f->w->cap, more))
		f->reserved += more;
	else if (more)
		return err_set(err, ERR_LIMIT, "%s: the quota leaves no room for a segment", f->w->directory);
	if (f->buf.len && os_pwrite(f->fd, f->buf.data, f->buf.len, f->written) < 0)
		return file_fail(f, f->temporary, err);
	f->written += f->buf.len;
	f->buf.len = 0;
	return 0;
}

static int file_write_part(void *arg, const void *data, size_t n, struct err *err)
{
	struct store_file *f = arg;

	buf_add(&f->buf, data, n);
	return f->buf.len < WRITE_SIZE ? 0 : file_write_buf(f, err);
}

int writer_file_begin(struct store_writer *w, const struct segment_info *info, int level, uint64_t bytes,
		      struct store_file **out, struct err *err)
{
	struct store_file *f;
	int rc = catalogue_settle(w->catalogue, err);

	if (rc == 0)
		rc = cap_reserve(&w->cap, bytes + SLACK, "a segment", err);
	if (rc < 0)
		return rc;
	f = mem_zalloc(1, sizeof(*f));
	f->w = w;
	f->reserved = bytes + SLACK;
	f->info = *info;
	f->info.made = w->now() / 1000000;
	memcpy(f->info.store, w->uuid, sizeof(w->uuid));
	make_ulid(f->info.made, f->id);
	snprintf(f->temporary, sizeof(f->temporary), "tmp/%s", f->id);
	f->segment = segment_writer_new(&f->info, level, file_write_part, f);
	f->fd = writer_create_file(w, f->temporary, O_RDWR | O_CREAT | O_EXCL, err);
	if (f->fd < 0) {
		rc = f->fd;
		writer_file_discard(f);
		return rc;
	}
	*out = f;
	return 0;
}

int writer_file_add(struct store_file *f, const struct chapter *c, struct err *err)
{
	return segment_writer_add(f->segment, c, err);
}

static void file_free(struct store_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	segment_writer_free(f->segment);
	buf_release(&f->buf);
	free(f);
}

void writer_file_discard(struct store_file *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		os_unlink(f->w->dir, f->temporary);
	cap_settle(&f->w->cap, CAP_SEGMENTS, f->reserved, 0);
	file_free(f);
}

/* "seg/raw/2026/ULID.cps" */
static void name_segment(const struct store_file *f, char file[CATALOGUE_FILE_MAX])
{
	time_t s = (time_t)(f->info.t0 / 1000);
	struct tm tm;
	int year = gmtime_r(&s, &tm) ? tm.tm_year + 1900 : 1970;

	snprintf(file, CATALOGUE_FILE_MAX, "seg/%s/%04d/%s.cps", store_tier_name(f->info.tier),
		 year < 0 || year > 9999 ? 9999 : year, f->id);
}

static int sync_and_rename(struct store_file *f, const char *name, struct err *err)
{
	char folder[64];
	struct stat st;
	int rc;

	if (os_fsync(f->fd) < 0)
		return file_fail(f, f->temporary, err);
	rc = writer_make_folders(f->w, name, err);
	if (rc < 0)
		return rc;
	if (fstatat(f->w->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		errno = EEXIST;
		return file_fail(f, name, err);
	}
	if (os_rename(f->w->dir, f->temporary, name) < 0)
		return file_fail(f, name, err);
	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(name, '/') - name), name);
	if (os_sync_folder(f->w->dir, folder) < 0) {
		rc = file_fail(f, name, err);
		os_unlink(f->w->dir, name);
	}
	return rc;
}

int writer_file_finish(struct store_file *f, const char *name, struct catalogue_segment *row, struct segment **out,
		       struct err *err)
{
	int rc;

	if (name)
		snprintf(row->file, sizeof(row->file), "%s", name);
	else
		name_segment(f, row->file);
	rc = segment_writer_finish(f->segment, &row->crc, err);
	if (rc == 0)
		rc = file_write_buf(f, err);
	if (rc == 0)
		rc = sync_and_rename(f, row->file, err);
	if (rc == 0 && out) {
		rc = segment_open(f->fd, row->file, out, err);
		if (rc < 0)
			os_unlink(f->w->dir, row->file);
	}
	if (rc < 0) {
		writer_file_discard(f);
		return rc;
	}
	row->bytes = cap_file_bytes(f->fd);
	cap_settle(&f->w->cap, name ? CAP_PINS : CAP_SEGMENTS, f->reserved, row->bytes);
	file_free(f);
	return 0;
}

/* ---- moves damaged files out of the way ---- */

enum { BAD_NAMES_MAX = 1000 };

/* Find a name in bad/ that is free. */
static void bad_find_name(int dir, const char *file, char *out, size_t size)
{
	const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	struct stat st;

	snprintf(out, size, "bad/%.100s", base);
	for (int i = 1; i < BAD_NAMES_MAX && fstatat(dir, out, &st, AT_SYMLINK_NOFOLLOW) == 0; i++)
		snprintf(out, size, "bad/%.100s.%d", base, i);
}

static int bad_write_note(int dir, const char *name, mode_t mode, const char *file, const char *why)
{
	struct buf text = { 0 };
	int rc, fd = os_open(dir, name, O_WRONLY | O_CREAT | O_TRUNC, mode & 0660);

	if (fd < 0)
		return -1;
	buf_addf(&text, "%s: %s\n", file, why);
	rc = os_pwrite(fd, text.data, text.len, 0);
	close(fd);
	buf_release(&text);
	return rc;
}

static uint64_t bad_file_bytes(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ? 0 : (uint64_t)st.st_blocks * 512;
}

int bad_move(int dir, const char *directory, mode_t mode, const char *file, const char *why, uint64_t *bytes,
	     struct err *err)
{
	char to[128], note[136];

	if (bytes)
		*bytes = 0;
	bad_find_name(dir, file, to, sizeof(to));
	snprintf(note, sizeof(note), "%s.txt", to);
	if (os_mkdir(dir, "bad", mode) < 0 || os_rename(dir, file, to) < 0) {
		if (errno == ENOENT)
			return 0;
		return err_set(err, ERR_IO, "%s/%s: cannot be moved to bad/: %s", directory, file, strerror(errno));
	}
	os_sync_folder(dir, "bad");
	if (bad_write_note(dir, note, mode, file, why) < 0)
		return err_set(err, ERR_IO, "%s/%s: %s", directory, note, strerror(errno));
	if (bytes)
		*bytes = bad_file_bytes(dir, to) + bad_file_bytes(dir, note);
	return 0;
}

/* ---- creates and removes files of a store for its writer ---- */

int writer_write_header(struct store_writer *w, struct err *err)
{
	struct buf text = { 0 };
	int rc = -1, fd;

	buf_addf(&text, "cpa store %d\nuuid ", STORE_MAJOR);
	for (int i = 0; i < 16; i++)
		buf_addf(&text, "%02x", w->uuid[i]);
	buf_addz(&text, "\nmade ");
	time_add_utc(&text, w->now(), TIME_ISO);
	buf_addz(&text, "\nby cpa " PACKAGE_VERSION "\n");
	fd = writer_create_file(w, "tmp/STORE", O_WRONLY | O_CREAT | O_TRUNC, err);
	if (fd >= 0) {
		if (os_pwrite(fd, text.data, text.len, 0) < 0 || os_fsync(fd) < 0 ||
		    os_rename(w->dir, "tmp/STORE", "STORE") < 0 || os_sync_folder(w->dir, "") < 0)
			rc = err_set(err, ERR_IO, "%s/STORE: %s", w->directory, strerror(errno));
		else
			rc = 0;
		close(fd);
	} else {
		rc = fd;
	}
	buf_release(&text);
	return rc;
}

int writer_create_file(const struct store_writer *w, const char *name, int flags, struct err *err)
{
	int fd = os_open(w->dir, name, flags, w->file_mode);

	if (fd < 0)
		return err_set(err, ERR_IO, "%s/%s: %s", w->directory, name, strerror(errno));
	if ((flags & O_CREAT) &&
	    (fchmod(fd, w->file_mode) < 0 || (w->gid != (gid_t)-1 && fchown(fd, (uid_t)-1, w->gid) < 0))) {
		int saved = errno;

		close(fd);
		return err_set(err, ERR_IO, "%s/%s: %s", w->directory, name, strerror(saved));
	}
	return fd;
}

static int files_make_folder(const struct store_writer *w, const char *folder, const char *parent, struct err *err)
{
	struct stat st;

	if (fstatat(w->dir, folder, &st, 0) == 0 && S_ISDIR(st.st_mode))
		return 0;
	if (os_mkdir(w->dir, folder, w->dir_mode) < 0 || fchmodat(w->dir, folder, w->dir_mode, 0) < 0 ||
	    (w->gid != (gid_t)-1 && fchownat(w->dir, folder, (uid_t)-1, w->gid, 0) < 0) ||
	    os_sync_folder(w->dir, parent) < 0)
		return err_set(err, ERR_IO, "%s/%s: %s", w->directory, folder, strerror(errno));
	return 0;
}

int writer_make_folders(const struct store_writer *w, const char *name, struct err *err)
{
	char folder[256], parent[256] = "";

	for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		int rc;

		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - name), name);
		rc = files_make_folder(w, folder, parent, err);
		if (rc < 0)
			return rc;
		memcpy(parent, folder, sizeof(parent));
	}
	return 0;
}

int writer_remove_file(struct store_writer *w, const char *name, enum cap_kind kind, struct err *err)
{
	struct stat st;

	if (fstatat(w->dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno == ENOENT)
			return 0;
		return err_set(err, ERR_IO, "%s/%s: %s", w->directory, name, strerror(errno));
	}
	if (os_unlink(w->dir, name) < 0)
		return err_set(err, ERR_IO, "%s/%s: %s", w->directory, name, strerror(errno));
	cap_release(&w->cap, kind, (uint64_t)st.st_blocks * 512);
	return 0;
}

void writer_discard_file(struct store_writer *w, const char *name, enum cap_kind kind)
{
	if (!catalogue_is_uncertain(w->catalogue))
		writer_remove_file(w, name, kind, NULL);
}
