/*
 * pin.c - permanent copies of windows
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/arena.h"
#include "base/unit.h"
#include "store/local/format/segment.h"
#include "store/local/os.h"
#include "store/local/read/local.h"
#include "store/local/upkeep/compaction.h"
#include "store/local/upkeep/copy.h"
#include "store/local/upkeep/upkeep.h"
#include "store/local/upkeep/upkeep_int.h"
#include "store/local/write/writer_state.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PIN_NAME_MAX = 64, PIN_ZSTD_LEVEL = 9, PIN_ROOM = 64 << 10 };

#define PIN_FILE "pin/%s.cpx"
static_assert(sizeof(PIN_FILE) + PIN_NAME_MAX <= CATALOGUE_FILE_MAX, "the file of the longest name");

static const char pin_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+";

static int check_name(const char *name, struct err *err)
{
	size_t n = strlen(name);

	if (n == 0 || n > PIN_NAME_MAX || name[0] == '.' || strspn(name, pin_letters) != n)
		return err_set(
			err, ERR_USAGE,
			"pin '%s': a name has 1 to %d letters, digits and . _ - +, and does not begin with a dot", name,
			PIN_NAME_MAX);
	return 0;
}

static int note_pin(void *arg, const struct catalogue_pin *p, struct err *err)
{
	(void)err;
	(void)p;
	*(bool *)arg = true;
	return 0;
}

static int check_new(struct store_writer *w, const char *name, struct err *err)
{
	bool exists = false;
	int rc = catalogue_each_pin(w->catalogue, name, note_pin, &exists, err);

	if (rc == 0 && exists)
		rc = err_set(err, ERR_USAGE, "pin '%s' exists; remove it with: cpa store unpin %s", name, name);
	return rc;
}

/* There must be room for the pin and for the segment of the profiles in the journal. */
static int check_flush_room(struct store_writer *w, uint64_t bytes, struct err *err)
{
	uint64_t journals, profiles;
	int rc;

	writer_get_head(w, &journals, &profiles);
	bytes += profiles ? journals : 0;
	rc = cap_reserve(&w->cap, bytes, "a pin, beside the profiles in the journal", err);
	if (rc == 0)
		cap_settle(&w->cap, CAP_PINS, bytes, 0);
	return rc;
}

/* Pins may use half of the quota. */
static int check_room(struct store_writer *w, uint64_t bytes, struct err *err)
{
	uint64_t used[N_CAP_KINDS];
	struct buf b = { 0 };
	int rc;

	cap_get_used(&w->cap, used);
	if (used[CAP_PINS] + bytes <= w->cap.limit / 2)
		return check_flush_room(w, bytes, err);
	unit_add_label(&b, (int64_t)used[CAP_PINS], "bytes", "auto");
	buf_addz(&b, ", and this one may need ");
	unit_add_label(&b, (int64_t)bytes, "bytes", "auto");
	rc = err_set(err, ERR_LIMIT,
		     "pins may use half of the quota: they use %s; remove one with cpa store unpin, or raise the quota",
		     buf_text(&b));
	buf_release(&b);
	return rc;
}

static int pin_add_chapter(void *arg, const struct chapter *ch, struct err *err)
{
	return writer_file_add(arg, ch, err);
}

static int write_pin(struct store_writer *w, struct store_copy *copy, const char *file, struct catalogue_segment *row,
		     struct err *err)
{
	struct segment_info info = { .tier = copy->tier, .flags = SEGMENT_PIN, .t0 = copy->t0, .t1 = copy->t1 };
	struct store_file *f = NULL;
	int rc = check_room(w, copy->bytes + PIN_ROOM, err);

	if (rc == 0)
		rc = writer_file_begin(w, &info, PIN_ZSTD_LEVEL, copy->bytes + PIN_ROOM, &f, err);
	if (rc == 0)
		rc = copy_run(copy, PIN_ZSTD_LEVEL, NULL, pin_add_chapter, f, err);
	if (rc < 0) {
		writer_file_discard(f);
		return rc;
	}
	return writer_file_finish(f, file, row, NULL, err);
}

static int pin_add_row(struct store_writer *w, const char *name, const char *file, const char *spec, uint64_t bytes,
		       struct err *err)
{
	struct catalogue_pin pin = { .name = name, .file = file, .spec = spec, .made = w->now(), .bytes = bytes };
	int rc = catalogue_begin(w->catalogue, err);

