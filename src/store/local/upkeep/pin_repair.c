/*
 * pin_repair.c - pins after a crash, and damaged pins
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/upkeep/pin_repair.h"

#include "base/arena.h"
#include "store/local/upkeep/compaction.h"
#include "store/local/write/flush.h"
#include "store/local/format/verify.h"
#include "store/local/write/writer_state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
