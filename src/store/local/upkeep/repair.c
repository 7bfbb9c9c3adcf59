/*
 * repair.c - restore the catalogue from the files of a store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/upkeep/upkeep_int.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "store/local/format/journal.h"
#include "store/local/format/segment.h"
#include "store/local/format/segment_file.h"
#include "store/local/layout.h"
#include "store/local/os.h"
#include "store/local/upkeep/compaction.h"
#include "store/local/upkeep/upkeep.h"
#include "store/local/write/writer.h"
#include "store/local/write/writer_state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEW_FOLDER "tmp/rebuild"
static const char *const index_files[] = { "index.db", "index.db-journal", "index.db-wal", "index.db-shm" };
enum { INDEX_FILES = sizeof(index_files) / sizeof(*index_files) };

static const char *const properties[] = { "cap", "next_journal" };
enum { NEXT_JOURNAL = 1, N_PROPERTIES = 2 };

struct rebuild {
	int dir;
	const char *directory;
	struct buf *report;
	struct arena *memory;
	mode_t mode; /* of folders */
	/* from the old index */
	int64_t property[N_PROPERTIES];
	bool has_property[N_PROPERTIES];
	struct buf retain;         /* a property; empty if there is none */
	struct catalogue_pin *pin; /* in memory */
	size_t n_pins;
	/* from the files */
	struct repeats_file *file;
	size_t n_files, files_cap;
	const char **pin_file;
	size_t n_pin_files, pin_files_cap;
	struct catalogue *catalogue; /* the new one */
};

static const char *repair_copy(struct rebuild *r, const char *text)
{
	return arena_strndup(r->memory, text, strlen(text));
}

/* Keep what can be read of the old index, and move its WAL into it: both are replaced, one after the other. */
static void read_old(struct rebuild *r)
{
	struct catalogue *old;
	struct err ignored;

	if (catalogue_open(r->directory, CATALOGUE_WRITE, &old, &ignored) < 0)
		return;
	catalogue_checkpoint(old);
	for (int i = 0; i < N_PROPERTIES; i++)
		r->has_property[i] = catalogue_get_number(old, properties[i], &r->property[i], &ignored) == 1;
	catalogue_get_text(old, "retain", &r->retain, &ignored);
	catalogue_get_pins(old, r->memory, &r->pin, &r->n_pins, &ignored);
	catalogue_close(old);
}

/* Move a file to bad/, and report it. */
static int set_aside(struct rebuild *r, const char *file, const char *why, struct err *err)
{
	int rc = bad_move(r->dir, r->directory, r->mode, file, why, NULL, err);

	if (rc == 0 && r->report && starts_with(why, file))
		buf_addf(r->report, "%s; moved to bad/\n", why);
	else if (rc == 0 && r->report)
		buf_addf(r->report, "%s: %s; moved to bad/\n", file, why);
	return rc;
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t n = strlen(name), k = strlen(suffix);

	return n > k && !strcmp(name + n - k, suffix);
}

static int add_segment_file(struct rebuild *r, const char *path, struct err *err)
{
	int fd = openat(r->dir, path, O_RDONLY | O_CLOEXEC), rc;
	struct segment *s = NULL;
	struct err damage;

	if (fd < 0)
		return errno == ENOENT ? 0 : err_set(err, ERR_IO, "%s/%s: %s", r->directory, path, strerror(errno));
	rc = segment_open(fd, path, &s, &damage);
	close(fd);
	if (rc == ERR_FORMAT)
		return set_aside(r, path, damage.msg, err);
	if (rc < 0) {
		*err = damage;
		return rc;
	}
	r->file = mem_grow(r->file, &r->files_cap, r->n_files + 1, sizeof(*r->file));
	r->file[r->n_files++] = (struct repeats_file){ .name = repair_copy(r, path), .segment = s };
	return 0;
}

static int repair_add_file(struct rebuild *r, const char *path, struct err *err)
{
	if (has_suffix(path, ".cps"))
		return add_segment_file(r, path, err);
	if (has_suffix(path, ".cpx")) {
		r->pin_file = mem_grow(r->pin_file, &r->pin_files_cap, r->n_pin_files + 1, sizeof(*r->pin_file));
		r->pin_file[r->n_pin_files++] = repair_copy(r, path);
	}
	return 0;
}

