/*
 * read.c - a recording as a profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/perf/perf.h"

#include "base/buf.h"
#include "base/mem.h"
#include "formats/perf/perf_int.h"
#include "profile/edit.h"

#include <inttypes.h>
#include <stdlib.h>

static int read_compressed(struct perf_reader *r, const struct perf_record *rec, struct err *err)
{
	enum { AT_DATA = 16, PART_MAX = UINT16_MAX - AT_DATA };
	size_t position = (size_t)(rec->p - r->data), at = AT_DATA, n;
	uint64_t size;
	int rc = 0;

	if (rec->type == PERF_COMPRESSED)
		return perfdata_unpack(r, rec->p + PERF_HEADER_SIZE, rec->n - PERF_HEADER_SIZE, position, err);
	size = rec->n >= AT_DATA ? perfdata_u64(r, rec->p + PERF_HEADER_SIZE) : 0;
	n = rec->n >= AT_DATA && size <= rec->n - AT_DATA ? (size_t)size : 0;
	for (size_t part = n < PART_MAX ? n : PART_MAX; rc == 0 && part; at += part) {
		rc = perfdata_unpack(r, rec->p + at, part, position, err);
		n -= part;
		part = n < AT_DATA              ? 0
		       : n - AT_DATA < PART_MAX ? n - AT_DATA
						: PART_MAX; /* after a header of its own */
		n -= part ? AT_DATA : 0;
		at += part ? AT_DATA : 0;
	}
	return rc;
}

/* Read the records of the current file. */
static int read_records(struct perf_reader *r, struct err *err)
{
	size_t at = r->first, given_back = 0;
	struct perf_record rec;
	int rc = 0;

	while (rc == 0 && perfdata_file_next(r, &at, &rec)) {
		if (rec.type == PERF_FINISHED_ROUND)
			rc = perfdata_queue_end_round(r, err);
		else if (rec.type == PERF_COMPRESSED || rec.type == PERF_COMPRESSED2)
			rc = read_compressed(r, &rec, err);
		else
			rc = perfdata_queue_add(r, &rec, 0, err);
		if (rc < 0)
			err_wrap(err, "near byte %zu", (size_t)(rec.p - r->data));
		if (r->options->is_mapped) /* records that wait are read from the file again */
			given_back = io_give_back(r->data, given_back, at);
	}
	return rc;
}

static int read_all_records(struct perf_reader *r, struct err *err)
{
	int rc = read_records(r, err);

	for (size_t i = 1; rc == 0 && i <= r->n_parts; i++) {
		struct perf_part *part = &r->part[i];
		bool was_cut = r->is_cut;

		r->data = part->data;
		r->first = 0;
		r->end = r->n = part->n;
		r->is_cut = false;
		perfdata_unpack_restart(r);
		rc = read_records(r, err);
		if (rc < 0)
			err_wrap(err, "data.%zu", i - 1);
		r->cut_part = r->is_cut ? i : r->cut_part;
		r->is_cut |= was_cut;
	}
	rc = rc < 0 ? rc : perfdata_queue_end(r, err);
	return rc < 0 ? rc : perfdata_sample_end(r, err);
}

static void read_comment(struct perf_reader *r, struct buf *text)
{
	builder_comment(r->b, strtab_addz(builder_strings(r->b), buf_text(text)));
	text->len = 0;
}

/* Add a comment about lost records. The kernel reports lost records of any kind, and newer ones also the samples among them. */
static void read_add_lost_comment(struct perf_reader *r)
{
	uint64_t n = r->n_lost_samples ? r->n_lost_samples : r->n_lost_records;
	struct buf text = { 0 };

	if (n == 0)
		return;
	buf_addf(&text, "perf: %" PRIu64 " %s lost while recording (%.1f %%)", n,
		 r->n_lost_samples ? n == 1 ? "sample was" : "samples were"
		 : n == 1          ? "record was"
				   : "records, most of them samples, were",
		 100.0 * (double)n / ((double)n + (double)r->n_samples));
	if (r->n_lost_samples && r->n_lost_records)
		buf_addf(&text, ", of %" PRIu64 " lost records of all kinds", r->n_lost_records);
	buf_addz(&text, "; values are not scaled");
	read_comment(r, &text);
	buf_release(&text);
}

