/*
 * journal_write.c - appends to journals
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "store/local/write/writer_journal.h"
#include "store/local/layout.h"
#include "store/local/os.h"
#include "store/local/format/pack.h"
#include "store/local/format/segment_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int journal_write_fail(const struct store_writer *w, const struct store_journal *j, struct err *err)
{
	return err_set(err, ERR_IO, "%s/%s: %s", w->directory, j->name, strerror(errno));
}

static struct store_journal *journal_new(int64_t seq)
{
	struct store_journal *j = mem_zalloc(1, sizeof(*j));

	j->seq = seq;
	j->fd = -1;
	j->packer = pack_new(1);
	journal_name(seq, j->name);
	return j;
}

void writer_journal_close(struct store_journal *j)
{
	if (!j)
		return;
	for (uint32_t i = 0; i < j->n_chapters; i++)
		chapter_free(j->chapter[i]);
	free(j->chapter);
	if (j->fd >= 0)
		close(j->fd);
	pack_free(j->packer);
	head_free(j->head);
	free(j->problem);
	journal_counts_release(&j->counts);
	journal_counts_release(&j->next_counts);
	free(j);
}

static int journal_write_header(const struct store_writer *w, const struct store_journal *j, int fd)
{
	uint8_t p[JOURNAL_HEADER] = JOURNAL_MAGIC;

	segment_put(p + 8, 2, STORE_MAJOR);
	memcpy(p + 16, w->uuid, 16);
	segment_put(p + 32, 8, (uint64_t)j->seq);
	segment_put(p + 40, 8, (uint64_t)j->made_ns);
	segment_put(p + 48, 8, j->allocated);
	segment_put(p + 56, 4, j->rewrites);
	segment_put(p + 60, 4, pack_crc(p, 60));
	return os_pwrite(fd, p, sizeof(p), 0);
}

/* Make room for n more bytes after the end, and for zeros after them, which show that the file was not cut. */
static int journal_write_extend(struct store_writer *w, struct store_journal *j, uint64_t n, struct err *err)
{
	uint64_t size = j->end + n + JOURNAL_BATCH, more;

	if (size <= j->allocated)
		return 0;
	size = (size + JOURNAL_GROW - 1) / JOURNAL_GROW * JOURNAL_GROW;
	more = size - j->allocated;
	if (!cap_try_reserve(&w->cap, more))
		return err_set(err, ERR_LIMIT, "%s: the journal is full, and the quota leaves no room to extend it",
			       w->directory);
	if (os_allocate(j->fd, size) < 0) {
		cap_settle(&w->cap, CAP_JOURNALS, more, 0);
		return journal_write_fail(w, j, err);
	}
	cap_settle(&w->cap, CAP_JOURNALS, more, more);
	j->charged += more;
	j->allocated = size;
	return 0;
}

/* Write the records of out as a batch after the last one. */
static int write_batch(struct store_writer *w, struct store_journal *j, const struct buf *records, uint32_t n,
		       struct err *err)
{
	struct buf out = { 0 };
	uint8_t *p;
	size_t stored;
	int rc;

	if (records->len > JOURNAL_BATCH_RAW_MAX)
		return err_set(err, ERR_LIMIT, "%s: a batch of %zu bytes is too large", w->directory, records->len);
	buf_fill(&out, 0, JOURNAL_BATCH);
	pack_add(j->packer, records->data, records->len, &out);
	stored = out.len - JOURNAL_BATCH;
	buf_fill(&out, 0, -stored & 7);
	p = (uint8_t *)out.data;
	segment_put(p, 4, JOURNAL_BATCH_MAGIC);
	segment_put(p + 4, 4, pack_crc(p + JOURNAL_BATCH, stored));
	segment_put(p + 8, 8, j->batches + 1);
	segment_put(p + 16, 4, stored);
	segment_put(p + 20, 4, records->len);
	segment_put(p + 24, 4, n);
	segment_put(p + 28, 4, pack_crc(p, 28));
	rc = journal_write_extend(w, j, out.len, err);
	if (rc == 0 && os_pwrite(j->fd, out.data, out.len, j->end) < 0)
		rc = journal_write_fail(w, j, err);
	if (rc == 0) {
		j->end += out.len;
		j->batches++;
	}
	buf_release(&out);
	return rc;
}

/* Write a batch of the records that are not logged. Fails with ERR_FORMAT if a reader would refuse them. */
static int write_next(struct store_writer *w, struct store_journal *j, struct err *err)
{
	struct buf records = { 0 };
	struct journal_counts counts;
	size_t n_services;
	uint32_t n = head_add_records(j->head, JOURNAL_BATCH_RAW, &records, &n_services);
	int rc;

	journal_counts_copy(&j->next_counts, &j->counts);
	rc = journal_check_records(&j->next_counts, &records, n, err);
	if (rc < 0)
		err_wrap(err, "%s/%s: batch %" PRIu64, w->directory, j->name, j->batches + 1);
	else
		rc = write_batch(w, j, &records, n, err);
	if (rc == 0) {
		counts = j->counts;
		j->counts = j->next_counts;
		j->next_counts = counts;
		head_set_logged(j->head, n_services);
	}
	buf_release(&records);
	return rc;
}

/* "journal/00000001.new" */
static void temporary_name(const struct store_journal *j, char name[32])
{
	snprintf(name, 32, "%.*s.new", (int)(strlen(j->name) - strlen(".cpj")), j->name);
}

static void remove_temporary(const struct store_writer *w, const struct store_journal *j)
{
	char temporary[32];

	temporary_name(j, temporary);
	os_unlink(w->dir, temporary);
}

/* Make the file of a journal, write the head to it, and give it its name, replacing an older file. Not in tmp/, which
   cap_reserve empties. */