/* Find the files of a folder and those below it. */
static int repair_find_files(struct rebuild *r, const char *folder, unsigned depth, struct err *err)
{
	int fd = openat(r->dir, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	struct stat st;

	if (!d) {
		rc = errno == ENOENT ? 0 : err_set(err, ERR_IO, "%s/%s: %s", r->directory, folder, strerror(errno));
		if (fd >= 0)
			close(fd);
		return rc;
	}
	while (rc == 0 && (e = readdir(d))) {
		struct buf path = { 0 };

		if (e->d_name[0] == '.' || fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		buf_addf(&path, "%s/%s", folder, e->d_name);
		if (S_ISDIR(st.st_mode) && depth < 3)
			rc = repair_find_files(r, buf_text(&path), depth + 1, err);
		else if (S_ISREG(st.st_mode))
			rc = repair_add_file(r, buf_text(&path), err);
		buf_release(&path);
	}
	closedir(d);
	return rc;
}

/* The row of a segment that is open: its name, bytes and CRC. */
static int make_row(int dir, const char *path, struct catalogue_segment *row, struct err *err)
{
	uint8_t footer[SEGMENT_FOOTER];
	struct stat st;
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC), rc = 0;

	*row = (struct catalogue_segment){ 0 };
	if (fd < 0 || fstat(fd, &st) ||
	    pread(fd, footer, sizeof(footer), st.st_size - SEGMENT_FOOTER) != SEGMENT_FOOTER ||
	    strlen(path) >= sizeof(row->file))
		rc = err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	if (rc < 0)
		return rc;
	memcpy(row->file, path, strlen(path) + 1);
	row->bytes = (uint64_t)st.st_blocks * 512;
	row->crc = (uint32_t)segment_get(footer + 28, 4);
	return 0;
}

/* Add a segment with the series and marks of its chapters; chapters that cannot be read are only reported. */
static int add_to_catalogue(struct catalogue *c, int dir, const char *path, const struct segment *s, struct buf *report,
			    struct err *err)
{
	struct catalogue_segment row;
	int rc = make_row(dir, path, &row, err);

	if (rc == 0)
		rc = catalogue_add_segment(c, &row, s, err);
	for (uint32_t i = 0; rc == 0 && i < segment_n_chapters(s); i++) {
		struct chapter *head;
		struct err damage;

		if (segment_read_chapter_head(s, i, &head, &damage) < 0) {
			if (report)
				buf_addf(report, "%s: %s\n", path, damage.msg);
			continue;
		}
		rc = catalogue_add_series(c, head, err);
		chapter_free(head);
	}
	return rc;
}

static void mark_file(struct rebuild *r, const char *name, size_t n)
{
	for (size_t i = 0; i < r->n_files; i++)
		if (strlen(r->file[i].name) == n && memcmp(r->file[i].name, name, n) == 0)
			r->file[i].is_repeated = true;
}

/* Mark files that a crash left of a replacement of segments by others: the new one, or the old ones that were not removed. */
static void find_replaced(struct rebuild *r)
{
	for (size_t i = 0; i < r->n_files; i++) {
		struct buf names = { 0 };
		enum repeats_sources sources = repeats_find_sources(r->dir, r->file[i].segment, &names);

		if (sources == SOURCES_ALL)
			r->file[i].is_repeated = true;
		for (const char *at = buf_text(&names); sources == SOURCES_SOME && *at;) {
			size_t n = strcspn(at, "\n");

			mark_file(r, at, n);
			at += n + 1;
		}
		buf_release(&names);
	}
}

static int add_segments(struct rebuild *r, struct err *err)
{
	int rc = 0;

	find_replaced(r);
	repeats_find(r->file, r->n_files);
	for (size_t i = 0; rc == 0 && i < r->n_files; i++)
		if (!r->file[i].is_repeated)
			rc = add_to_catalogue(r->catalogue, r->dir, r->file[i].name, r->file[i].segment, r->report,
					      err);
	return rc;
}

static int repair_add_pin(struct rebuild *r, const char *path, struct err *err)
{
	const char *base = path + strlen("pin/");
	struct catalogue_pin pin = { .file = path, .spec = "" };
	int fd = openat(r->dir, path, O_RDONLY | O_CLOEXEC);
	struct segment *s = NULL;
	struct err damage;
	int rc;

	pin.name = arena_strndup(r->memory, base, strlen(base) - strlen(".cpx"));
	if (fd < 0)
		return err_set(err, ERR_IO, "%s/%s: %s", r->directory, path, strerror(errno));
	pin.bytes = cap_file_bytes(fd);
	rc = segment_open(fd, path, &s, &damage);
	close(fd);
	if (rc == ERR_FORMAT)
		return set_aside(r, path, damage.msg, err);
	if (rc < 0) {
		*err = damage;
		return rc;
	}
	pin.made = segment_get_info(s)->made;
	if (__builtin_mul_overflow(pin.made, INT64_C(1000000), &pin.made))
		pin.made = 0;
	segment_close(s);
	for (size_t i = 0; i < r->n_pins; i++)
		if (!strcmp(r->pin[i].name, pin.name))
			pin.spec = r->pin[i].spec;
	return catalogue_add_pin(r->catalogue, &pin, err);
}

/* The number of the first journal that is not in the segments. */
static int find_next_journal(struct rebuild *r, struct err *err)
{
	int64_t *next = &r->property[NEXT_JOURNAL], *seq = NULL;
	size_t n = 0;
	int rc = journal_list(r->dir, r->has_property[NEXT_JOURNAL] ? *next : 0, &seq, &n, err);

	for (size_t i = 0; rc >= 0 && i < n; i++) {
		rc = repeats_has_journal(r->dir, seq[i], r->file, r->n_files, err);
		if (rc == 1) {
			*next = seq[i] + 1;
			r->has_property[NEXT_JOURNAL] = true;
		}
	}
	free(seq);
	return rc < 0 ? rc : 0;
}

static int repair_fill(struct rebuild *r, struct err *err)
{
	int rc = catalogue_begin(r->catalogue, err);

	if (rc == 0)
		rc = add_segments(r, err);
	for (size_t i = 0; rc == 0 && i < r->n_pin_files; i++)
		rc = repair_add_pin(r, r->pin_file[i], err);
	if (rc == 0)
		rc = find_next_journal(r, err);
	for (int i = 0; rc == 0 && i < N_PROPERTIES; i++)
		if (r->has_property[i])
			rc = catalogue_set_number(r->catalogue, properties[i], r->property[i], err);
	if (rc == 0 && r->retain.len)
		rc = catalogue_set_text(r->catalogue, "retain", r->retain.data, err);
	if (rc == 0)
		rc = catalogue_commit(r->catalogue, err);
	catalogue_rollback(r->catalogue);
	return rc;
}

/* Remove the rest of the folder in which the new index is made. */
static void remove_new(struct rebuild *r)
{
	char name[64];

	for (size_t i = 0; i < INDEX_FILES; i++) {
		snprintf(name, sizeof(name), NEW_FOLDER "/%s", index_files[i]);
		os_unlink(r->dir, name);
	}
	unlinkat(r->dir, NEW_FOLDER, AT_REMOVEDIR);
}

static int make_new(struct rebuild *r, struct err *err)
{
	struct buf path = { 0 };
	int rc = 0;

	buf_addf(&path, "%s/%s", r->directory, NEW_FOLDER);
	remove_new(r);
	if (os_mkdir(r->dir, "tmp", r->mode) || os_mkdir(r->dir, NEW_FOLDER, r->mode))
		rc = err_set(err, ERR_IO, "%s: %s", buf_text(&path), strerror(errno));
	if (rc == 0)
		rc = catalogue_open(buf_text(&path), CATALOGUE_CREATE, &r->catalogue, err);
	buf_release(&path);
	if (rc == 0)
		rc = repair_fill(r, err);
	catalogue_close(r->catalogue);
	return rc;
}

/*
 * Replace the old index. Until the new one has its name, a crash leaves the old index, for which this is done again, or none. The
 * WAL is removed before, since it has pages of the old index.
 */
static int replace_old(struct rebuild *r, struct err *err)
{
	struct stat st;
	int rc = 0;

	for (size_t i = 1; i < INDEX_FILES; i++)
		os_unlink(r->dir, index_files[i]);
	if (faccessat(r->dir, "index.db", F_OK, 0) == 0)
		rc = set_aside(r, "index.db", "replaced by a new index", err);
	if (rc < 0)
		return rc;
	/* a store that a group may read stays so */
	if (fstat(r->dir, &st) || fchmodat(r->dir, NEW_FOLDER "/index.db", r->mode & 0640, 0) ||
	    ((r->mode & 0040) && fchownat(r->dir, NEW_FOLDER "/index.db", (uid_t)-1, st.st_gid, 0)))
		return err_set(err, ERR_IO, "%s/" NEW_FOLDER "/index.db: %s", r->directory, strerror(errno));
	if (os_rename(r->dir, NEW_FOLDER "/index.db", "index.db") || os_sync_folder(r->dir, ""))
		return err_set(err, ERR_IO, "%s/index.db: %s", r->directory, strerror(errno));
	remove_new(r);
	for (size_t i = 0; i < r->n_files; i++)
		if (r->file[i].is_repeated) {
			os_unlink(r->dir, r->file[i].name);
			if (r->report)
				buf_addf(r->report, "%s: other segments have all its profiles; removed\n",
					 r->file[i].name);
		}
	return 0;
}

static void rebuild_release(struct rebuild *r)
{
	for (size_t i = 0; i < r->n_files; i++)
		segment_close(r->file[i].segment);
	free(r->file);
	free(r->pin_file);
	buf_release(&r->retain);
	arena_free(r->memory);
}

int upkeep_rebuild_index(int dir, const char *directory, struct buf *report, struct err *err)
{
	struct rebuild r = { .dir = dir, .directory = directory, .report = report, .memory = arena_new() };
	struct err ignored;
	struct stat st;
	uint64_t profiles = 0;
	int rc;

	err = err ? err : &ignored;
	r.mode = fstat(dir, &st) ? 0700 : st.st_mode & 0770;
	read_old(&r);
	rc = repair_find_files(&r, "seg", 0, err);
	if (rc == 0)
		rc = repair_find_files(&r, "pin", 0, err);
	if (rc == 0)
		rc = make_new(&r, err);
	if (rc == 0)
		rc = replace_old(&r, err);
	for (size_t i = 0; i < r.n_files; i++)
		for (uint32_t k = 0; !r.file[i].is_repeated && k < segment_n_chapters(r.file[i].segment); k++)
			profiles += segment_chapter_at(r.file[i].segment, k)->profiles;
	if (rc == 0 && report)
		buf_addf(report, "index.db was made from %zu segments with %" PRIu64 " profiles and %zu pins\n",
			 r.n_files, profiles, r.n_pin_files);
	rebuild_release(&r);
	return rc;
}

/* Open the segments of the catalogue. Rows whose file is missing are removed. */
static int open_segments(struct store_writer *w, const struct catalogue_segments *all, struct repeats_file *file,
			 size_t *n, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < all->n; i++) {
		int fd = openat(w->dir, all->row[i].file, O_RDONLY | O_CLOEXEC);
		struct repeats_file *f = &file[*n];

		if (fd < 0 && errno == ENOENT)
			rc = catalogue_remove_segment(w->catalogue, all->row[i].id, err);
		else if (fd < 0)
			rc = err_set(err, ERR_IO, "%s/%s: %s", w->directory, all->row[i].file, strerror(errno));
		*f = (struct repeats_file){ .name = all->row[i].file };
		if (fd >= 0 && segment_open(fd, f->name, &f->segment, NULL) == 0)
			++*n;
		if (fd >= 0)
			close(fd);
	}
	return rc;
}

