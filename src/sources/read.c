/*
 * read.c - read sources and merge them into one profile
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each thread loops: merge the sources read so far into the result if no other thread is merging and
 * there are enough; else read the next source; else wait. Sources are merged in their order. Small
 * sources are merged in fixed groups, so the result does not depend on timing. Large sources are
 * merged as soon as they are read; this affects only the order of rows, and only if the sources have
 * different types. So are sums, while they are in the CPU cache.
 */
#include "config.h"

#include "sources/read.h"

#include "base/amount.h"
#include "base/arena.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/str.h"
#include "base/unit.h"
#include "engine/filter.h"
#include "engine/query.h"
#include "engine/sums.h"
#include "formats/formats.h"
#include "profile/edit.h"
#include "profile/merge.h"
#include "report/binaries.h"
#include "symbol/locate.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	GROUP = 128,                  /* sources merged together, as in pprof; then the results are merged */
	MERGE_BYTES = 4 << 20,        /* merge an incomplete group if its profiles reach this total size */
	WAITING_BYTES_MAX = 64 << 20, /* pause reading while unmerged profiles have this size */
};

struct read_result {
	struct profile *profile; /* NULL if reading failed, or after merging */
	struct buf notes;        /* messages about binaries that do not match */
	struct buf missing;      /* profiles and labels that it lacks, a line each */
	char *reason;            /* error message if reading failed */
	int code;                /* ERR_* if reading failed */
	uint64_t bytes;          /* estimated size of the profile */
	bool is_read;
};

struct loader {
	struct source_set *load;
	struct symbol_options where;
	struct arena *mem;    /* memory of the texts in where */
	pthread_mutex_t lock; /* guards all fields below; a thread owns the sources that it reads or merges */
	pthread_cond_t changed;
	struct read_result *result; /* [n] */
	size_t next;                /* next source to read */
	size_t added;               /* sources [0, added) are merged, or could not be read */
	uint64_t waiting_bytes;     /* size of the profiles read but not merged */
	bool is_merging;            /* a thread is merging; it owns merger and single */
	struct merger *merger;      /* NULL until there are two profiles */
	struct profile *single;     /* the only profile so far */
	size_t single_source;       /* index of the source of single */
	int rc;                     /* not 0 if merging failed; err contains the reason */
	struct err err;
};

/* Keep the samples between --from and --to, or check that samples have the times that --times asks for. */
static int load_select_times(const struct query *q, const char *source, struct profile *p, struct buf *notes,
			     struct err *err)
{
	int64_t lo = INT64_MIN, hi = INT64_MAX, duration_ns = p->meta.duration_ns;
	uint32_t n_timeless, n_all = p->n_rows;
	int rc = *q->from ? amount_parse_duration("--from", q->from, &lo, err) : 0;

	if (rc == 0 && *q->to)
		rc = amount_parse_duration("--to", q->to, &hi, err);
	if (rc < 0)
		return rc;
	rc = profile_select_times(p, lo, hi, q->times, &n_timeless, err);
	if (rc < 0)
		return err_wrap(err, "%s", source);
	if (n_timeless)
		buf_addf(notes, "%s: %" PRIu32 " samples without a time are left out\n", source, n_timeless);
	if (n_all && p->n_rows == 0) {
		buf_addf(notes, "%s: no sample is in this part of the recording, which took ", source);
		unit_add_label(notes, duration_ns, "nanoseconds", "auto");
		buf_addz(notes, "\n");
	}
	return 0;
}

/*
 * May the only source have a forest instead of stacks? Reports that only add up walk its trees, if neither filters nor times
 * nor labels of samples matter.
 */
static bool load_wants_forest(const struct source_set *l)
{
	const struct query *q = l->q;

	return l->n == 1 && q->wants_forest && filter_is_empty(&q->filter) && !q->call_tree && !q->times && !*q->from &&
	       !*q->to && !starts_with(q->normalize, "label");
}

/* Replace the stacks of a profile by sums, unless that was done while it was read. Fails with ERR_UNKNOWN if the report needs its samples. */
static int load_make_sums(const struct source_set *l, struct profile *p, struct err *err)
{
	return p->sums || sums_make(p, &l->q->filter, l->sums)
		       ? 0
		       : err_set(err, ERR_UNKNOWN, "sums of this profile do not suffice");
}

