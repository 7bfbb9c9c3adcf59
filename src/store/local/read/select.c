/*
 * select.c - the chapters that a query reads, with their files open
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Chapters and journals are selected, and their files opened, in one short transaction of the catalogue. If a file is gone,
 * the writer has replaced it since the transaction began: the selection starts again with the new state. A journal that
 * was flushed and removed before the folder was listed is not missed by name. So the number of the first live journal,
 * which a flush changes before it removes the journal, is compared after the transaction.
 */
#include "config.h"

#include "store/local/read/select.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/regex.h"
#include "base/str.h"
#include "base/time.h"
#include "store/local/catalogue/catalogue.h"
#include "store/local/read/local.h"
#include "store/local/tier/tier.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SELECT_TRIES = 10, FILE_GONE = 1 };

/* The index of the chapter that is the damaged part of a journal. */
#define DAMAGED_PART UINT32_MAX

struct select_file {
	const char *name; /* below the directory of the store */
	int fd;           /* -1 when it has been read */
	bool is_journal;
	int rc; /* 0, or why it cannot be read */
	struct err err;
	struct segment *segment;
	struct journal_head *head;
	struct chapter **made; /* [n_made] chapters of a journal: each can be made once */
	size_t n_made;
};

void select_close(struct selection *s)
{
	for (size_t i = 0; i < s->n_files; i++) {
		if (s->file[i].fd >= 0)
			close(s->file[i].fd);
		segment_close(s->file[i].segment);
		for (size_t k = 0; k < s->file[i].n_made; k++)
			chapter_free(s->file[i].made[k]);
		free(s->file[i].made);
		head_free(s->file[i].head);
	}
	free(s->file);
	free(s->chapter);
	arena_free(s->arena);
	*s = (struct selection){ 0 };
}

/* Open a file of the store. Returns FILE_GONE if it does not exist. */
static int select_add_file(struct store *s, struct selection *sel, const char *name, bool is_journal,
			   struct select_file **out, struct err *err)
{
	struct buf path = { 0 };
	int fd, rc = 0;

	buf_addf(&path, "%s/%s", local_of(s)->directory, name);
	fd = open(path.data, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		rc = errno == ENOENT ? FILE_GONE : err_set(err, ERR_IO, "%s: %s", path.data, strerror(errno));
	buf_release(&path);
	if (rc)
		return rc;
	*out = &sel->file[sel->n_files++];
	**out = (struct select_file){ .name = arena_strndup(sel->arena, name, strlen(name)),
				      .fd = fd,
				      .is_journal = is_journal };
	return 0;
}

/* The file of a chapter, opened once for all its chapters. */
static int chapter_file(struct store *s, struct selection *sel, const char *name, struct select_file **out,
			struct err *err)
{
	for (size_t i = sel->n_files; i-- > 0;)
		if (strcmp(sel->file[i].name, name) == 0) {
			*out = &sel->file[i];
			return 0;
		}
	return select_add_file(s, sel, name, false, out, err);
}

/* Is it before a window? Slots that begin before a window, and end in it, are selected, to be named. */
static bool select_is_before(const struct catalogue_chapter *c, int64_t t0)
{
	return c->t1 < tier_slot_start(c->tier, t0);
}

static int open_chapters(struct store *s, const struct catalogue_selection *found, int64_t t0, struct selection *sel,
			 struct err *err)
{
	int rc = 0;

	sel->chapter = mem_zalloc(found->n_chapters, sizeof(*sel->chapter));
	for (size_t i = 0; rc == 0 && i < found->n_chapters; i++) {
		const struct catalogue_chapter *c = &found->chapter[i];
		struct select_file *file = NULL;

		if (select_is_before(c, t0))
			continue;
		rc = chapter_file(s, sel, c->file, &file, err);
		if (rc == 0)
			sel->chapter[sel->n++] = (struct select_chapter){
				.service = arena_strndup(sel->arena, c->service, strlen(c->service)),
				.file = file,
				.tier = c->tier,
				.t0 = c->t0,
				.t1 = c->t1,
				.profiles = c->profiles,
				.bytes = c->length,
			};
	}
	return rc;
}

/* Open the journals that are not written as segments: those from next_journal on. */
static int select_open_journals(struct store *s, const int64_t *seq, size_t n, struct selection *sel, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct select_file *file;
		char name[32];

		journal_name(seq[i], name);
		rc = select_add_file(s, sel, name, true, &file, err);
	}
	return rc;
}