/* With a transaction. *is_needed: it has got a row. */
static int adopt(struct store_writer *w, const char *path, const struct segment *s, bool *is_needed, struct buf *report,
		 struct err *err)
{
	struct catalogue_segments all;
	struct repeats_file *file;
	struct buf old = { 0 };
	enum repeats_sources sources = repeats_find_sources(w->dir, s, &old);
	int64_t first = 0;
	size_t n = 0;
	int rc = catalogue_get_segments(w->catalogue, N_TIERS, &all, err);

	if (rc < 0) {
		buf_release(&old);
		return rc;
	}
	file = mem_zalloc(all.n + 1, sizeof(*file));
	rc = open_segments(w, &all, file, &n, err);
	if (rc == 0)
		rc = catalogue_get_number(w->catalogue, "next_journal", &first, err);
	if (rc >= 0 && (sources == SOURCES_ALL || segment_get_info(s)->tier != TIER_RAW))
		rc = sources == SOURCES_ALL;
	else if (rc >= 0)
		rc = repeats_has_segment(w->dir, s, file, n, first, err);
	*is_needed = rc == 0;
	for (size_t i = 0; rc == 0 && sources == SOURCES_SOME && i < all.n;
	     i++) /* their files are removed as orphans */
		if (strstr(buf_text(&old), all.row[i].file))
			rc = catalogue_remove_segment(w->catalogue, all.row[i].id, err);
	if (rc == 0)
		rc = add_to_catalogue(w->catalogue, w->dir, path, s, report, err);
	for (size_t i = 0; i < n; i++)
		segment_close(file[i].segment);
	free(file);
	buf_release(&old);
	catalogue_segments_release(&all);
	return rc < 0 ? rc : 0;
}

