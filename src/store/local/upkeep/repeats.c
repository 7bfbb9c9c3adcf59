/*
 * repeats.c - find files whose profiles are all in other files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/upkeep/upkeep_int.h"

#include "base/mem.h"
#include "store/local/format/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <unistd.h>

/* A set of profile ids. */
struct idset {
	uint8_t (*id)[16]; /* [n] ascending after idset_sort */
	size_t n, cap;
};

/* Add the profiles of a chapter, or of all chapters of a segment. Fails with ERR_FORMAT. */
static int idset_add_chapter(struct idset *s, const struct chapter *ch, struct err *err)
{
	struct buf raw = { 0 };
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < ch->n_blocks; i++) {
		const struct dict_series *series = &ch->dict.series[ch->block[i].series];
		struct block b;

		rc = chapter_open_block(ch, i, &raw, &b, err);
		if (rc < 0)
			break;
		s->id = mem_grow(s->id, &s->cap, s->n + b.n, sizeof(*s->id));
		for (uint32_t k = 0; k < b.n; k++)
			block_profile_id(series->hash, b.start_ns[k], s->id[s->n++]);
		block_release(&b);
	}
	buf_release(&raw);
	return rc;
}

static int idset_add_segment(struct idset *s, const struct segment *segment, struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < segment_n_chapters(segment); i++) {
		struct chapter *ch;

		rc = segment_read_chapter(segment, i, &ch, err);
		if (rc == 0) {
			rc = idset_add_chapter(s, ch, err);
			chapter_free(ch);
		}
	}
	return rc;
}

static int idset_compare_ids(const void *a, const void *b)
{
	return memcmp(a, b, 16);
}

static void idset_sort(struct idset *s)
{
	if (s->n > 0)
		qsort(s->id, s->n, sizeof(*s->id), idset_compare_ids);
}

static bool idset_has(const struct idset *s, const uint8_t id[16])
{
	return s->n > 0 && bsearch(id, s->id, s->n, sizeof(*s->id), idset_compare_ids);
}

static void idset_release(struct idset *s)
{
	free(s->id);
	*s = (struct idset){ 0 };
}

/* Are all ids of a in one of the sets? */
static bool idset_is_within(const struct idset *a, const struct idset *sets, size_t n)
{
	for (size_t i = 0; i < a->n; i++) {
		size_t k = 0;

		while (k < n && !idset_has(&sets[k], a->id[i]))
			k++;
		if (k == n)
			return false;
	}
	return true;
}

/* A block: the first and last start of a series in a file. */
struct repeats_span {
	uint8_t hash[16];
	int64_t t0, t1;
	size_t file;
};

struct repeats_spans {
	struct repeats_span *span;
	size_t n, cap;
};

static void repeats_add_spans(struct repeats_spans *s, const struct segment *segment, size_t file)
{
	for (uint32_t i = 0; i < segment_n_chapters(segment); i++) {
		struct chapter *ch;

		if (segment_read_chapter_head(segment, i, &ch, NULL) < 0)
			continue;
		s->span = mem_grow(s->span, &s->cap, s->n + ch->n_blocks + 1, sizeof(*s->span));
		for (uint32_t k = 0; k < ch->n_blocks; k++) {
			const struct block_entry *b = &ch->block[k];
			struct repeats_span *x = &s->span[s->n++];

			memcpy(x->hash, ch->dict.series[b->series].hash, sizeof(x->hash));
			x->t0 = b->t0;
			x->t1 = b->t1;
			x->file = file;
		}
		chapter_free(ch);
	}
}

static int compare_spans(const void *a, const void *b)
{
	const struct repeats_span *x = a, *y = b;
	int order = memcmp(x->hash, y->hash, sizeof(x->hash));

	return order ? order : (x->t0 > y->t0) - (x->t0 < y->t0);
}

/* Mark files that have a block of the same series and span as another file. */
static void find_suspects(struct repeats_spans *s, bool *is_suspect)
{
	if (s->n > 0)
		qsort(s->span, s->n, sizeof(*s->span), compare_spans);
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = i + 1; k < s->n; k++) {
			if (memcmp(s->span[k].hash, s->span[i].hash, 16) != 0 || s->span[k].t0 > s->span[i].t1)
				break;
			if (s->span[k].file != s->span[i].file)
				is_suspect[s->span[k].file] = is_suspect[s->span[i].file] = true;
		}
}

static int add_set(struct idset *set, const struct segment *s, struct err *err)
{
	int rc = idset_add_segment(set, s, err);

	if (rc < 0)
		idset_release(set);
	else
		idset_sort(set);
	return rc;
}

static void mark_repeated(struct repeats_file *file, size_t n, struct idset *sets)
{
	/* input of compaction has a lower level than its result */
	for (unsigned level = 0; level < 256; level++)
		for (size_t i = 0; i < n; i++) {
			struct idset set = sets[i];

			if (set.n == 0 || segment_get_info(file[i].segment)->level != level)
				continue;
			sets[i] = (struct idset){ 0 };
			file[i].is_repeated |= idset_is_within(&set, sets, n);
			if (file[i].is_repeated)
				idset_release(&set);
			else
				sets[i] = set;
		}
}