static int load_read_profile(const struct source_set *l, const struct symbol_options *w, size_t i, struct profile **out,
			     struct buf *notes, struct buf *missing, struct err *err)
{
	static const struct source_type file = { .read = sources_read_file };
	struct source plain = { &file, NULL }, *s = l->from ? &l->from[i] : &plain;
	struct query q = *l->q;
	int rc;

	/* of several profiles they distinguish samples with equal stacks; a fetched one is saved with them */
	q.skips_labels &= (l->n == 1 && !s->type->is_remote) || l->sums != NULL;
	q.repeats_stacks |= l->is_side;
	q.wants_forest = load_wants_forest(l);
	q.is_merged = l->n > 1;
	q.sums_whole = l->sums;
	q.wants_sums &=
		!q.stable_names && (l->sums || (q.wants_forest && q.skips_labels && !l->binary && !l->keeps_stacks));
	rc = s->type->read(s, l->source[i], &q, out, notes, missing, err);
	if (rc < 0)
		return rc;
	locate_mappings(*out, w, notes);
	if (l->binary)
		profile_set_binary(*out, l->binary);
	if (*l->q->buildid)
		profile_set_build_id(*out, l->q->buildid);
	if (s->type->record)
		s->type->record(s, *out, notes);
	if (l->q->times || *l->q->from || *l->q->to)
		rc = load_select_times(l->q, l->source[i], *out, notes, err);
	if (l->q->stable_names)
		profile_stabilize_names(*out);
	if (rc == 0 && *l->q->label)
		rc = profile_set_label(*out, l->q->label, l->source[i], err);
	if (rc == 0 && l->sums)
		rc = load_make_sums(l, *out, err);
	if (rc < 0) {
		profile_free(*out);
		*out = NULL;
	}
	return rc;
}

/* Estimate the size of a profile in memory, assuming strings of typical length. */
static uint64_t profile_bytes(const struct profile *p)
{
	enum { STRING = 64, LOCATION = 48, FUNCTION = 32, LABEL = 24 };
	uint64_t items = (uint64_t)p->stacks.off[p->stacks.n] + p->stacks.n + p->label_sets.off[p->label_sets.n] +
			 p->label_sets.n;

	return p->n_rows * (8 + 8 * (uint64_t)p->n_types) + items * sizeof(uint32_t) +
	       (uint64_t)strtab_count(p->str) * STRING + (uint64_t)p->n_locs * LOCATION +
	       (uint64_t)p->n_funcs * FUNCTION + (uint64_t)p->n_labels * LABEL;
}

/* Read the next source. Called with the lock held; releases it while reading. */
static void read_next(struct loader *f)
{
	size_t i = f->next++;
	struct read_result result = { .is_read = true };
	struct err err;

	pthread_mutex_unlock(&f->lock);
	result.code = load_read_profile(f->load, &f->where, i, &result.profile, &result.notes, &result.missing, &err);
	if (result.code < 0)
		result.reason = mem_strndup(err.msg, strlen(err.msg));
	else
		result.bytes = profile_bytes(result.profile);
	pthread_mutex_lock(&f->lock);
	f->result[i] = result;
	if (f->load->sums && result.code == ERR_UNKNOWN)
		f->rc = err_set(&f->err, ERR_UNKNOWN, "%s", err.msg);
	f->waiting_bytes += result.bytes;
	pthread_cond_broadcast(&f->changed);
}

/*
 * Find the sources [f->added, end) that can be merged now. Returns end, or f->added if too few sources were read yet.
 */
static size_t ready_end(const struct loader *f)
{
	size_t group_end = (f->added / GROUP + 1) * GROUP, i = f->added;
	uint64_t bytes = 0, enough = f->load->sums ? 1 : MERGE_BYTES;

	group_end = group_end < f->load->n ? group_end : f->load->n;
	for (; i < group_end && f->result[i].is_read; i++)
		bytes += f->result[i].bytes;
	return i == group_end || bytes >= enough ? i : f->added;
}

static struct merger *merger_of(const struct loader *f)
{
	struct merger *m = merger_new(f->load->q->intersect_types);

	merger_set_stop(m, f->load->q->stop);
	return m;
}