/*
 * Find chapters and journals, and open their files. Returns FILE_GONE if one does not exist any more.
 *
 * next_journal   out: the number of the first live journal; unchanged without journals
 */
static int open_files(struct store *s, const struct catalogue_selection *found, bool has_journals, int64_t t0,
		      struct selection *sel, int64_t *next_journal, struct err *err)
{
	int64_t *seq = NULL;
	size_t n = 0;
	int rc = 0;

	if (has_journals) {
		rc = catalogue_get_number(local_of(s)->catalogue, "next_journal", next_journal, err);
		if (rc >= 0)
			rc = journal_list(local_of(s)->dir, *next_journal, &seq, &n, err);
	}
	if (rc == 0) {
		sel->file = mem_zalloc(found->n_chapters + n, sizeof(*sel->file));
		rc = open_chapters(s, found, t0, sel, err);
	}
	if (rc == 0)
		rc = select_open_journals(s, seq, n, sel, err);
	free(seq);
	return rc;
}

struct pin_search {
	const char *name;
	struct buf file, names;
};

static int find_pin(void *arg, const struct catalogue_pin *p, struct err *err)
{
	struct pin_search *search = arg;

	(void)err;
	buf_addf(&search->names, "%s%s", search->names.len ? ", " : "", p->name);
	if (strcmp(p->name, search->name) == 0)
		buf_addz(&search->file, p->file);
	return 0;
}

static int open_pin(struct store *s, const char *name, struct selection *sel, struct err *err)
{
	struct pin_search search = { .name = name };
	struct select_file *file;
	int rc = catalogue_each_pin(local_of(s)->catalogue, NULL, find_pin, &search, err);

	if (rc == 0 && !search.file.len)
		rc = err_set(err, ERR_IO, search.names.len ? "there is no pin %s; pins are %s" : "there is no pin %s",
			     name, buf_text(&search.names));
	if (rc == 0) {
		sel->file = mem_zalloc(1, sizeof(*sel->file));
		rc = select_add_file(s, sel, search.file.data, false, &file, err);
	}
	buf_release(&search.file);
	buf_release(&search.names);
	return rc;
}

/* Does a pattern with * and ? match all of a text? */
static bool glob_matches(const char *pattern, const char *text)
{
	const char *star = NULL, *from = NULL;

	for (;; pattern++, text++) {
		if (*pattern == '*') {
			star = pattern;
			from = text--;
			continue;
		}
		if (!*text && !*pattern)
			return true;
		if (*text && (*pattern == '?' || *pattern == *text))
			continue;
		if (!star || !*from)
			return false;
		pattern = star; /* the star matches one more byte */
		text = from++;
	}
}

bool select_service(const struct store_query *q, const char *service)
{
	return !q->service || (q->is_pattern ? glob_matches(q->service, service) : strcmp(q->service, service) == 0);
}

static int select_compare_chapters(const void *a, const void *b)
{
	const struct select_chapter *x = a, *y = b;
	int order;

	if (x->file->is_journal != y->file->is_journal)
		return x->file->is_journal ? 1 : -1;
	order = x->t0 < y->t0 ? -1 : x->t0 > y->t0;
	if (order == 0)
		order = strcmp(x->service, y->service);
	return order ? order : strcmp(x->file->name, y->file->name);
}

/* Newest first. */
static int select_compare_ends(const void *a, const void *b)
{
	const struct select_chapter *x = a, *y = b;

	return x->t1 > y->t1 ? -1 : x->t1 < y->t1 ? 1 : select_compare_chapters(a, b);
}