int upkeep_adopt_orphan(struct store_writer *w, const char *path, struct buf *report, struct err *err)
{
	int fd = openat(w->dir, path, O_RDONLY | O_CLOEXEC), rc;
	struct segment *s = NULL;
	bool is_needed = false;
	struct err damage;

	rc = catalogue_is_removed(w->catalogue, path, err);
	if (rc != 0 && fd >= 0)
		close(fd);
	if (rc != 0)
		return rc < 0 ? rc : writer_remove_file(w, path, CAP_SEGMENTS, err);
	if (fd < 0)
		return err_set(err, ERR_IO, "%s/%s: %s", w->directory, path, strerror(errno));
	rc = segment_open(fd, path, &s, &damage);
	close(fd);
	if (rc == 0)
		rc = catalogue_begin(w->catalogue, &damage);
	if (rc == 0)
		rc = adopt(w, path, s, &is_needed, report, &damage);
	if (rc == 0)
		rc = catalogue_commit(w->catalogue, &damage);
	catalogue_rollback(w->catalogue);
	segment_close(s);
	if (rc == ERR_FORMAT) {
		struct rebuild r = { .dir = w->dir, .directory = w->directory, .report = report, .mode = w->dir_mode };

		return set_aside(&r, path, damage.msg, err);
	}
	if (rc < 0 && err)
		*err = damage;
	if (rc < 0)
		return rc;
	if (report)
		buf_addf(report, "%s: %s\n", path,
			 is_needed ? "was not in the index; added" : "its profiles are stored elsewhere; removed");
	return is_needed ? 0 : writer_remove_file(w, path, CAP_SEGMENTS, err);
}

