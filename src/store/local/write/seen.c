/*
 * seen.c - finds profiles that the segments of a store contain already
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * New profiles are usually newer than all segments, and then the spans of chapters are enough. Else the ids of the chapter at
 * that time are listed once, and kept as long as there is room.
 */
#include "config.h"

#include "store/local/write/writer_state.h"

#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "base/time.h"
#include "store/local/catalogue/catalogue.h"
#include "store/local/format/dict.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	IDS_MAX = 1 << 20, /* of all lists; each takes 40 bytes */
	TRIES_MAX = 5,
};

/* A profile of a chapter. */
struct seen_id {
	uint8_t id[16];
	uint32_t block, index;
};

/* The ids of a chapter. */
struct seen_list {
	struct seen_list *next; /* used before this one */
	int64_t segment;
	uint64_t offset;
	struct seen_id *id;
	size_t n, cap;
	struct idtab by_id;
};

/* The chapters of a service, as the catalogue lists them. */
struct seen_service {
	char *name;
	uint64_t generation;
	bool is_loaded;
	struct catalogue_selection chapters;
	int64_t last_ns; /* last start of all chapters */
	int64_t slot_ns; /* NS_PER_DAY if some chapters have slots, else 0 */
};

struct store_seen {
	int dir;
	char *directory;
	struct catalogue *catalogue;
	struct seen_service *service;
	size_t n, cap;
	struct idtab by_name;
	struct seen_list *list; /* the one used last is first */

	/* the chapter from which contents were read last */
	int64_t open_segment;
	uint64_t open_offset, open_generation;
	struct segment *segment;
	struct chapter *chapter;
	struct store_content hashes;
	uint64_t **content; /* [n_blocks] of the profiles of a block; NULL until it was read */
};

struct store_seen *seen_new(int dir, const char *directory)
{
	struct store_seen *s = mem_zalloc(1, sizeof(*s));

	s->dir = dir;
	s->directory = mem_strndup(directory, strlen(directory));
	idtab_init(&s->by_name, 16);
	return s;
}

static void close_chapter(struct store_seen *s)
{
	for (uint32_t i = 0; s->chapter && i < s->chapter->n_blocks; i++)
		free(s->content[i]);
	free(s->content);
	s->content = NULL;
	chapter_free(s->chapter);
	s->chapter = NULL;
	segment_close(s->segment);
	s->segment = NULL;
	content_release(&s->hashes);
}

static void list_free(struct seen_list *l)
{
	free(l->id);
	idtab_release(&l->by_id);
	free(l);
}

void seen_free(struct store_seen *s)
{
	if (!s)
		return;
	close_chapter(s);
	for (struct seen_list *l = s->list, *next; l; l = next) {
		next = l->next;
		list_free(l);
	}
	for (size_t i = 0; i < s->n; i++) {
		if (s->service[i].is_loaded)
			catalogue_selection_release(&s->service[i].chapters);
		free(s->service[i].name);
	}
	free(s->service);
	idtab_release(&s->by_name);
	catalogue_close(s->catalogue);
	free(s->directory);
	free(s);
}

static struct seen_service *seen_find_service(struct store_seen *s, const char *name)
{
	uint64_t hash = hash_bytes(name, strlen(name));
	uint32_t i;

	for (size_t pos = idtab_start(&s->by_name, hash); idtab_next(&s->by_name, hash, &pos, &i);)
		if (strcmp(s->service[i].name, name) == 0)
			return &s->service[i];
	s->service = mem_grow(s->service, &s->cap, s->n + 1, sizeof(*s->service));
	s->service[s->n] = (struct seen_service){ .name = mem_strndup(name, strlen(name)) };
	idtab_put(&s->by_name, hash, (uint32_t)s->n);
	return &s->service[s->n++];
}