static int journal_write_make_file(struct store_writer *w, struct store_journal *j, uint64_t size, struct err *err)
{
	char temporary[32];
	int rc, fd;

	temporary_name(j, temporary);
	fd = writer_create_file(w, temporary, O_RDWR | O_CREAT | O_TRUNC, err);
	if (fd < 0)
		return fd;
	if (j->fd >= 0)
		close(j->fd);
	j->fd = fd;
	j->end = JOURNAL_HEADER;
	j->allocated = size;
	j->batches = j->durable = 0;
	j->counts.n = 0;
	rc = os_allocate(fd, size) < 0 || journal_write_header(w, j, fd) < 0 ? journal_write_fail(w, j, err) : 0;
	while (rc == 0 && j->head->n_dirty)
		rc = write_next(w, j, err);
	if (rc == 0 &&
	    (os_fsync(fd) < 0 || os_rename(w->dir, temporary, j->name) < 0 || os_sync_folder(w->dir, "journal") < 0))
		rc = journal_write_fail(w, j, err);
	if (rc == 0)
		j->durable = j->batches;
	return rc;
}

int writer_journal_create(struct store_writer *w, int64_t seq, uint64_t reserved, struct store_journal **out,
			  struct err *err)
{
	struct store_journal *j = journal_new(seq);
	int rc;

	j->made_ns = w->now();
	j->head = head_new(true);
	rc = journal_write_make_file(w, j, reserved, err);
	if (rc < 0) {
		cap_settle(&w->cap, CAP_JOURNALS, reserved, 0);
		remove_temporary(w, j);
		writer_journal_close(j);
		return rc;
	}
	j->charged = cap_file_bytes(j->fd);
	cap_settle(&w->cap, CAP_JOURNALS, reserved, j->charged);
	*out = j;
	return 0;
}

int writer_journal_reopen(struct store_writer *w, int64_t seq, struct store_journal **out, struct err *err)
{
	struct store_journal *j = journal_new(seq);
	struct journal_info info;
	struct stat st;
	char name[4096];
	int rc;

	snprintf(name, sizeof(name), "%s/%s", w->directory, j->name);
	j->fd = writer_create_file(w, j->name, O_RDWR, err);
	rc = j->fd < 0 ? j->fd : journal_load(j->fd, name, true, &info, &j->head, err);
	if (rc < 0 && (rc != ERR_FORMAT || !j->head)) {
		writer_journal_close(j);
		return rc;
	}
	if (rc == ERR_FORMAT) {
		j->is_damaged = true;
		j->problem = mem_strndup(err->msg, strlen(err->msg));
		writer_add_note(w, "%s; what can be read is kept, the file is moved to bad/", err->msg);
	}
	j->made_ns = info.made_ns;
	j->end = info.end;
	j->batches = info.batches;
	j->rewrites = info.rewrites;
	j->charged = cap_file_bytes(j->fd);
	j->allocated = fstat(j->fd, &st) == 0 ? (uint64_t)st.st_size : info.end;
	head_set_all_logged(j->head);
	journal_counts_read(&j->counts, j->head);
	if (!j->is_damaged && info.is_torn &&
	    (os_clear(j->fd, j->end) < 0 || os_allocate(j->fd, j->allocated) < 0 || os_fsync(j->fd) < 0)) {
		rc = journal_write_fail(w, j, err);
		writer_journal_close(j);
		return rc;
	}
	/* The process that wrote the last batch may have ended before it was synced; followers read synced batches only. */
	if (os_fdatasync(j->fd) < 0)
		j->is_untrusted = !j->is_damaged;
	else
		j->durable = j->batches;
	*out = j;
	return 0;
}

/* A sync failed, so the kernel may have dropped what was written before, or memory and file differ: write everything to a new
   file. */
static int journal_write_replace_file(struct store_writer *w, struct store_journal *j, struct err *err)
{
	uint64_t size = j->allocated, charged = j->charged;
	int rc;

	if (!cap_try_reserve(&w->cap, size))
		return err_set(err, ERR_LIMIT,
			       "%s: the journal must be written again, and the quota leaves no room for another one",
			       w->directory);
	head_set_all_dirty(j->head);
	j->rewrites++;
	j->charged = 0; /* make_file adds the bytes beyond size */
	rc = journal_write_make_file(w, j, size, err);
	cap_release(&w->cap, CAP_JOURNALS, j->charged);
	j->charged = rc < 0 ? charged : cap_file_bytes(j->fd);
	cap_settle(&w->cap, CAP_JOURNALS, size, rc < 0 ? 0 : j->charged);
	if (rc < 0) {
		remove_temporary(w, j);
		return rc;
	}
	cap_release(&w->cap, CAP_JOURNALS, charged);
	j->needs_sync = j->is_untrusted = false;
	return 0;
}

int writer_journal_commit(struct store_writer *w, struct store_journal *j, struct err *err)
{
	/* Each batch is synced before the next one: a batch that is not valid and has a successor is damaged, not torn. */
	while (!j->is_untrusted && (j->head->n_dirty || j->needs_sync)) {
		struct err problem;
		int rc = j->needs_sync ? 0 : write_next(w, j, &problem);

		if (rc == ERR_FORMAT) {
			writer_add_note(w, "%s; the journal was written again", problem.msg);
			j->is_untrusted = true;
			break;
		}
		if (rc < 0) {
			if (err)
				*err = problem;
			return rc;
		}
		j->needs_sync = true;
		j->is_untrusted = os_fdatasync(j->fd) < 0;
		j->needs_sync = false;
		if (!j->is_untrusted)
			j->durable = j->batches;
	}
	return j->is_untrusted ? journal_write_replace_file(w, j, err) : 0;
}