/* Move damaged segments to bad/, and keep their sound chapters. */
static int repair_segments(struct store_writer *w, struct buf *report, struct err *err)
{
	struct catalogue_segments all;
	int rc = catalogue_get_segments(w->catalogue, N_TIERS, &all, err);

	for (size_t i = 0; rc == 0 && i < all.n; i++) {
		int fd = openat(w->dir, all.row[i].file, O_RDONLY | O_CLOEXEC);
		struct segment *s = NULL;
		struct err damage;

		rc = fd < 0 ? err_set(&damage, ERR_FORMAT, "%s", strerror(errno))
			    : segment_open(fd, all.row[i].file, &s, &damage);
		if (fd >= 0)
			close(fd);
		if (rc == 0)
			rc = verify_segment(s, true, NULL, &damage);
		segment_close(s);
		if (rc == ERR_FORMAT)
			rc = compaction_set_aside(w, &all.row[i], damage.msg, report, err);
		else if (rc < 0)
			*err = damage;
	}
	catalogue_segments_release(&all);
	return rc;
}

/* Make STORE again, with the uuid that the segments have. */
static int make_header(struct rebuild *r, struct err *err)
{
	struct store_writer w = { .dir = r->dir,
				  .directory = (char *)(uintptr_t)r->directory,
				  .now = clock_wall_ns,
				  .file_mode = r->mode & 0660,
				  .gid = (gid_t)-1 };

	if (r->n_files)
		memcpy(w.uuid, segment_get_info(r->file[0].segment)->store, sizeof(w.uuid));
	else
		os_random(w.uuid, sizeof(w.uuid));
	if (os_mkdir(r->dir, "tmp", r->mode) < 0)
		return err_set(err, ERR_IO, "%s/tmp: %s", r->directory, strerror(errno));
	return writer_write_header(&w, err);
}