static int load_service(struct store_seen *s, struct seen_service *v, uint64_t generation, struct err *err)
{
	struct catalogue_query q = { .service = v->name, .t0 = INT64_MIN, .t1 = INT64_MAX };
	int rc = 0;

	if (v->is_loaded)
		catalogue_selection_release(&v->chapters);
	v->is_loaded = false;
	if (!s->catalogue)
		rc = catalogue_open(s->directory, CATALOGUE_READ, &s->catalogue, err);
	if (rc == 0)
		rc = catalogue_read_begin(s->catalogue, err);
	if (rc < 0)
		return rc;
	rc = catalogue_select(s->catalogue, &q, &v->chapters, err);
	catalogue_read_end(s->catalogue);
	if (rc < 0)
		return rc;
	v->is_loaded = true;
	v->generation = generation;
	v->last_ns = INT64_MIN;
	v->slot_ns = 0;
	for (size_t i = 0; i < v->chapters.n_chapters; i++) {
		if (v->chapters.chapter[i].t1 > v->last_ns)
			v->last_ns = v->chapters.chapter[i].t1;
		if (v->chapters.chapter[i].tier != TIER_RAW)
			v->slot_ns = NS_PER_DAY;
	}
	return 0;
}

/* Open a chapter of a segment. Returns 1 if the file is gone. */
static int open_chapter(struct store_seen *s, const struct catalogue_chapter *c, struct err *err)
{
	int rc, fd;
	uint32_t i = 0;

	close_chapter(s);
	fd = openat(s->dir, c->file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 1 : err_set(err, ERR_IO, "%s/%s: %s", s->directory, c->file, strerror(errno));
	rc = segment_open(fd, c->file, &s->segment, err);
	close(fd);
	if (rc < 0)
		return rc;
	while (i < segment_n_chapters(s->segment) && segment_chapter_at(s->segment, i)->offset != c->offset)
		i++;
	rc = i < segment_n_chapters(s->segment)
		     ? segment_read_chapter(s->segment, i, &s->chapter, err)
		     : err_set(err, ERR_FORMAT, "%s: has no chapter of %s", c->file, c->service);
	if (rc < 0) {
		close_chapter(s);
		return rc;
	}
	s->content = mem_zalloc(s->chapter->n_blocks + 1, sizeof(*s->content));
	s->open_segment = c->segment;
	s->open_offset = c->offset;
	return 0;
}

static void seen_add_id(struct seen_list *l, const uint8_t hash[16], int64_t start_ns, uint32_t block, uint32_t index)
{
	struct seen_id *id;
	uint64_t h;

	l->id = mem_grow(l->id, &l->cap, l->n + 1, sizeof(*l->id));
	id = &l->id[l->n];
	block_profile_id(hash, start_ns, id->id);
	id->block = block;
	id->index = index;
	memcpy(&h, id->id, sizeof(h));
	idtab_put(&l->by_id, h, (uint32_t)l->n++);
}

/* List the ids of the open chapter; damaged blocks are left out. */
static struct seen_list *seen_make_list(struct store_seen *s, const struct catalogue_chapter *c)
{
	struct seen_list *l = mem_zalloc(1, sizeof(*l));
	struct buf buffer = { 0 };

	l->segment = c->segment;
	l->offset = c->offset;
	idtab_init(&l->by_id, s->chapter ? (size_t)s->chapter->profiles : 0);
	for (uint32_t i = 0; s->chapter && i < s->chapter->n_blocks; i++) {
		const uint8_t *hash = s->chapter->dict.series[s->chapter->block[i].series].hash;
		struct block b;

		buffer.len = 0;
		if (chapter_open_block(s->chapter, i, &buffer, &b, NULL) < 0)
			continue;
		for (uint32_t k = 0; k < b.n; k++)
			if (!b.slot || b.slot[k].role == SLOT_SUM)
				seen_add_id(l, hash, b.start_ns[k], i, k);
		block_release(&b);
	}
	buf_release(&buffer);
	return l;
}

/* Forget the lists that were not used for the longest time. */
static void limit_lists(struct store_seen *s)
{
	size_t n = 0;
	struct seen_list **at = &s->list;

	while (*at && (at == &s->list || n + (*at)->n <= IDS_MAX)) {
		n += (*at)->n;
		at = &(*at)->next;
	}
	while (*at) {
		struct seen_list *l = *at;

		*at = l->next;
		list_free(l);
	}
}

/* The ids of a chapter, first in s->list. Returns 1 if the file is gone. */
static int find_list(struct store_seen *s, const struct catalogue_chapter *c, struct err *err)
{
	struct seen_list **at = &s->list, *l;
	int rc;

	while (*at && ((*at)->segment != c->segment || (*at)->offset != c->offset))
		at = &(*at)->next;
	l = *at;
	if (l) {
		*at = l->next;
	} else {
		rc = open_chapter(s, c, err);
		if (rc > 0 || rc == ERR_IO)
			return rc;
		l = seen_make_list(s, c);
	}
	l->next = s->list;
	s->list = l;
	limit_lists(s);
	return 0;
}

/* Compute the contents of a block of the open chapter. */
static int read_contents(struct store_seen *s, uint32_t i, struct err *err)
{
	struct buf buffer = { 0 };
	struct stored *p;
	struct block b;
	int rc = chapter_open_block(s->chapter, i, &buffer, &b, err);

	if (rc < 0) {
		buf_release(&buffer);
		return rc;
	}
	p = mem_zalloc(b.n, sizeof(*p));
	rc = block_profiles(&b, p, err);
	if (rc == 0) {
		s->content[i] = mem_alloc(b.n, sizeof(**s->content));
		for (uint32_t k = 0; k < b.n; k++) {
			p[k].series = s->chapter->block[i].series;
			s->content[i][k] = content_hash(&s->hashes, &s->chapter->dict, &p[k]);
			dict_release_stored(&p[k]);
		}
	}
	free(p);
	block_release(&b);
	buf_release(&buffer);
	return rc;
}

/* Find a profile in a chapter. Returns 1 if the file is gone. */
static int find_in_chapter(struct store_seen *s, const struct catalogue_chapter *c, const uint8_t id[16], bool *found,
			   uint64_t *content, struct err *err)
{
	const struct seen_id *e = NULL;
	uint64_t hash;
	uint32_t i;
	int rc = find_list(s, c, err);

	if (rc)
		return rc;
	memcpy(&hash, id, sizeof(hash));
	for (size_t pos = idtab_start(&s->list->by_id, hash); !e && idtab_next(&s->list->by_id, hash, &pos, &i);)
		if (memcmp(s->list->id[i].id, id, 16) == 0)
			e = &s->list->id[i];
	if (!e)
		return 0;
	if (!s->chapter || s->open_segment != c->segment || s->open_offset != c->offset)
		rc = open_chapter(s, c, err);
	if (rc == 0 && !s->content[e->block])
		rc = read_contents(s, e->block, err);
	if (rc == ERR_FORMAT)
		return 0;
	if (rc == 0) {
		*found = true;
		*content = s->content[e->block][e->index];
	}
	return rc;
}

/* Does a chapter of a tier have the slot of a series at a time? Returns 1 if the file is gone. */
static int find_slot(struct store_seen *s, const struct catalogue_chapter *c, const uint8_t hash[16], int64_t start_ns,
		     bool *found, struct err *err)
{
	static const int64_t length[N_TIERS] = { 1, 10 * NS_PER_MINUTE, NS_PER_HOUR, NS_PER_DAY };
	int64_t slot = start_ns - (start_ns % length[c->tier] + length[c->tier]) % length[c->tier];
	uint8_t id[16];
	uint64_t content;

	if (slot < c->t0 || slot > c->t1)
		return 0;
	block_profile_id(hash, slot, id);
	return find_in_chapter(s, c, id, found, &content, err);
}

int seen_find(struct store_seen *s, uint64_t generation, const char *service, const uint8_t hash[16],
	      const uint8_t id[16], int64_t start_ns, bool *found, uint64_t *content, bool *in_slot, struct err *err)
{
	struct seen_service *v = seen_find_service(s, service);

	*found = *in_slot = false;
	if (s->open_generation != generation) {
		close_chapter(s); /* a removed file would keep its space */
		s->open_generation = generation;
	}
	for (int try = 0; try < TRIES_MAX; try++) {
		int rc = v->is_loaded && v->generation == generation && try == 0 ? 0
										 : load_service(s, v, generation, err);

		if (rc < 0 || start_ns - v->slot_ns > v->last_ns)
			return rc;
		for (size_t i = 0; rc == 0 && !*found && i < v->chapters.n_chapters; i++) {
			const struct catalogue_chapter *c = &v->chapters.chapter[i];

			if (c->tier != TIER_RAW && !*in_slot)
				rc = find_slot(s, c, hash, start_ns, in_slot, err);
			else if (c->t0 <= start_ns && start_ns <= c->t1)
				rc = find_in_chapter(s, c, id, found, content, err);
		}
		if (rc <= 0)
			return rc;
	}
	return err_set(err, ERR_IO, "%s: segments disappear while they are read", s->directory);
}