static void read_add_cut_comments(struct perf_reader *r)
{
	struct buf text = { 0 };

	if (r->is_killed) {
		buf_addz(&text, "perf: the recording was not ended; names of events and build IDs may be missing");
		read_comment(r, &text);
	}
	if (r->is_cut) {
		buf_addz(&text, "perf: the file ");
		if (r->cut_part)
			buf_addf(&text, "data.%zu ", r->cut_part - 1);
		buf_addf(&text, "ends too early, at byte %zu; what is before it is read", r->cut);
		read_comment(r, &text);
	}
	if (r->next_recording) {
		buf_addf(&text, "perf: another recording follows at byte %zu; it is not read", r->next_recording);
		read_comment(r, &text);
	}
	if (r->has_symbols) {
		buf_addz(&text, "perf: the symbols that simpleperf recorded are not read; names come from binaries");
		read_comment(r, &text);
	}
	if (r->has_counts) {
		buf_addz(&text, "perf: the counts of perf stat are not read; perf stat report prints them");
		read_comment(r, &text);
	}
	if (r->has_directory && !r->n_parts) {
		buf_addz(&text, "perf: the samples are in the files data.N of a directory, which are not read; pass "
				"the directory");
		read_comment(r, &text);
	}
	if (r->n_not_unwound) {
		buf_addf(&text,
			 "perf: %" PRIu64 " of %" PRIu64 " samples have a copy of the stack that was not unwound",
			 r->n_not_unwound, r->n_samples);
		buf_addz(&text, !r->options->unwinder ? ", because only reports and cpa store import unwind"
						      : " to its end: binaries with their build IDs were not found, or "
							"another kind of machine recorded it");
		read_comment(r, &text);
	}
	buf_release(&text);
}

static void read_add_comments(struct perf_reader *r)
{
	struct buf text = { 0 };

	read_add_lost_comment(r);
	read_add_cut_comments(r);
	skipped_add_comment(&r->damaged, r->b, "perf: skipped", "damaged record", "damaged records", NULL);
	skipped_add_comment(&r->zstd_damaged, r->b, "perf: skipped", "block of damaged compressed records",
			    "blocks of damaged compressed records", "byte");
	skipped_add_comment(&r->unknown_event, r->b, "perf: skipped", "sample of an unknown event",
			    "samples of unknown events", NULL);
	skipped_add_comment(&r->branches, r->b, "perf: ignored the branches of", "sample", "samples", NULL);
	skipped_add_comment(&r->aux, r->b, "perf: skipped, since only perf script and perf inject decode it,",
			    "record of a processor trace", "records of a processor trace", NULL);
	for (unsigned i = 0; i <= PERF_TYPES_KNOWN; i++) {
		text.len = 0;
		buf_addf(&text, r->type[i].n == 1 ? "record " : "records ");
		buf_addf(&text, i == PERF_TYPES_KNOWN ? "of an unknown type" : "of type %u", i);
		skipped_add_comment(&r->type[i], r->b, "perf: skipped", buf_text(&text), buf_text(&text), NULL);
	}
	buf_release(&text);
}

static void read_set_times(struct perf_reader *r)
{
	struct profile_meta *meta = builder_meta(r->b);
	int64_t since;

	meta->duration_ns = r->last_time - r->first_time <= INT64_MAX ? (int64_t)(r->last_time - r->first_time) : 0;
	if (!r->clock.is_known || r->clock.wall_ns > INT64_MAX)
		return;
	since = (int64_t)(r->first_time - r->clock.sample_ns);
	if (__builtin_add_overflow((int64_t)r->clock.wall_ns, since, &meta->time_ns) || meta->time_ns < 0)
		meta->time_ns = 0;
}

