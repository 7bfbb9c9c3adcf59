/*
 * pin.c - permanent copies of windows
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/unit.h"
#include "store/local/upkeep/copy.h"
#include "store/local/read/local.h"
#include "store/local/os.h"
#include "store/local/upkeep/upkeep.h"
#include "store/local/write/writer_state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { PIN_NAME_MAX = 64, PIN_ZSTD_LEVEL = 9, PIN_ROOM = 64 << 10 };

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
	struct segment_info info = { .tier = TIER_RAW, .flags = SEGMENT_PIN, .t0 = copy->t0, .t1 = copy->t1 };
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
	char file[PIN_NAME_MAX + 16];
	int rc = local_open(w->directory, &s, err);

	if (rc < 0)
		return rc;
	snprintf(file, sizeof(file), "pin/%s.cpx", name);
	rc = copy_open(s, q, &copy, err);
	if (rc == 0)
		rc = write_pin(w, &copy, file, &row, err);
	if (rc == 0)
		rc = pin_add_row(w, name, file, spec, row.bytes, err);
	copy_close(&copy);
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
	char file[PIN_NAME_MAX + 16];
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