static int add_single(struct loader *f, size_t before)
{
	struct profile *p = f->single;
	int rc;

	f->merger = merger_of(f);
	rc = merger_add(f->merger, (const struct profile *const *)&p, &f->load->source[f->single_source], 1, &f->err);
	if (rc == 0 && f->single_source / GROUP != before / GROUP)
		rc = merger_end_group(f->merger, &f->err);
	profile_free(p);
	f->single = NULL;
	return rc;
}

/* Merge the n sources that could be read; the first source of their range is lo. */
static int load_add_profiles(struct loader *f, const struct profile *const *src, const char *const *name, size_t n,
			     size_t lo)
{
	int rc = 0;

	if (n == 0)
		return 0;
	if (f->single)
		rc = add_single(f, lo);
	else if (!f->merger)
		f->merger = merger_of(f);
	return rc == 0 ? merger_add(f->merger, src, name, n, &f->err) : rc;
}

/* Merge sources [lo, hi). Only one thread may call this at a time. */
static int load_add_range(struct loader *f, size_t lo, size_t hi)
{
	const struct profile *src[GROUP];
	const char *name[GROUP];
	size_t n = 0, last = lo;
	int rc;

	assert(hi - lo <= GROUP);
	for (size_t i = lo; i < hi; i++) {
		if (!f->result[i].profile)
			continue;
		last = i;
		src[n] = f->result[i].profile;
		name[n++] = f->load->source[i];
	}
	if (n == 1 && !f->merger && !f->single) {
		f->single = f->result[last].profile;
		f->single_source = last;
		f->result[last].profile = NULL;
		return 0;
	}
	rc = load_add_profiles(f, src, name, n, lo);
	for (size_t i = lo; i < hi; i++) {
		profile_free(f->result[i].profile);
		f->result[i].profile = NULL;
	}
	return rc == 0 && f->merger && hi % GROUP == 0 ? merger_end_group(f->merger, &f->err) : rc;
}

/* Merge the sources before end. Called with the lock held; releases it while merging. */
static void add_ready(struct loader *f, size_t end)
{
	size_t lo = f->added;
	int rc;

	f->is_merging = true;
	pthread_mutex_unlock(&f->lock);
	rc = load_add_range(f, lo, end);
	pthread_mutex_lock(&f->lock);
	f->is_merging = false;
	f->rc = rc;
	f->added = end;
	for (size_t i = lo; i < end; i++)
		f->waiting_bytes -= f->result[i].bytes;
	if (f->load->progress)
		f->load->progress(f->added, f->load->n);
	pthread_cond_broadcast(&f->changed);
}

static void load_part(void *arg, unsigned part)
{
	struct loader *f = arg;

	(void)part;
	pthread_mutex_lock(&f->lock);
	while (f->rc == 0 && f->added < f->load->n && !stop_is_set(f->load->q->stop)) {
		size_t end = f->is_merging ? f->added : ready_end(f);

		if (end > f->added)
			add_ready(f, end);
		else if (f->next < f->load->n && f->waiting_bytes < WAITING_BYTES_MAX)
			read_next(f);
		else
			pthread_cond_wait(&f->changed, &f->lock);
	}
	pthread_mutex_unlock(&f->lock);
}

/* Append the messages of sources that failed or lack something, in the order of sources. Returns the error code of the last one
   that failed. */
static int add_failures(struct loader *f)
{
	struct source_set *l = f->load;
	int code = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (f->result[i].missing.len) {
			l->n_failed++;
			buf_addz(&l->notes, buf_text(&f->result[i].missing));
		}
		if (!f->result[i].reason)
			continue;
		l->n_failed++;
		buf_addf(&l->notes, "%s\n", f->result[i].reason);
		code = err_set(&f->err, f->result[i].code, "%s", f->result[i].reason);
	}
	return code;
}

/* Return the merged profile, or the error if there is none. */
static int load_result(struct loader *f, struct profile **out, struct err *err)
{
	struct source_set *l = f->load;
	int rc = f->rc == 0 ? add_failures(f) : f->rc;

	if (stop_check(l->q->stop, err) < 0)
		return ERR_STOPPED;
	if (f->rc == 0 && f->single && l->sums)
		f->rc = add_single(f, f->single_source); /* merging makes rows of its sums */
	if (f->rc == 0 && (f->merger || f->single)) {
		*out = f->merger ? merger_finish(f->merger) : f->single;
		f->single = NULL;
		return 0;
	}
	if (f->rc == 0 && l->n > 1)
		return err_set(err, rc, "none of %zu %s profiles could be read", l->n, l->kind);
	if (f->rc == 0)
		buf_release(&l->notes); /* err contains the same message */
	return err_set(err, rc, "%s", f->err.msg);
}