static struct select_chapter *select_add_chapter(struct selection *sel, size_t *cap)
{
	sel->chapter = mem_grow(sel->chapter, cap, sel->n + 1, sizeof(*sel->chapter));
	sel->chapter[sel->n] = (struct select_chapter){ 0 };
	return &sel->chapter[sel->n++];
}

/* Read a journal, and add its chapters. */
static void select_read_journal(const struct store_query *q, struct selection *sel, size_t *cap, struct select_file *f)
{
	uint64_t torn;

	f->rc = journal_read(f->fd, f->name, &f->head, &torn, &f->err);
	if (f->head) {
		f->n_made = head_n_services(f->head);
		f->made = mem_zalloc(f->n_made, sizeof(struct chapter *));
	}
	for (uint32_t i = 0; f->head && i < head_n_services(f->head); i++) {
		const char *service = head_service(f->head, i);

		if (select_service(q, service)) /* the span is known only to the head; readers check it */
			*select_add_chapter(sel, cap) = (struct select_chapter){
				.service = service, .file = f, .index = i, .t0 = INT64_MIN, .t1 = INT64_MAX
			};
	}
	if (f->rc == ERR_FORMAT)
		sel->is_partial = true;
	else if (f->rc < 0)
		*select_add_chapter(sel, cap) =
			(struct select_chapter){ .service = "", .file = f, .index = DAMAGED_PART };
}

/* Add the chapters of a pin. */
static void read_pin(const struct store_query *q, struct selection *sel, size_t *cap, struct select_file *f)
{
	if (f->rc < 0)
		*select_add_chapter(sel, cap) =
			(struct select_chapter){ .service = "", .file = f, .index = DAMAGED_PART };
	for (uint32_t i = 0; f->segment && i < segment_n_chapters(f->segment); i++) {
		const struct segment_chapter *c = segment_chapter_at(f->segment, i);

		if (select_service(q, c->service) && c->t0 < q->t1 && c->t1 >= q->t0)
			*select_add_chapter(sel, cap) =
				(struct select_chapter){ .service = c->service,
							 .file = f,
							 .tier = segment_get_info(f->segment)->tier,
							 .index = i,
							 .t0 = c->t0,
							 .t1 = c->t1,
							 .profiles = c->profiles,
							 .bytes = c->length };
	}
}

