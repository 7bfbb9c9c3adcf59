/*
 * verify_all.c - check all files of a store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/str.h"
#include "store/local/catalogue/catalogue.h"
#include "store/local/format/journal.h"
#include "store/local/format/segment.h"
#include "store/local/layout.h"
#include "store/local/read/local.h"
#include "store/local/upkeep/upkeep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct verifier {
	struct store *s;
	int dir;
	bool deep;
	struct stop *stop;
	struct buf *report;
	int damaged;
};

static void verify_note(struct verifier *v, const char *file, const struct err *err)
{
	v->damaged++;
	if (starts_with(err->msg, file)) /* journals name themselves */
		buf_addf(v->report, "%s\n", err->msg);
	else
		buf_addf(v->report, "%s: %s\n", file, err->msg);
}

/* Check a file with a segment. profiles: their number in the catalogue; UINT64_MAX: not known. */
static int verify_check_file(struct verifier *v, const char *file, uint64_t profiles, struct err *err)
{
	int fd = openat(v->dir, file, O_RDONLY | O_CLOEXEC), rc;
	struct segment *s = NULL;
	uint64_t n = 0;

	if (fd < 0)
		return err_set(err, errno == ENOENT ? ERR_FORMAT : ERR_IO, "%s", strerror(errno));
	rc = segment_open(fd, file, &s, err);
	close(fd);
	if (rc == 0)
		rc = verify_segment(s, v->deep, v->stop, err);
	for (uint32_t i = 0; rc == 0 && i < segment_n_chapters(s); i++)
		n += segment_chapter_at(s, i)->profiles;
	if (rc == 0 && profiles != UINT64_MAX && n != profiles)
		rc = err_set(err, ERR_FORMAT, "%" PRIu64 " profiles, but index.db lists %" PRIu64, n, profiles);
	segment_close(s);
	return rc;
}

static int check_segments(struct verifier *v, struct err *err)
{
	struct catalogue_segments all;
	int rc = catalogue_get_segments(local_of(v->s)->catalogue, N_TIERS, &all, err);

	for (size_t i = 0; rc == 0 && i < all.n; i++) {
		struct err damage;

		rc = verify_check_file(v, all.row[i].file, all.row[i].profiles, &damage);
		if (rc == ERR_FORMAT) {
			rc = catalogue_has_file(local_of(v->s)->catalogue, all.row[i].file, err);
			if (rc == 1) /* else the writer has removed it since */
				verify_note(v, all.row[i].file, &damage);
			rc = rc < 0 ? rc : 0;
		} else if (rc < 0 && err) {
			*err = damage;
		}
	}
	catalogue_segments_release(&all);
	return rc;
}

static int check_pin(void *arg, const struct catalogue_pin *p, struct err *err)
{
	struct verifier *v = arg;
	struct err damage;
	int rc = verify_check_file(v, p->file, UINT64_MAX, &damage);

	if (rc == ERR_FORMAT) {
		verify_note(v, p->file, &damage);
		return 0;
	}
	if (rc < 0 && err)
		*err = damage;
	return rc;
}

/* Check a journal; a torn end is no damage: the writer may be adding to it. */
static int check_journal(struct verifier *v, int64_t seq, struct err *err)
{
	struct err damage;
	struct journal_head *h = NULL;
	uint64_t torn;
	char name[32];
	int fd, rc;

	journal_name(seq, name);
	fd = openat(v->dir, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT
			       ? 0
			       : err_set(err, ERR_IO, "%s/%s: %s", local_of(v->s)->directory, name, strerror(errno));
	rc = journal_read(fd, name, &h, &torn, &damage);
	close(fd);
	for (uint32_t i = 0; rc == 0 && v->deep && i < head_n_services(h); i++) {
		struct chapter *ch = NULL;

		rc = head_make_chapter(h, i, 1, &ch, &damage);
		if (rc == 0)
			rc = verify_chapter(ch, true, v->stop, &damage);
		chapter_free(ch);
	}
	head_free(h);
	if (rc == ERR_FORMAT) {
		verify_note(v, name, &damage);
		return 0;
	}
	if (rc < 0 && err)
		*err = damage;
	return rc;
}

static int check_journals(struct verifier *v, struct err *err)
{
	int64_t first = 0, *seq = NULL;
	size_t n = 0;
	int rc = catalogue_get_number(local_of(v->s)->catalogue, "next_journal", &first, err);

	if (rc >= 0)
		rc = journal_list(v->dir, first, &seq, &n, err);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = check_journal(v, seq[i], err);
	free(seq);
	return rc;
}

static int verify_all(struct verifier *v, struct err *err)
{
	struct err damage;
	uint8_t uuid[16];
	int rc = os_read_header(v->dir, local_of(v->s)->directory, uuid, &damage);

	if (rc == ERR_FORMAT)
		verify_note(v, "STORE", &damage);
	rc = catalogue_verify(local_of(v->s)->catalogue, &damage);
	if (rc == ERR_FORMAT) {
		verify_note(v, "index.db", &damage);
		return 0; /* the lists of files cannot be trusted */
	}
	if (rc < 0) {
		*err = damage;
		return rc;
	}
	rc = check_segments(v, err);
	if (rc == 0)
		rc = catalogue_each_pin(local_of(v->s)->catalogue, NULL, check_pin, v, err);
	return rc == 0 ? check_journals(v, err) : rc;
}

int upkeep_verify(struct store *s, bool deep, struct stop *stop, struct buf *report, struct err *err)
{
	struct verifier v = { .s = s, .deep = deep, .stop = stop, .report = report };
	struct err ignored;
	int rc;

	err = err ? err : &ignored;
	v.dir = open(local_of(s)->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (v.dir < 0)
		return err_set(err, ERR_IO, "%s: %s", local_of(s)->directory, strerror(errno));
	rc = verify_all(&v, err);
	close(v.dir);
	return rc < 0 ? rc : v.damaged;
}
