/*
 * journal.c - reads journals
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A batch that is not valid is torn if no valid one follows: the writer ended while it wrote it, or is writing it now. Else
 * it is damaged. Later batches are read as far as they do not refer to lost entries: ids are checked, and a part of a table
 * names its first entry, so a gap is noticed. The writer allocates a file before it writes to it, and leaves zeros after the
 * last batch: a file that ends earlier was cut.
 */
#include "config.h"

#include "store/local/format/journal.h"

#include "base/mem.h"
#include "store/local/format/head.h"
#include "store/local/format/journal_int.h"
#include "store/local/format/pack.h"
#include "store/local/format/segment_file.h"
#include "store/local/format/varint.h"
#include "store/local/layout.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Read up to n bytes; returns their number or -1. */
static ssize_t journal_read_at(int fd, void *data, size_t n, uint64_t offset)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = pread(fd, (char *)data + done, n - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

static bool parse_batch(const uint8_t *p, struct journal_batch *b)
{
	b->crc = (uint32_t)segment_get(p + 4, 4);
	b->number = segment_get(p + 8, 8);
	b->stored = (uint32_t)segment_get(p + 16, 4);
	b->raw = (uint32_t)segment_get(p + 20, 4);
	b->records = (uint32_t)segment_get(p + 24, 4);
	return segment_get(p, 4) == JOURNAL_BATCH_MAGIC && segment_get(p + 28, 4) == pack_crc(p, 28);
}

/* Only written parts are read: a page that was read counts as written from then on, so otherwise each reader would read the whole file,
   and keep it in memory. */
uint64_t journal_find_later_batch(const struct journal_reader *r, uint64_t offset, uint64_t *number)
{
	enum { CHUNK = 64 << 10 };
	uint8_t *data = mem_alloc(CHUNK + JOURNAL_BATCH, 1);
	uint64_t found = 0, end = 0; /* of a written part */

	while (!found && offset + JOURNAL_BATCH <= r->size) {
		uint64_t n;
		struct journal_batch b;

		if (offset >= end) {
			off_t next = lseek(r->fd, (off_t)offset, SEEK_DATA), hole;

			if (next < 0 && errno == ENXIO)
				break;
			if (next > (off_t)offset)
				offset = (uint64_t)next & ~(uint64_t)7; /* a page begins there */
			hole = lseek(r->fd, (off_t)offset, SEEK_HOLE);
			end = hole < 0 ? r->size : (uint64_t)hole;
		}
		n = end - offset < CHUNK + JOURNAL_BATCH ? end - offset : CHUNK + JOURNAL_BATCH;
		if (n < JOURNAL_BATCH) { /* a head that was written does not end in an unwritten part */
			offset = end;
			continue;
		}
		if (journal_read_at(r->fd, data, n, offset) < (ssize_t)n)
			break;
		for (size_t i = 0; !found && i + JOURNAL_BATCH <= n && i < CHUNK; i += 8)
			if (segment_get(data + i, 4) == JOURNAL_BATCH_MAGIC && parse_batch(data + i, &b) &&
			    b.number > r->number) {
				found = offset + i;
				*number = b.number;
			}
		offset += n > CHUNK ? CHUNK : ((n - JOURNAL_BATCH) & ~(uint64_t)7) + 8;
	}
	free(data);
	return found;
}

int journal_read_batch(struct journal_reader *r, struct journal_batch *b, enum batch_state *state, struct err *err)
{
	static const uint8_t zeros[JOURNAL_BATCH];
	uint8_t head[JOURNAL_BATCH];
	ssize_t n = journal_read_at(r->fd, head, sizeof(head), r->offset);

	*state = BATCH_BAD;
	if (n < 0)
		return err_set(err, ERR_IO, "%s: %s", r->name, strerror(errno));
	if (memcmp(head, zeros, (size_t)n) == 0)
		*state = BATCH_NONE;
	if ((size_t)n < sizeof(head) || !parse_batch(head, b) || b->number != r->number ||
	    b->stored > r->size - r->offset || b->raw > JOURNAL_BATCH_RAW_MAX || b->stored > b->raw)
		return 0;
	r->stored.len = r->raw.len = 0;
	n = journal_read_at(r->fd, buf_room(&r->stored, b->stored), b->stored, r->offset + JOURNAL_BATCH);
	if (n < 0)
		return err_set(err, ERR_IO, "%s: %s", r->name, strerror(errno));
	if ((size_t)n < b->stored || pack_crc(r->stored.data, b->stored) != b->crc)
		return 0;
	if (b->stored < b->raw) {
		if (pack_check(b->stored, b->raw, NULL) < 0 || pack_expand((const uint8_t *)r->stored.data, b->stored,
									   buf_room(&r->raw, b->raw), b->raw, NULL) < 0)
			return 0;
		r->raw.len = b->raw;
	} else {
		buf_add(&r->raw, r->stored.data, b->raw);
	}
	*state = BATCH_VALID;
	return 0;
}

/* Remember the first damage. */
static void note_damage(struct journal_reader *r, uint64_t batch, const struct err *err)
{
	if (r->damage->code)
		return;
	*r->damage = *err;
	r->first_damaged = batch;
}

void journal_read_records(struct journal_reader *r, const struct journal_batch *b)
{
	const uint8_t *at = (const uint8_t *)r->raw.data, *end = at + r->raw.len;
	struct err err;

	for (uint32_t i = 0; i < b->records; i++) {
		unsigned tag = at < end ? *at++ : 0;
		uint64_t service, n = 0;
		bool is_cut = !varint_get(&at, end, &service) || !varint_get(&at, end, &n) || n > (size_t)(end - at);
		int rc = is_cut ? err_set(&err, ERR_FORMAT, "it is cut off")
				: head_read_record(r->head, tag, service, at, n, &err);

		if (rc != 0) {
			err_wrap(&err, "%s: batch %" PRIu64 ": record %" PRIu32, r->name, b->number, i + 1);
			r->n_refused += rc < 0 && r->damage->code;
			note_damage(r, b->number, &err);
		}
		if (is_cut)
			return;
		at += n;
	}
	if (at == end)
		return;
	err_set(&err, ERR_FORMAT, "%s: batch %" PRIu64 ": %zu bytes follow its last record", r->name, b->number,
		(size_t)(end - at));
	note_damage(r, b->number, &err);
}

void journal_skip_damage(struct journal_reader *r, uint64_t offset, uint64_t number)
{
	struct err err;

	if (number == r->number + 1)
		err_set(&err, ERR_FORMAT, "%s: batch %" PRIu64 " at byte %" PRIu64 " is damaged", r->name, r->number,
			r->offset);
	else
		err_set(&err, ERR_FORMAT, "%s: batches %" PRIu64 " to %" PRIu64 " at byte %" PRIu64 " are damaged",
			r->name, r->number, number - 1, r->offset);
	note_damage(r, r->number, &err);
	r->offset = offset;
	r->number = number;
}

void journal_pass_batch(struct journal_reader *r, const struct journal_batch *b)
{
	r->offset += JOURNAL_BATCH + (((uint64_t)b->stored + 7) & ~(uint64_t)7);
	r->number++;
}

/* Read all batches. is_torn: the last one is not complete. */
static int read_batches(struct journal_reader *r, bool *is_torn, struct err *err)
{
	for (;;) {
		enum batch_state state;
		struct journal_batch b;
		uint64_t number = 0, later = 0;
		int rc = journal_read_batch(r, &b, &state, err);

		if (rc == 0 && state != BATCH_VALID)
			later = journal_find_later_batch(r, r->offset + 8, &number);
		/* The writer may have completed this batch, and added the later one, since it was read here. */
		if (later)
			rc = journal_read_batch(r, &b, &state, err);
		if (rc < 0)
			return rc;
		if (state == BATCH_VALID) {
			journal_read_records(r, &b);
			journal_pass_batch(r, &b);
		} else if (later) {
			journal_skip_damage(r, later, number);
		} else {
			*is_torn = state == BATCH_BAD && r->offset < r->size;
			return 0;
		}
	}
}

/* Return true if the file ends before the bytes that the writer allocated. allocated: at first; 0: not known */
static bool is_cut(const struct journal_reader *r, uint64_t allocated, bool is_torn)
{
	uint8_t head[JOURNAL_BATCH] = { 0 };
	struct journal_batch b;
	ssize_t n;

	if (allocated && (r->size < allocated || r->size < r->offset + JOURNAL_BATCH ||
			  (r->size > allocated && r->size % JOURNAL_GROW != 0)))
		return true;
	if (!is_torn)
		return false;
	n = journal_read_at(r->fd, head, sizeof(head), r->offset);
	if (n < JOURNAL_BATCH)
		return n > 0;
	return parse_batch(head, &b) && b.number == r->number && b.stored > r->size - r->offset - JOURNAL_BATCH;
}

/* Complete the message about the damage. Returns 0 if there is none. */
static int report_damage(struct journal_reader *r, uint64_t allocated, bool is_torn, struct err *err)
{
	size_t n;

	if (is_cut(r, allocated, is_torn)) {
		err_set(err, ERR_FORMAT,
			"%s: is cut off after %" PRIu64 " bytes; batches after batch %" PRIu64 " may be missing",
			r->name, r->size, r->number - 1);
		note_damage(r, r->number, err);
	}
	if (!r->damage->code)
		return 0;
	n = strlen(r->damage->msg);
	if (r->n_refused)
		snprintf(r->damage->msg + n, sizeof(r->damage->msg) - n,
			 "; %" PRIu64 " later records refer to what is lost", r->n_refused);
	if (err)
		*err = *r->damage;
	return ERR_FORMAT;
}

int journal_read_header(const struct journal_reader *r, struct journal_info *info, struct err *err)
{
	uint8_t p[JOURNAL_HEADER];
	ssize_t n;

	posix_fadvise(r->fd, 0, 0, POSIX_FADV_RANDOM); /* no readahead: see journal_find_later_batch */
	n = journal_read_at(r->fd, p, sizeof(p), 0);
	if (n < 0)
		return err_set(err, ERR_IO, "%s: %s", r->name, strerror(errno));
	if ((size_t)n < sizeof(p) || memcmp(p, JOURNAL_MAGIC, 8) != 0)
		return err_set(err, ERR_FORMAT, "%s: is not a journal of cpa", r->name);
	if (segment_get(p + 8, 2) > STORE_MAJOR)
		return err_set(err, ERR_FORMAT, "%s: has format %u; this cpa reads format %d, a newer cpa is needed",
			       r->name, (unsigned)segment_get(p + 8, 2), STORE_MAJOR);
	if (segment_get(p + 60, 4) != pack_crc(p, 60))
		return err_set(err, ERR_FORMAT, "%s: its header is damaged", r->name);
	memcpy(info->store, p + 16, 16);
	info->seq = (int64_t)segment_get(p + 32, 8);
	info->made_ns = (int64_t)segment_get(p + 40, 8);
	info->allocated = segment_get(p + 48, 8);
	info->rewrites = (uint32_t)segment_get(p + 56, 4);
	return 0;
}

int journal_load(int fd, const char *name, bool has_ids, struct journal_info *info, struct journal_head **out,
		 struct err *err)
{
	struct err damage = { 0 };
	struct journal_reader r = { .fd = fd, .name = name, .offset = JOURNAL_HEADER, .number = 1, .damage = &damage };
	struct stat st;
	int rc;

	*out = NULL;
	*info = (struct journal_info){ 0 };
	if (fstat(fd, &st) < 0)
		return err_set(err, ERR_IO, "%s: %s", name, strerror(errno));
	r.size = (uint64_t)st.st_size;
	rc = journal_read_header(&r, info, err);
	if (rc < 0)
		return rc;
	r.head = head_new(has_ids);
	rc = read_batches(&r, &info->is_torn, err);
	if (rc == 0)
		rc = report_damage(&r, info->allocated, info->is_torn, err);
	info->batches = r.number - 1;
	info->end = r.offset;
	buf_release(&r.stored);
	buf_release(&r.raw);
	if (rc == ERR_IO) {
		head_free(r.head);
		return rc;
	}
	*out = r.head;
	return rc;
}

int journal_read(int fd, const char *name, struct journal_head **out, uint64_t *torn, struct err *err)
{
	struct journal_info info;
	int rc = journal_load(fd, name, false, &info, out, err);

	*torn = info.is_torn ? info.end : 0;
	return rc;
}

void journal_name(int64_t seq, char name[32])
{
	snprintf(name, 32, "journal/%08" PRId64 ".cpj", seq);
}

static int journal_compare_numbers(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The number of a file name; -1 if it is not that of a journal. */
static int64_t journal_parse_name(const char *name)
{
	char *end;
	int64_t seq = *name >= '0' && *name <= '9' ? strtoll(name, &end, 10) : -1;

	return seq >= 0 && end - name >= 8 && strcmp(end, ".cpj") == 0 ? seq : -1;
}

int journal_list(int dir, int64_t first, int64_t **seq, size_t *n, struct err *err)
{
	int fd = openat(dir, "journal", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	size_t cap = 0;

	*seq = NULL;
	*n = 0;
	if (!folder) {
		int saved = errno;

		if (fd >= 0)
			close(fd);
		return err_set(err, ERR_IO, "journal: %s", strerror(saved));
	}
	for (struct dirent *e; (e = readdir(folder));) {
		int64_t number = journal_parse_name(e->d_name);

		if (number < 0 || number < first)
			continue;
		*seq = mem_grow(*seq, &cap, *n + 1, sizeof(**seq));
		(*seq)[(*n)++] = number;
	}
	closedir(folder);
	if (*n)
		qsort(*seq, *n, sizeof(**seq), journal_compare_numbers);
	return 0;
}

/* ---- checks the records of a batch before they are written to a journal ---- */

void journal_counts_read(struct journal_counts *c, const struct journal_head *h)
{
	c->service = mem_grow(c->service, &c->cap, h->n + 1, sizeof(*c->service));
	c->n = h->n;
	for (size_t i = 0; i < h->n; i++)
		for (int t = 0; t < DICT_TABLES_END; t++)
			c->service[i].n[t] = h->service[i].logged[t];
}

void journal_counts_copy(struct journal_counts *to, const struct journal_counts *from)
{
	to->service = mem_grow(to->service, &to->cap, from->n + 1, sizeof(*to->service));
	to->n = from->n;
	if (from->n)
		memcpy(to->service, from->service, from->n * sizeof(*to->service));
}

void journal_counts_release(struct journal_counts *c)
{
	free(c->service);
	*c = (struct journal_counts){ 0 };
}

static int journal_check_service(struct journal_counts *c, uint64_t service, struct err *err)
{
	if (service != c->n)
		return err_set(err, ERR_FORMAT, "service %" PRIu64 " follows %zu services", service, c->n);
	c->service = mem_grow(c->service, &c->cap, c->n + 1, sizeof(*c->service));
	c->service[c->n++] = (struct journal_entries){ 0 };
	return 0;
}

static int journal_check_reference(const struct journal_entries *has, enum dict_table table, uint64_t id,
				   struct err *err)
{
	if (id < has->n[table])
		return 0;
	return err_set(err, ERR_FORMAT, "entry %" PRIu64 " of %" PRIu64 " %s does not exist", id, has->n[table],
		       dict_table_name(table));
}

static int journal_check_profile(const struct journal_entries *has, const uint8_t *at, const uint8_t *end,
				 struct err *err)
{
	uint64_t series, meta, n, delta, row = 0;
	int64_t start_ns, duration_ns;
	int rc;

	if (!varint_get(&at, end, &series) || !varint_get(&at, end, &meta) || !varint_get_signed(&at, end, &start_ns) ||
	    !varint_get_signed(&at, end, &duration_ns) || !varint_get(&at, end, &n))
		return err_set(err, ERR_FORMAT, "a profile is cut off");
	rc = journal_check_reference(has, DICT_SERIES, series, err);
	if (rc == 0)
		rc = journal_check_reference(has, DICT_METAS, meta, err);
	for (uint64_t i = 0; rc == 0 && i < n; i++) {
		if (!varint_get(&at, end, &delta) || __builtin_add_overflow(row, delta, &row))
			return err_set(err, ERR_FORMAT, "row %" PRIu64 " of a profile is cut off", i);
		rc = journal_check_reference(has, DICT_ROWS, row, err);
	}
	return rc;
}

static int journal_check_record(struct journal_counts *c, unsigned tag, uint64_t service, const uint8_t *at, size_t n,
				struct err *err)
{
	const uint8_t *end = at + n;
	uint64_t items = 0, first = 0;

	if (tag == RECORD_SERVICE)
		return journal_check_service(c, service, err);
	if (service >= c->n)
		return err_set(err, ERR_FORMAT, "service %" PRIu64 " of %zu does not exist", service, c->n);
	if (tag == RECORD_PROFILE)
		return journal_check_profile(&c->service[service], at, end, err);
	if (tag == RECORD_MARK)
		return 0;
	if (tag < DICT_STRINGS || tag >= DICT_TABLES_END || !varint_get(&at, end, &items) ||
	    !varint_get(&at, end, &first))
		return err_set(err, ERR_FORMAT, "entries of a table are cut off");
	if (first != c->service[service].n[tag])
		return err_set(err, ERR_FORMAT, "%s begin at entry %" PRIu64 ", but the file has %" PRIu64,
			       dict_table_name((enum dict_table)tag), first, c->service[service].n[tag]);
	c->service[service].n[tag] += items;
	return 0;
}

int journal_check_records(struct journal_counts *c, const struct buf *records, uint32_t n, struct err *err)
{
	const uint8_t *at = (const uint8_t *)records->data, *end = at + records->len;

	for (uint32_t i = 0; i < n; i++) {
		unsigned tag = at < end ? *at++ : 0;
		uint64_t service, length = 0;
		int rc;

		if (!varint_get(&at, end, &service) || !varint_get(&at, end, &length) || length > (size_t)(end - at))
			rc = err_set(err, ERR_FORMAT, "it is cut off");
		else
			rc = journal_check_record(c, tag, service, at, length, err);
		if (rc < 0)
			return err_wrap(err, "record %" PRIu32, i + 1);
		at += length;
	}
	if (at != end)
		return err_set(err, ERR_FORMAT, "%zu bytes follow the last record", (size_t)(end - at));
	return 0;
}