	if (rc == 0)
		rc = catalogue_add_pin(w->catalogue, &pin, err);
	if (rc == 0)
		rc = catalogue_commit(w->catalogue, err);
	catalogue_rollback(w->catalogue);
	if (rc < 0)
		writer_discard_file(w, file, CAP_PINS);
	return rc;
}

static int pin(struct store_writer *w, const char *name, const struct store_query *q, const char *spec, struct err *err)
{
	struct catalogue_segment row = { 0 };
	struct store_copy copy = { 0 };
	struct store *s;
	char file[CATALOGUE_FILE_MAX];
	int rc = local_open(w->directory, &s, err);

	if (rc < 0)
		return rc;
	snprintf(file, sizeof(file), PIN_FILE, name);
	rc = copy_open(s, q, &copy, err);
	if (rc == 0)
		rc = write_pin(w, &copy, file, &row, err);
	if (rc == 0)
		rc = pin_add_row(w, name, file, spec, row.bytes, err);
	select_close(&copy.selection);
	store_close(s);
	return rc;
}

int upkeep_pin(struct store_writer *w, const char *name, const struct store_query *q, const char *spec, struct err *err)
{
	struct err ignored;
	int rc;

	err = err ? err : &ignored;
	rc = check_name(name, err);
	if (rc < 0)
		return rc;
	pthread_mutex_lock(&w->maintenance);
	rc = check_new(w, name, err);
	if (rc == 0)
		rc = pin(w, name, q, spec, err);
	pthread_mutex_unlock(&w->maintenance);
	return rc;
}

struct found_pin {
	char file[CATALOGUE_FILE_MAX];
	bool is_found;
};

static int pin_find_file(void *arg, const struct catalogue_pin *p, struct err *err)
{
	struct found_pin *f = arg;

	(void)err;
	snprintf(f->file, sizeof(f->file), "%s", p->file);
	f->is_found = true;
	return 0;
}

static int unpin(struct store_writer *w, const char *name, struct err *err)
{
	struct found_pin f = { .is_found = false };
	int rc = catalogue_each_pin(w->catalogue, name, pin_find_file, &f, err);

	if (rc < 0)
		return rc;
	if (!f.is_found)
		return err_set(err, ERR_IO, "there is no pin '%s'; cpa store ls --pins lists them", name);
	/* The file is removed first: at the next start, a row without a file is removed, and a file without a row gets one. */
	rc = writer_remove_file(w, f.file, CAP_PINS, err);
	if (rc == 0 && os_sync_folder(w->dir, "pin") < 0)
		rc = err_set(err, ERR_IO, "%s/pin: %s", w->directory, strerror(errno));
	if (rc == 0)
		rc = catalogue_begin(w->catalogue, err);
	if (rc == 0)
		rc = catalogue_remove_pin(w->catalogue, name, err);
	if (rc == 0)
		rc = catalogue_commit(w->catalogue, err);
	catalogue_rollback(w->catalogue);
	return rc;
}

int upkeep_unpin(struct store_writer *w, const char *name, struct err *err)
{
	struct err ignored;
	int rc;

	err = err ? err : &ignored;
	rc = check_name(name, err);
	if (rc < 0)
		return rc;
	pthread_mutex_lock(&w->maintenance);
	rc = unpin(w, name, err);
	pthread_mutex_unlock(&w->maintenance);
	return rc;
}

/* ---- pins after a crash, and damaged pins ---- */

/* All pins of a writer, in memory of their own. */
struct pin_rows {
	struct arena *mem;
	struct catalogue_pin *pin; /* [n] sorted by name */
	size_t n;
};

static int pin_rows_get(struct pin_rows *r, struct store_writer *w, struct err *err)
{
	r->mem = arena_new();
	return catalogue_get_pins(w->catalogue, r->mem, &r->pin, &r->n, err);
}

/* --- after a crash --- */

/* Add or remove the row of a pin in a transaction of its own. */
static int pin_change_row(struct store_writer *w, const struct catalogue_pin *pin, bool add, struct err *err)
{
	int rc = catalogue_begin(w->catalogue, err);

	if (rc == 0)
		rc = add ? catalogue_add_pin(w->catalogue, pin, err)
			 : catalogue_remove_pin(w->catalogue, pin->name, err);
	if (rc == 0)
		rc = catalogue_commit(w->catalogue, err);
	catalogue_rollback(w->catalogue);
	return rc;
}