/* The mapping of the program that has most samples; PERF_NONE if it has none. */
static int read_find_program(struct perf_reader *r, uint32_t *out, struct err *err)
{
	const struct perf_process *most = NULL;
	int rc = 0;

	*out = PERF_NONE;
	for (size_t i = 0; i < r->n_processes; i++)
		if (r->process[i].program != PERF_NONE && r->process[i].n_samples &&
		    (!most || r->process[i].n_samples > most->n_samples))
			most = &r->process[i];
	if (most) {
		rc = perfdata_frame_mapping(r, most->program, err);
		*out = r->module[most->program].map;
	}
	return rc;
}

static void read_init(struct perf_reader *r)
{
	struct strtab *str = builder_strings(r->b);

	r->key_pid = strtab_addz(str, "pid");
	r->key_tid = strtab_addz(str, "tid");
	r->key_comm = strtab_addz(str, "comm");
	r->not_unwound = r->unused_waiting = PERF_NONE;
	idtab_init(&r->id_tab, 16);
	idtab_init(&r->module_tab, 16);
	idtab_init(&r->process_tab, 16);
	idtab_init(&r->thread_tab, 16);
	idtab_init(&r->loc_tab, 16);
	r->rows = merged_rows_new(r->b, r->options, r->n);
	r->slot = mem_alloc(PERF_FRAME_SLOTS, sizeof(*r->slot));
	for (size_t i = 0; i < PERF_FRAME_SLOTS; i++)
		r->slot[i].loc = PERF_NONE;
}

static void read_release(struct perf_reader *r)
{
	perfdata_process_release(r);
	perfdata_unpack_release(r);
	for (size_t i = 0; i < r->n_waiting; i++) {
		free(r->waiting[i].loc);
		free(r->waiting[i].read);
	}
	free(r->waiting);
	free(r->part);
	free(r->event);
	free(r->id);
	free(r->build_id);
	free(r->queue);
	free(r->slot);
	free(r->stack);
	idtab_release(&r->id_tab);
	idtab_release(&r->module_tab);
	idtab_release(&r->process_tab);
	idtab_release(&r->thread_tab);
	idtab_release(&r->loc_tab);
	merged_rows_free(r->rows);
}

static const char little[] = "PERFILE2", big[] = "2ELIFREP";

enum format_match perfdata_probe(const uint8_t *data, size_t n)
{
	enum { MAGIC_BYTES = sizeof(little) - 1 };

	if (perfdata_directory_probe(data, n))
		return FORMAT_SURE;
	return n >= MAGIC_BYTES && (memcmp(data, little, MAGIC_BYTES) == 0 || memcmp(data, big, MAGIC_BYTES) == 0)
		       ? FORMAT_SURE
		       : FORMAT_NO;
}

int perfdata_read(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		  struct err *err)
{
	struct perf_reader r = { .data = data, .n = n, .options = options };
	uint32_t program = PERF_NONE;
	int rc;

	if (perfdata_probe(data, n) != FORMAT_SURE)
		return ERR_UNKNOWN;
	rc = perfdata_directory_split(&r, err);
	r.is_big = rc == 0 && r.n && *r.data == *big;
	r.is_swapped = r.is_big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	r.b = builder_new();
	read_init(&r);
	rc = rc < 0 ? rc : perfdata_file_open(&r, err);
	rc = rc < 0 ? rc : read_all_records(&r, err);
	rc = rc < 0 ? rc : read_find_program(&r, &program, err);
	if (rc == 0) {
		read_set_times(&r);
		read_add_comments(&r);
		*out = builder_seal(r.b);
		if (program != PERF_NONE)
			profile_set_program(*out, program);
	}
	read_release(&r);
	builder_free(r.b);
	return rc;
}