static void loader_release(struct loader *f)
{
	for (size_t i = 0; i < f->load->n; i++) {
		profile_free(f->result[i].profile);
		free(f->result[i].reason);
		buf_release(&f->result[i].notes);
		buf_release(&f->result[i].missing);
	}
	free(f->result);
	profile_free(f->single);
	merger_free(f->merger);
	pthread_cond_destroy(&f->changed);
	pthread_mutex_destroy(&f->lock);
}

/* Does any folder of a search path exist? If not, binaries of mappings are not searched. */
static bool any_folder_exists(const char *path)
{
	char name[PATH_MAX];

	for (size_t n; *path; path += n + (path[n] == ':')) {
		n = strcspn(path, ":");
		if (n >= sizeof(name))
			return true;
		memcpy(name, path, n);
		name[n] = '\0';
		if (n == 0 || access(name, F_OK) == 0)
			return true;
	}
	return false;
}

struct source_set sources_set_of(const struct sources *s, size_t first, size_t n, const char *kind,
				 const struct query *q, struct remote *remote)
{
	return (struct source_set){
		.source = s->name + first, .from = s->source + first, .n = n, .kind = kind, .q = q, .remote = remote
	};
}

int sources_set_read(struct source_set *l, struct profile **out, struct err *err)
{
	struct loader f = { .load = l };
	const struct file_format *format;
	int rc = formats_find_input(l->q->input_format, &format, err);

	if (rc < 0)
		return rc;
	f.result = mem_zalloc(l->n, sizeof(*f.result));
	pthread_mutex_init(&f.lock, NULL);
	pthread_cond_init(&f.changed, NULL);
	f.mem = arena_new();
	report_where(l->q, f.mem, &f.where);
	if (!any_folder_exists(f.where.binary_path))
		f.where.binary_path = "";
	pool_run(load_part, &f, pool_size() < l->n ? pool_size() : (unsigned)l->n);
	for (size_t i = 0; i < l->n; i++)
		buf_add(&l->info, buf_text(&f.result[i].notes), f.result[i].notes.len);
	rc = load_result(&f, out, err);
	arena_free(f.mem);
	loader_release(&f);
	return rc;
}

static struct profile *names_read_file(const char *file)
{
	struct query q;
	struct source_set l = { .source = &file, .n = 1, .kind = "source", .q = &q };
	struct profile *p = NULL;
	struct err err;

	query_init(&q);
	if (sources_set_read(&l, &p, &err) < 0)
		p = NULL;
	buf_release(&l.notes);
	buf_release(&l.info);
	query_release(&q);
	return p;
}

static void add_once(struct string_list *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++) {
		size_t n;
		const char *known = string_list_get(list, i, &n);

		if (strlen(name) == n && memcmp(known, name, n) == 0)
			return;
	}
	buf_addz(&list->all, name);
	string_list_end(list);
}

static int compare_function_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Add each name once, sorted. */
static void add_function_names(const struct profile *p, struct string_list *functions)
{
	const char **name = mem_alloc(p->n_funcs, sizeof(*name));

	for (uint32_t i = 0; i < p->n_funcs; i++)
		name[i] = profile_text(p, p->func_name[i]);
	qsort(name, p->n_funcs, sizeof(*name), compare_function_names);
	for (uint32_t i = 0; i < p->n_funcs; i++) {
		if (i > 0 && strcmp(name[i - 1], name[i]) == 0)
			continue;
		buf_addz(&functions->all, name[i]);
		string_list_end(functions);
	}
	free(name);
}

void sources_add_names(const char *const *file, size_t n, struct string_list *types, struct string_list *keys,
		       struct string_list *functions)
{
	struct profile *p = NULL;

	for (size_t i = 0; i < n && !p; i++)
		if (sources_is_regular(file[i]))
			p = names_read_file(file[i]);
	for (uint32_t i = 0; p && types && i < p->n_types; i++)
		add_once(types, profile_text(p, p->type[i].name));
	for (uint32_t i = 0; p && keys && i < p->n_labels; i++)
		add_once(keys, profile_text(p, p->label_key[i]));
	if (p && functions)
		add_function_names(p, functions);
	profile_free(p);
}
