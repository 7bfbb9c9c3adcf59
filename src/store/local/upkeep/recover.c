/*
 * recover.c - repair after a crash: interrupted flushes, torn journals, temporary files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/upkeep/recover.h"

#include "base/mem.h"
#include "store/local/write/flush.h"
#include "store/local/write/writer_journal.h"
#include "store/local/os.h"
#include "store/local/upkeep/pin_repair.h"
#include "store/local/write/bad.h"
#include "store/local/upkeep/repair.h"
#include "store/local/write/seen.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

struct search {
	struct store_writer *w;
	const struct head_service *service;
	bool found;
};

static int recover_find_in_segments(void *arg, const struct stored *p, struct err *err)
{
	struct search *s = arg;
	uint8_t id[16];
	uint64_t content;

	block_profile_id(s->service->dict->series[p->series].hash, p->start_ns, id);
	if (s->found)
		return 0;
	return seen_find(s->w->seen, s->w->generation, s->service->name, id, p->start_ns, &s->found, &content, err);
}

/* Does a segment have the profiles of a journal? A journal is flushed as a whole, so one profile is enough. */
static int is_flushed(struct store_writer *w, const struct store_journal *j, bool *flushed, struct err *err)
{
	struct search s = { .w = w };
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
	if (flushed || (j->batches == 0 && !j->is_damaged))
		writer_drop_journal(w, j);
	else
		*out = j;
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
			rc = writer_remove_file(w, name, CAP_JOURNALS, err);
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
	int rc = empty_folder(w, "tmp", "", err);

	if (rc == 0)
		rc = empty_folder(w, "journal", ".new", err);
	if (rc == 0)
		rc = adopt_orphans(w, "seg", err);
	if (rc >= 0)
		rc = pin_recover(w, err);
	return rc < 0 ? rc : recover_journals(w, err);
}
