/*
 * export.c - copy profiles to a file of their own, and add those of such a file
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/io.h"
#include "base/time.h"
#include "profile/profile.h"
#include "store/local/layout.h"
#include "store/local/read/local.h"
#include "store/local/upkeep/copy.h"
#include "store/local/upkeep/upkeep.h"
#include "store/local/write/writer.h"
#include "store/local/write/writer_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXPORT_ZSTD_LEVEL = 9, IMPORT_BATCH = 256 };

struct exporter {
	struct io_out out;
	struct segment_writer *writer;
};

static int store_export_write_out(void *arg, const void *data, size_t n, struct err *err)
{
	struct exporter *e = arg;

	return io_write_fd(e->out.fd, data, n, err);
}

static int store_export_add_chapter(void *arg, const struct chapter *ch, struct err *err)
{
	struct exporter *e = arg;

	return segment_writer_add(e->writer, ch, err);
}

static int store_export_write_file(struct store *s, struct store_copy *copy, const char *path, struct stop *stop,
				   struct err *err)
{
	struct segment_info info = { .tier = copy->tier,
				     .flags = SEGMENT_EXPORT,
				     .t0 = copy->t0,
				     .t1 = copy->t1,
				     .made = clock_wall_ns() / 1000000 };
	struct exporter e = { 0 };
	uint32_t crc;
	int rc, end, dir = open(local_of(s)->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	rc = dir < 0 ? err_set(err, ERR_IO, "%s: %s", local_of(s)->directory, strerror(errno))
		     : os_read_header(dir, local_of(s)->directory, info.store, err);
	if (dir >= 0)
		close(dir);
	if (rc == 0)
		rc = io_out_open(path, &e.out, err);
	if (rc < 0)
		return rc;
	e.writer = segment_writer_new(&info, EXPORT_ZSTD_LEVEL, store_export_write_out, &e);
	rc = copy_run(copy, EXPORT_ZSTD_LEVEL, stop, store_export_add_chapter, &e, err);
	if (rc == 0)
		rc = segment_writer_finish(e.writer, &crc, err);
	segment_writer_free(e.writer);
	end = io_out_close(&e.out, rc == 0, rc == 0 ? err : NULL);
	return rc < 0 ? rc : end;
}

int upkeep_export(struct store *s, const struct store_query *q, const char *path, struct stop *stop, uint64_t *n,
		  struct err *err)
{
	struct store_copy copy = { 0 };
	struct err ignored;
	int rc;

	err = err ? err : &ignored;
	rc = copy_open(s, q, &copy, err);
	if (rc == 0)
		rc = store_export_write_file(s, &copy, path, stop, err);
	if (n)
		*n = copy.copied;
	select_close(&copy.selection);
	return rc;
}

struct importer {
	struct store_writer *w;
	const struct chapter *ch;
	uint64_t n, n_duplicates;
};

/* Append a profile. Its labels are those of its series. */
static int store_export_append(struct importer *m, const struct stored *s, struct err *err)
{
	const struct dict *d = &m->ch->dict;
	const struct dict_series *series = &d->series[s->series];
	struct store_label *label = calloc(series->n_labels + 1, sizeof(*label));
	struct store_input in = { .service = m->ch->service,
				  .kind = strtab_text(d->str, series->kind),
				  .label = label,
				  .n_labels = series->n_labels,
				  .start_ns = s->start_ns,
				  .duration_ns = s->duration_ns };
	struct profile *p = NULL;
	bool is_duplicate = false;
	int rc;

	if (!label)
		return err_set(err, ERR_LIMIT, "no memory");
	for (uint32_t i = 0; i < series->n_labels; i++)
		label[i] = (struct store_label){ strtab_text(d->str, series->name[i]),
						 strtab_text(d->str, series->value[i]) };
	rc = dict_make_profile(d, s, &(struct dict_profile_options){ .place_mappings = true }, &p, err);
	in.profile = p;
	if (rc == 0)
		rc = writer_append(m->w, &in, NULL, &is_duplicate, err);
	if (rc == 0) {
		m->n += !is_duplicate;
		m->n_duplicates += is_duplicate;
		if ((m->n + m->n_duplicates) % IMPORT_BATCH == 0)
			rc = writer_commit(m->w, err);
		if (rc == 0 && writer_flush_is_due(m->w))
			rc = writer_flush(m->w, err);
	}
	profile_free(p);
	free(label);
	return rc;
}

static int import_chapter(struct importer *m, struct err *err)
{
	struct buf raw = { 0 };
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < m->ch->n_blocks; i++) {
		struct block b;

		rc = chapter_open_block(m->ch, i, &raw, &b, err);
		if (rc < 0)
			break;
		for (uint32_t k = 0; rc == 0 && k < b.n; k++) {
			struct stored s = { 0 };

			if (b.slot && b.slot[k].tier != TIER_RAW)
				continue; /* import_slots */
			rc = block_profile(&b, k, &s, err);
			s.series = m->ch->block[i].series;
			if (rc == 0)
				rc = store_export_append(m, &s, err);
			dict_release_stored(&s);
		}
		block_release(&b);
	}
	for (uint32_t i = 0; rc == 0 && i < m->ch->n_marks; i++)
		rc = writer_add_mark(m->w, m->ch->service, &m->ch->mark[i], err);
	buf_release(&raw);
	return rc;
}