static int pin_remove_rows(struct store_writer *w, const struct pin_rows *r, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->n; i++) {
		if (faccessat(w->dir, r->pin[i].file, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT)
			continue;
		rc = pin_change_row(w, &r->pin[i], false, err);
		writer_add_note(w, "pin %s: %s is missing; the pin was removed from the index", r->pin[i].name,
				r->pin[i].file);
	}
	return rc;
}

/* Add a row for a file that has none: a pin whose creation was interrupted, or whose row is lost. */
static int pin_adopt(struct store_writer *w, const char *name, const char *file, struct err *err)
{
	struct catalogue_pin pin = { .name = name, .file = file, .spec = "" };
	int fd = openat(w->dir, file, O_RDONLY | O_CLOEXEC), rc;
	struct segment *s = NULL;
	struct err damage;

	if (fd < 0)
		return err_set(err, ERR_IO, "%s/%s: %s", w->directory, file, strerror(errno));
	pin.bytes = cap_file_bytes(fd);
	rc = segment_open(fd, file, &s, &damage);
	close(fd);
	if (rc == ERR_FORMAT) {
		writer_add_note(w, "%s: %s; moved to bad/", file, damage.msg);
		writer_set_aside(w, file, damage.msg);
		return 0;
	}
	if (rc < 0) {
		*err = damage;
		return rc;
	}
	if (__builtin_mul_overflow(segment_get_info(s)->made, INT64_C(1000000), &pin.made))
		pin.made = 0;
	segment_close(s);
	writer_add_note(w, "%s: was not in the index; added as pin %s", file, name);
	return pin_change_row(w, &pin, true, err);
}

static bool pin_has_row(const struct pin_rows *r, const char *file)
{
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->pin[i].file, file) == 0)
			return true;
	return false;
}

static int pin_adopt_files(struct store_writer *w, const struct pin_rows *r, struct err *err)
{
	int rc = 0, fd = openat(w->dir, "pin", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d)
		return err_set(err, ERR_IO, "%s/pin: %s", w->directory, strerror(errno));
	for (struct dirent *e; rc == 0 && (e = readdir(d));) {
		char file[300], name[256];
		const char *end = strrchr(e->d_name, '.');

		if (e->d_name[0] == '.' || !end || strcmp(end, ".cpx") != 0)
			continue;
		snprintf(file, sizeof(file), "pin/%s", e->d_name);
		snprintf(name, sizeof(name), "%.*s", (int)(end - e->d_name), e->d_name);
		if (!pin_has_row(r, file))
			rc = pin_adopt(w, name, file, err);
	}
	closedir(d);
	return rc;
}

int pin_recover(struct store_writer *w, struct err *err)
{
	struct pin_rows r;
	int rc = pin_rows_get(&r, w, err);

	if (rc == 0)
		rc = pin_remove_rows(w, &r, err);
	if (rc == 0)
		rc = pin_adopt_files(w, &r, err);
	arena_free(r.mem);
	return rc;
}

/* --- damage --- */

/* Check a pin; *profiles: that its directory lists. */
static int pin_check_file(const struct store_writer *w, const char *file, uint64_t *profiles, struct err *err)
{
	int fd = openat(w->dir, file, O_RDONLY | O_CLOEXEC);
	struct segment *s = NULL;
	int rc;

	*profiles = 0;
	if (fd < 0)
		return err_set(err, errno == ENOENT ? ERR_FORMAT : ERR_IO, "%s: %s", file, strerror(errno));
	rc = segment_open(fd, file, &s, err);
	close(fd);
	for (uint32_t i = 0; rc == 0 && i < segment_n_chapters(s); i++)
		*profiles += segment_chapter_at(s, i)->profiles;
	if (rc == 0)
		rc = verify_segment(s, true, NULL, err);
	segment_close(s);
	return rc;
}

int pin_repair_all(struct store_writer *w, struct buf *report, struct err *err)
{
	struct pin_rows r;
	int rc = pin_rows_get(&r, w, err);

	for (size_t i = 0; rc == 0 && i < r.n; i++) {
		struct err damage;
		uint64_t profiles;

		rc = pin_check_file(w, r.pin[i].file, &profiles, &damage);
		if (rc == ERR_FORMAT)
			rc = compaction_set_pin_aside(w, &r.pin[i], profiles, damage.msg, report, err);
		else if (rc < 0)
			*err = damage;
	}
	arena_free(r.mem);
	return rc;
}