/* Set the index of a chapter in its segment. */
static void find_chapter(struct select_chapter *c, const struct select_file *f)
{
	uint32_t lo = 0, hi = f->segment ? segment_n_chapters(f->segment) : 0;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (strcmp(segment_chapter_at(f->segment, mid)->service, c->service) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	c->index = lo;
	if (f->segment && (lo >= segment_n_chapters(f->segment) ||
			   strcmp(segment_chapter_at(f->segment, lo)->service, c->service) != 0))
		c->index = DAMAGED_PART;
}

/* Map the segments and read the journals that were opened. */
static void select_read_files(const struct store_query *q, struct selection *sel, enum select_which which, bool is_pin)
{
	size_t cap = sel->n;

	for (size_t i = 0; i < sel->n_files; i++) {
		struct select_file *f = &sel->file[i];

		if (f->is_journal) {
			select_read_journal(q, sel, &cap, f);
		} else {
			f->rc = segment_open(f->fd, f->name, &f->segment, &f->err);
			if (is_pin)
				read_pin(q, sel, &cap, f);
		}
		close(f->fd);
		f->fd = -1;
	}
	for (size_t i = 0; i < sel->n; i++)
		if (!sel->chapter[i].file->is_journal && !is_pin)
			find_chapter(&sel->chapter[i], sel->chapter[i].file);
	if (sel->n)
		qsort(sel->chapter, sel->n, sizeof(*sel->chapter),
		      which == SELECT_BEFORE ? select_compare_ends : select_compare_chapters);
}

/* One attempt. Returns FILE_GONE if a file of the catalogue does not exist any more. */
static int select_try_open(struct store *s, const struct store_query *q, enum select_which which, size_t max,
			   struct selection *sel, struct err *err)
{
	struct catalogue_query cq = { q->service, q->is_pattern, q->t0, q->t1 };
	struct catalogue_selection found = { 0 };
	int64_t next = -1, now = -1;
	int rc = catalogue_read_begin(local_of(s)->catalogue, err);

	if (rc < 0)
		return rc;
	if (which == SELECT_WINDOW && cq.t0 > INT64_MIN + NS_PER_DAY && cq.t0 < cq.t1)
		cq.t0 -= NS_PER_DAY; /* the longest slot */
	if (q->pin && *q->pin) {
		rc = open_pin(s, q->pin, sel, err);
	} else {
		rc = which == SELECT_WINDOW ? catalogue_select(local_of(s)->catalogue, &cq, &found, err)
					    : catalogue_select_beside(local_of(s)->catalogue, &cq,
								      which == SELECT_AFTER, max, &found, err);
		if (rc == 0)
			rc = open_files(s, &found, which == SELECT_WINDOW, which == SELECT_WINDOW ? q->t0 : INT64_MIN,
					sel, &next, err);
		catalogue_selection_release(&found);
	}
	catalogue_read_end(local_of(s)->catalogue);
	if (rc == 0 && next >= 0 && catalogue_get_number(local_of(s)->catalogue, "next_journal", &now, err) < 0)
		return err->code;
	return rc == 0 && now != next ? FILE_GONE : rc;
}

static int open_selection(struct store *s, const struct store_query *q, enum select_which which, size_t max,
			  struct selection *out, struct err *err)
{
	struct selection sel = { 0 };
	int rc = FILE_GONE;

	if (local_of(s)->source)
		return local_of(s)->source->open(s, q, which, out, err);
	for (int i = 0; rc == FILE_GONE && i < SELECT_TRIES; i++) {
		select_close(&sel);
		sel.arena = arena_new();
		rc = select_try_open(s, q, which, max, &sel, err);
	}
	if (rc == FILE_GONE)
		rc = err_set(err, ERR_IO,
			     "%s: files of the index do not exist; if this happens again, run cpa store repair",
			     local_of(s)->directory);
	if (rc == 0)
		select_read_files(q, &sel, which, q->pin && *q->pin);
	else
		select_close(&sel);
	*out = sel;
	return rc;
}

/* Remember what a selection lacks, each problem once. */
static void select_add_damage(struct store *s, const struct selection *sel)
{
	for (size_t i = 0; i < sel->n_files; i++) {
		const struct select_file *f = &sel->file[i];

		if (f->is_journal && f->rc == ERR_FORMAT && !strstr(buf_text(&s->damage), f->err.msg))
			buf_addf(&s->damage, "%s; its profiles are missing here\n", f->err.msg);
	}
}

int select_open(struct store *s, const struct store_query *q, struct selection *out, struct err *err)
{
	int rc = open_selection(s, q, SELECT_WINDOW, 0, out, err);

	if (rc == 0)
		select_add_damage(s, out);
	return rc;
}

void select_open_segment(int fd, const char *name, const struct store_query *q, struct selection *out)
{
	struct selection sel = { .arena = arena_new(), .n_files = 1, .file = mem_zalloc(1, sizeof(*sel.file)) };

	*sel.file = (struct select_file){ .name = arena_strndup(sel.arena, name, strlen(name)), .fd = fd };
	select_read_files(q, &sel, SELECT_WINDOW, true);
	*out = sel;
}

void select_take_chapters(const char *name, struct chapter **chapter, size_t n, enum select_which which,
			  struct selection *out)
{
	struct selection sel = { .arena = arena_new(), .n_files = 1, .file = mem_zalloc(1, sizeof(*sel.file)), .n = n };

	*sel.file = (struct select_file){ .name = arena_strndup(sel.arena, name, strlen(name)),
					  .fd = -1,
					  .is_journal = true,
					  .made = chapter,
					  .n_made = n };
	sel.chapter = mem_zalloc(n, sizeof(*sel.chapter));
	for (size_t i = 0; i < n; i++)
		sel.chapter[i] = (struct select_chapter){ .service = chapter[i]->service,
							  .file = sel.file,
							  .index = (uint32_t)i,
							  .t0 = chapter[i]->t0,
							  .t1 = chapter[i]->t1,
							  .profiles = chapter[i]->profiles };
	if (n)
		qsort(sel.chapter, n, sizeof(*sel.chapter),
		      which == SELECT_BEFORE ? select_compare_ends : select_compare_chapters);
	*out = sel;
}

int select_beside(struct store *s, const struct store_query *q, bool after, size_t max, struct selection *out,
		  struct err *err)
{
	return open_selection(s, q, after ? SELECT_AFTER : SELECT_BEFORE, max, out, err);
}

int select_damage(const struct select_chapter *c, struct err *err)
{
	struct buf where = { 0 };

	if (!err)
		return ERR_FORMAT;
	buf_addz(&where, *c->service ? c->service : c->file->name);
	if (*c->service && !starts_with(err->msg, c->file->name))
		buf_addf(&where, " in %s", c->file->name);
	if (*c->service && !c->file->is_journal) {
		buf_addz(&where, ", ");
		select_print_span(c->t0, c->t1, &where);
		buf_addz(&where, ",");
	}
	err_wrap(err, "%s is damaged", where.data);
	buf_release(&where);
	return err->code;
}

/* Chapters of journals are made once, and live as long as the selection. */
static int make_chapter(struct select_file *f, uint32_t i, struct chapter **out, struct err *err)
{
	int rc = f->made[i] ? 0 : head_make_chapter(f->head, i, 1, &f->made[i], err);

	if (rc == 0)
		*out = f->made[i];
	return rc;
}

typedef int select_read_fn(const struct segment *s, uint32_t i, struct chapter **out, struct err *err);

static int select_read_by(const struct select_chapter *c, select_read_fn *read, struct chapter **out, struct err *err)
{
	struct select_file *f = c->file;
	int rc;

	if (c->index == DAMAGED_PART || (!f->is_journal && f->rc < 0)) {
		if (err)
			*err = f->err;
		if (f->rc == 0)
			err_set(err, ERR_FORMAT, "the index has a chapter that this file lacks");
		return f->rc == ERR_IO ? ERR_IO : select_damage(c, err);
	}
	rc = f->is_journal ? make_chapter(f, c->index, out, err) : read(f->segment, c->index, out, err);
	return rc == ERR_FORMAT ? select_damage(c, err) : rc;
}

int select_read(const struct select_chapter *c, struct chapter **out, struct err *err)
{
	return select_read_by(c, segment_read_chapter, out, err);
}

int select_read_frames(const struct select_chapter *c, struct chapter **out, struct err *err)
{
	return select_read_by(c, segment_read_chapter_frames, out, err);
}

int select_read_stacks(const struct select_chapter *c, struct chapter *chapter, struct err *err)
{
	int rc = c->file->is_journal ? 0 : segment_read_stacks(c->file->segment, c->index, chapter, err);

	return rc == ERR_FORMAT ? select_damage(c, err) : rc;
}

void select_drop_pages(const struct select_chapter *c)
{
	if (!c->file->is_journal)
		segment_drop_pages(c->file->segment, c->index);
}

void select_drop_stacks(const struct select_chapter *c, struct chapter *chapter)
{
	if (!c->file->is_journal)
		dict_drop_stacks(&chapter->dict);
}

uint32_t select_count_rows(const struct select_chapter *c)
{
	bool is_readable = c->index != DAMAGED_PART && !c->file->is_journal && c->file->rc == 0;

	return is_readable ? segment_count_entries(c->file->segment, c->index, DICT_ROWS) : 0;
}

bool select_is_kept(const struct select_chapter *c)
{
	return c->file->is_journal;
}

void select_release(const struct select_chapter *c, struct chapter *chapter)
{
	if (c->file->is_journal || !chapter)
		return;
	chapter_free(chapter);
	segment_drop_pages(c->file->segment, c->index);
}

int select_match(const struct label_match *m, const char *value, struct err *err)
{
	bool is_equal;

	if (m->op == MATCH_EQUAL || m->op == MATCH_NOT_EQUAL)
		return (strcmp(m->value, value) == 0) == (m->op == MATCH_EQUAL);
	if (regex_match(m->regex, value, strlen(value), &is_equal, err) < 0)
		return err_wrap(err, "%s of the label %s", m->value, m->name);
	return is_equal == (m->op == MATCH_REGEX);
}

int select_series(const struct store_query *q, const struct chapter *c, const struct dict_series *s, struct err *err)
{
	int rc = 1;

	if (q->kind && *q->kind && strcmp(q->kind, strtab_text(c->dict.str, s->kind)) != 0)
		return 0;
	for (size_t i = 0; rc > 0 && i < q->n_match; i++)
		rc = select_match(&q->match[i], chapter_label(c, s, q->match[i].name), err);
	return rc;
}

/* Is a label one of those in a list "instance,pod"? */
static bool select_is_dropped(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = list; *at; at += *at == ',') {
		size_t length = strcspn(at, ",");

		if (length == n && memcmp(at, name, n) == 0)
			return true;
		at += length;
	}
	return false;
}