/* Replace a header that is missing or damaged, if the directory has files of a store. */
static int repair_header(struct rebuild *r, const struct err *damage, struct err *err)
{
	bool is_missing = faccessat(r->dir, "STORE", F_OK, 0) < 0;
	int64_t *seq = NULL;
	size_t n = 0;
	int rc = repair_find_files(r, "seg", 0, err);

	if (rc < 0)
		return rc;
	if (journal_list(r->dir, 0, &seq, &n, NULL) < 0 ||
	    (!r->n_files && !n && faccessat(r->dir, "index.db", F_OK, 0) < 0))
		rc = err_set(err, ERR_IO, "%s: is not a store", r->directory);
	free(seq);
	if (rc == 0 && !is_missing)
		rc = set_aside(r, "STORE", damage->msg, err);
	if (rc == 0)
		rc = make_header(r, err);
	if (rc == 0 && r->report)
		buf_addz(r->report, "STORE was made again\n");
	return rc;
}

static int repair_check_header(int dir, const char *directory, struct buf *report, struct err *err)
{
	struct rebuild r = { .dir = dir, .directory = directory, .report = report };
	uint8_t uuid[16];
	struct stat st;
	struct err damage;
	int rc = os_read_header(dir, directory, uuid, &damage);

	if (rc == 0)
		return 0;
	if (rc == ERR_UNKNOWN || (rc == ERR_IO && faccessat(dir, "STORE", F_OK, 0) == 0)) {
		*err = damage;
		return rc;
	}
	r.memory = arena_new();
	r.mode = fstat(dir, &st) ? 0700 : st.st_mode & 0770;
	rc = repair_header(&r, &damage, err);
	rebuild_release(&r);
	return rc;
}

static int rebuild_locked(const char *directory, struct buf *report, struct err *err)
{
	int dir = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), lock, rc;

	if (dir < 0)
		return err_set(err, ERR_IO, "%s: %s", directory, strerror(errno));
	/* only a store has a lock file already: nothing is created elsewhere */
	if (faccessat(dir, "STORE", F_OK, 0) < 0 && faccessat(dir, "lock", F_OK, 0) < 0) {
		close(dir);
		return err_set(err, ERR_IO, "%s: is not a store", directory);
	}
	lock = os_lock(dir, directory, "cpa store repair", 0600, NULL, err);
	rc = lock < 0 ? lock : repair_check_header(dir, directory, report, err);
	if (rc == 0)
		rc = upkeep_rebuild_index(dir, directory, report, err);
	if (lock >= 0)
		close(lock);
	close(dir);
	return rc;
}

int upkeep_repair(const char *directory, struct buf *report, struct err *err)
{
	struct store_writer_options o = { .group = "", .owner = "cpa store repair" };
	struct store_writer *w = NULL;
	struct err ignored;
	int rc;

	err = err ? err : &ignored;
	rc = rebuild_locked(directory, report, err);
	if (rc == 0)
		rc = upkeep_open_writer(directory, false, &o, &w, NULL, err);
	if (rc < 0)
		return rc;
	pthread_mutex_lock(&w->maintenance);
	rc = repair_segments(w, report, err);
	if (rc == 0)
		rc = pin_repair_all(w, report, err);
	pthread_mutex_unlock(&w->maintenance);
	writer_take_notes(w, report);
	if (rc < 0)
		upkeep_close_writer(w, NULL);
	else
		rc = upkeep_close_writer(w, err);
	return rc;
}