enum repeats_sources repeats_find_sources(int dir, const struct segment *s, struct buf *names)
{
	struct chapter *c = NULL;
	size_t n = 0, n_found = 0;

	for (uint32_t i = 0; i < segment_n_chapters(s) && !(c && c->sources); i++) {
		chapter_free(c);
		c = NULL;
		if (segment_read_chapter_head(s, i, &c, NULL) < 0)
			c = NULL;
	}
	for (const char *at = c && c->sources ? c->sources : ""; *at; n++) {
		size_t length = strcspn(at, "\n");
		char name[128];

		snprintf(name, sizeof(name), "%.*s", (int)length, at);
		at += length + (at[length] == '\n');
		if (faccessat(dir, name, F_OK, 0) != 0)
			continue;
		n_found++;
		if (names)
			buf_addf(names, "%s\n", name);
	}
	chapter_free(c);
	return !n ? SOURCES_NONE : n_found == n ? SOURCES_ALL : SOURCES_SOME;
}

void repeats_find(struct repeats_file *file, size_t n)
{
	bool *is_suspect = mem_zalloc(n + 1, sizeof(*is_suspect));
	struct idset *sets = mem_zalloc(n + 1, sizeof(*sets));
	struct repeats_spans s = { 0 };

	for (size_t i = 0; i < n; i++)
		if (segment_get_info(file[i].segment)->tier == TIER_RAW && !file[i].is_repeated)
			repeats_add_spans(&s, file[i].segment, i);
	find_suspects(&s, is_suspect);
	for (size_t i = 0; i < n; i++)
		if (is_suspect[i])
			add_set(&sets[i], file[i].segment, NULL);
	mark_repeated(file, n, sets);
	for (size_t i = 0; i < n; i++)
		idset_release(&sets[i]);
	free(sets);
	free(is_suspect);
	free(s.span);
}

/* The profiles of a journal. A damaged one gives those before the damage. */
static int repeats_read_journal(int dir, int64_t seq, struct idset *set, struct err *err)
{
	char name[32];
	struct journal_head *h = NULL;
	uint64_t torn;
	int fd, rc;

	journal_name(seq, name);
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, ERR_IO, "%s: %s", name, strerror(errno));
	rc = journal_read(fd, name, &h, &torn, err);
	close(fd);
	if (rc == ERR_FORMAT)
		rc = 0;
	for (uint32_t i = 0; rc == 0 && h && i < head_n_services(h); i++) {
		struct chapter *ch = NULL;

		rc = head_make_chapter(h, i, 1, &ch, err);
		if (rc == 0)
			rc = idset_add_chapter(set, ch, err);
		chapter_free(ch);
	}
	head_free(h);
	idset_sort(set);
	return rc;
}

static bool meets(const struct segment *a, const struct segment *b)
{
	const struct segment_info *x = segment_get_info(a), *y = segment_get_info(b);

	return x->t0 < y->t1 && y->t0 < x->t1;
}

int repeats_has_journal(int dir, int64_t seq, const struct repeats_file *file, size_t n, struct err *err)
{
	struct idset *sets = mem_zalloc(n + 1, sizeof(*sets)), journal = { 0 };
	int rc = repeats_read_journal(dir, seq, &journal, err);

	for (size_t i = 0; rc == 0 && journal.n > 0 && i < n; i++)
		if (!file[i].is_repeated)
			add_set(&sets[i], file[i].segment, NULL);
	if (rc == 0)
		rc = journal.n > 0 && idset_is_within(&journal, sets, n);
	for (size_t i = 0; i < n; i++)
		idset_release(&sets[i]);
	idset_release(&journal);
	free(sets);
	return rc;
}

int repeats_has_segment(int dir, const struct segment *s, const struct repeats_file *file, size_t n,
			int64_t first_journal, struct err *err)
{
	struct idset own = { 0 }, *sets;
	int64_t *seq = NULL;
	size_t n_seq = 0;
	int rc = journal_list(dir, first_journal, &seq, &n_seq, err);

	if (rc < 0)
		return rc;
	sets = mem_zalloc(n + n_seq + 1, sizeof(*sets));
	rc = add_set(&own, s, err);
	for (size_t i = 0; rc == 0 && i < n; i++)
		if (segment_get_info(file[i].segment)->tier == TIER_RAW && meets(s, file[i].segment))
			add_set(&sets[i], file[i].segment, NULL);
	for (size_t i = 0; rc == 0 && i < n_seq; i++)
		rc = repeats_read_journal(dir, seq[i], &sets[n + i], err);
	if (rc == 0)
		rc = idset_is_within(&own, sets, n + n_seq);
	for (size_t i = 0; i < n + n_seq; i++)
		idset_release(&sets[i]);
	idset_release(&own);
	free(sets);
	free(seq);
	return rc;
}