/* The label that the query needs and a series has lost; NULL if there is none. */
static const char *select_lost_label(const struct store_query *q, const char *dropped)
{
	for (size_t i = 0; i < q->n_match; i++)
		if (select_is_dropped(dropped, q->match[i].name))
			return q->match[i].name;
	for (size_t i = 0; i < q->n_keep; i++)
		if (select_is_dropped(dropped, q->keep[i]))
			return q->keep[i];
	return NULL;
}

bool select_is_merged(const struct store_query *q, const struct chapter *c, const struct dict_series *s)
{
	const char *dropped = chapter_label(c, s, STORE_MERGED_LABEL);

	if (!*dropped || (q->kind && *q->kind && strcmp(q->kind, strtab_text(c->dict.str, s->kind)) != 0) ||
	    !select_lost_label(q, dropped))
		return false;
	for (size_t i = 0; i < q->n_match; i++)
		if (!select_is_dropped(dropped, q->match[i].name) &&
		    select_match(&q->match[i], chapter_label(c, s, q->match[i].name), NULL) == 0)
			return false;
	return true;
}

int select_fail_merged(const struct store_query *q, const struct chapter *c, const struct dict_series *s,
		       struct err *err)
{
	const char *dropped = chapter_label(c, s, STORE_MERGED_LABEL);
	struct buf text = { 0 };