/* Write a chapter as a segment of its own. The maintenance lock is held. */
static int import_add_segment(struct store_writer *w, const struct segment_info *info, const struct chapter *c,
			      struct err *err)
{
	struct catalogue_segment row = { 0 };
	struct segment *out = NULL;
	struct store_file *f = NULL;
	int rc = writer_file_begin(w, info, EXPORT_ZSTD_LEVEL, 0, &f, err);

	if (rc == 0)
		rc = writer_file_add(f, c, err);
	if (rc == 0)
		rc = writer_file_finish(f, NULL, &row, &out, err);
	else
		writer_file_discard(f);
	if (rc == 0)
		rc = catalogue_begin(w->catalogue, err);
	if (rc == 0)
		rc = catalogue_add_segment(w->catalogue, &row, out, err);
	if (rc == 0)
		rc = catalogue_commit(w->catalogue, err);
	catalogue_rollback(w->catalogue);
	if (rc < 0 && out)
		writer_discard_file(w, row.file, CAP_SEGMENTS);
	if (rc == 0)
		writer_segments_changed(w);
	segment_close(out);
	return rc;
}

/* Does the store have a slot of a series? */
static int has_slot(struct importer *m, const uint8_t hash[16], const struct stored *s, bool *found, struct err *err)
{
	uint8_t id[16];
	uint64_t content;
	bool is_raw;
	int rc;

	block_profile_id(hash, s->start_ns, id);
	pthread_mutex_lock(&m->w->lock);
	rc = seen_find(m->w->seen, m->w->generation, m->ch->service, hash, id, s->start_ns, &is_raw, &content, found,
		       err);
	pthread_mutex_unlock(&m->w->lock);
	return rc;
}

/* Add the slots of a block that the store lacks to a builder. */
static int import_block(struct importer *m, uint32_t i, enum store_tier tier, struct dict_translation *t,
			struct chapter_builder *to, struct err *err)
{
	const struct dict_series *series = &m->ch->dict.series[m->ch->block[i].series];
	struct buf raw = { 0 };
	struct block b;
	int rc = chapter_open_block(m->ch, i, &raw, &b, err);

	for (uint32_t k = 0; rc == 0 && b.slot && k < b.n; k++) {
		struct stored s;
		bool found;

		if (b.slot[k].tier != tier)
			continue;
		rc = block_profile(&b, k, &s, err);
		if (rc < 0)
			break;
		rc = has_slot(m, series->hash, &s, &found, err);
		m->n += rc == 0 && !found;
		m->n_duplicates += rc == 0 && found;
		if (rc == 0 && !found)
			rc = copy_stored(t, m->ch->block[i].series, &s, to, err);
		dict_release_stored(&s);
	}
	if (rc == 0)
		block_release(&b);
	buf_release(&raw);
	return rc;
}

/* Add the slots of a tier as a segment. */
static int import_slots(struct importer *m, const struct segment_info *from, enum store_tier tier, struct err *err)
{
	struct segment_info info = { .tier = tier, .t0 = from->t0, .t1 = from->t1 };
	struct chapter_builder *b = chapter_builder_new(m->ch->service);
	struct dict_translation *t = dict_translation_new(chapter_builder_dict(b), &m->ch->dict);
	struct chapter *c = NULL;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < m->ch->n_blocks; i++)
		rc = import_block(m, i, tier, t, b, err);
	dict_translation_free(t);
	if (rc == 0 && chapter_builder_profiles(b))
		rc = chapter_builder_finish(b, EXPORT_ZSTD_LEVEL, &c, err);
	if (rc == 0 && c) {
		pthread_mutex_lock(&m->w->maintenance);
		rc = import_add_segment(m->w, &info, c, err);
		pthread_mutex_unlock(&m->w->maintenance);
	}
	chapter_free(c);
	chapter_builder_free(b);
	return rc;
}

int upkeep_import_segment(struct store_writer *w, const char *path, uint64_t *n, uint64_t *n_duplicates,
			  struct err *err)
{
	struct importer m = { .w = w };
	struct segment *s = NULL;
	struct err ignored;
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;

	err = err ? err : &ignored;
	rc = fd < 0 ? err_set(err, ERR_IO, "%s: %s", path, strerror(errno)) : segment_open(fd, path, &s, err);
	if (fd >= 0)
		close(fd);
	for (uint32_t i = 0; rc == 0 && i < segment_n_chapters(s); i++) {
		struct chapter *ch;

		rc = segment_read_chapter(s, i, &ch, err);
		if (rc < 0)
			break;
		m.ch = ch;
		rc = import_chapter(&m, err);
		for (int t = TIER_10M; rc == 0 && t < N_TIERS && segment_get_info(s)->tier != TIER_RAW; t++)
			rc = import_slots(&m, segment_get_info(s), (enum store_tier)t, err);
		chapter_free(ch);
	}
	if (rc == 0)
		rc = writer_commit(w, err);
	segment_close(s);
	if (n)
		*n = m.n;
	if (n_duplicates)
		*n_duplicates = m.n_duplicates;
	return rc;
}