	buf_addf(&text, "%s/%s: in ", c->service, strtab_text(c->dict.str, s->kind));
	select_print_span(c->t0, c->t1, &text);
	buf_addf(&text,
		 ", the values of all instances are added up (%s is not stored any more), so profiles cannot be "
		 "selected or split by %s; leave it out, or select a later window",
		 dropped, select_lost_label(q, dropped));
	err_set(err, ERR_USAGE, "%s", text.data);
	buf_release(&text);
	return ERR_USAGE;
}

int select_add_stat(const struct select_chapter *from, struct store_stat *out, struct err *err)
{
	bool is_journal = from->file->is_journal;
	uint64_t blocks = 0;
	struct chapter *c = NULL;

	if (from->index == DAMAGED_PART || (!is_journal && from->file->rc < 0))
		return 0;
	if (is_journal ? select_read(from, &c, err)
		       : segment_read_chapter_head(from->file->segment, from->index, &c, err))
		return 0; /* damaged */
	for (uint32_t i = 0; i < c->n_blocks; i++)
		blocks += c->block[i].size;
	if (is_journal) {
		bool is_first = !out->first_ns && !out->last_ns;

		out->head_profiles += c->profiles;
		out->first_ns = is_first || c->t0 < out->first_ns ? c->t0 : out->first_ns;
		out->last_ns = is_first || c->t1 > out->last_ns ? c->t1 : out->last_ns;
	} else {
		out->block_bytes += blocks;
		out->dict_bytes += from->bytes > blocks ? from->bytes - blocks : 0;
	}
	select_release(from, c);
	return 0;
}
