/*
 * load.c - load sources and merge them into one profile
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each thread loops: merge the sources read so far into the result if no other thread is merging and
 * there are enough; else read the next source; else wait. Sources are merged in their order. Small
 * sources are merged in fixed groups, so the result does not depend on timing. Large sources are
 * merged as soon as they are read; this affects only the order of rows, and only if the sources have
 * different types.
 */
#include "config.h"

#include "answer/load.h"

#include "answer/remote.h"
#include "answer/stored.h"
#include "base/arena.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/str.h"
#include "fetch/source.h"
#include "formats/formats.h"
#include "profile/edit.h"
#include "profile/merge.h"
#include "report/binaries.h"
#include "symbol/locate.h"

#include <assert.h>
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

struct result {
	struct profile *profile; /* NULL if reading failed, or after merging */
	struct buf notes;        /* messages about binaries that do not match */
	struct buf missing;      /* profiles and labels that it lacks, a line each */
	char *reason;            /* error message if reading failed */
	int code;                /* ERR_* if reading failed */
	uint64_t bytes;          /* estimated size of the profile */
	bool is_read;
};

struct loader {
	struct load *load;
	struct symbol_options where;
	struct arena *mem;    /* memory of the texts in where */
	pthread_mutex_t lock; /* guards all fields below; a thread owns the sources that it reads or merges */
	pthread_cond_t changed;
	struct result *result;  /* [n] */
	size_t next;            /* next source to read */
	size_t added;           /* sources [0, added) are merged, or could not be read */
	uint64_t waiting_bytes; /* size of the profiles read but not merged */
	bool is_merging;        /* a thread is merging; it owns merger and single */
	struct merger *merger;  /* NULL until there are two profiles */
	struct profile *single; /* the only profile so far */
	size_t single_source;   /* index of the source of single */
	int rc;                 /* not 0 if merging failed; err contains the reason */
	struct err err;
};

/* The limit set by an option: -1 is a quarter of the RAM, 0 unlimited. */
static uint64_t bytes_limit(int64_t option)
{
	return option < 0 ? mem_quarter_of_ram() : (uint64_t)option;
}

static struct format_limits limits_of(const struct query *q)
{
	return (struct format_limits){ .max_inflated = bytes_limit(q->max_inflated),
				       .max_ratio = (uint64_t)q->max_ratio,
				       .max_count = (uint64_t)q->max_count,
				       .max_depth = (uint64_t)q->max_depth,
				       .max_nesting = (uint64_t)q->max_nesting };
}

/* Take or read the content of source i. */
static int read_bytes(const struct load *l, size_t i, struct bytes *out, bool *fetched, struct err *err)
{
	int rc;

	*fetched = false;
	if (l->data) {
		*out = l->data[i];
		l->data[i] = (struct bytes){ 0 };
		return 0;
	}
	*fetched = remote_take(l->remote, l->source[i], out, &rc, err);
	return *fetched ? rc : fetch_read(l->source[i], bytes_limit(l->q->max_input), out, err);
}

/* Read a profile from a store, a server or a file. Errors name the source. */
static int load_read_source(const struct load *l, size_t i, struct profile **out, bool *fetched, struct buf *notes,
			    struct buf *missing, struct err *err)
{
	struct format_limits limits = limits_of(l->q);
	struct bytes bytes = { 0 };
	int rc;

	*fetched = false;
	if (!l->data && stored_is_source(l->source[i]))
		return stored_read(l->source[i], l->q, out, notes, missing, err);
	rc = read_bytes(l, i, &bytes, fetched, err);
	if (rc == 0)
		rc = formats_read_as(*l->q->input_format ? formats_find(l->q->input_format) : NULL, &bytes, &limits,
				     out, err);
	/* errors of servers may already contain the URL */
	return rc < 0 && !(*fetched && strstr(err->msg, l->source[i])) ? err_wrap(err, "%s", l->source[i]) : rc;
}

/* Note what a collector says about a window of its store: the comments that begin with "store: ". */
static void note_store(const struct profile *p, struct buf *notes)
{
	for (uint32_t i = 0; i < p->meta.n_comments; i++)
		if (starts_with(profile_text(p, p->meta.comment[i]), "store: "))
			buf_addf(notes, "%s\n", profile_text(p, p->meta.comment[i]));
}

static int load_read_profile(const struct load *l, const struct symbol_options *w, size_t i, struct profile **out,
			     struct buf *notes, struct buf *missing, struct err *err)
{
	const char *source = l->source[i];
	bool fetched;
	int rc = load_read_source(l, i, out, &fetched, notes, missing, err);

	if (rc < 0)
		return rc;
	locate_mappings(*out, w, notes);
	if (l->binary)
		profile_set_binary(*out, l->binary);
	if (*l->q->buildid)
		profile_set_build_id(*out, l->q->buildid);
	if (fetched) {
		remote_record_origins(l->remote, source, *out);
		note_store(*out, notes);
	}
	if (*l->q->label)
		rc = profile_set_label(*out, l->q->label, source, err);
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
	struct result result = { .is_read = true };
	struct err err;

	pthread_mutex_unlock(&f->lock);
	result.code = load_read_profile(f->load, &f->where, i, &result.profile, &result.notes, &result.missing, &err);
	if (result.code < 0)
		result.reason = mem_strndup(err.msg, strlen(err.msg));
	else
		result.bytes = profile_bytes(result.profile);
	pthread_mutex_lock(&f->lock);
	f->result[i] = result;
	f->waiting_bytes += result.bytes;
	pthread_cond_broadcast(&f->changed);
}

/*
 * Find the sources [f->added, end) that can be merged now. Returns end, or f->added if too few sources were read yet.
 */
static size_t ready_end(const struct loader *f)
{
	size_t group_end = (f->added / GROUP + 1) * GROUP, i = f->added;
	uint64_t bytes = 0;

	group_end = group_end < f->load->n ? group_end : f->load->n;
	for (; i < group_end && f->result[i].is_read; i++)
		bytes += f->result[i].bytes;
	return i == group_end || bytes >= MERGE_BYTES ? i : f->added;
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

static void answer_load_part(void *arg, unsigned part)
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
	struct load *l = f->load;
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
	struct load *l = f->load;
	int rc = f->rc == 0 ? add_failures(f) : f->rc;

	if (stop_check(l->q->stop, err) < 0)
		return ERR_STOPPED;
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

bool load_has_format(const char *name)
{
	return formats_find(name) != NULL;
}

/* Check the name of the format of sources. Fails with ERR_USAGE. */
static int load_check_format(const char *name, struct err *err)
{
	const struct file_format *f = formats_find(name);

	if (!*name || (f && f->read))
		return 0;
	return err_set(err, ERR_USAGE, "--input-format=%.40s: %s; cpa help formats lists them", name,
		       f ? "cpa does not read this format" : "there is no such format");
}

int load_profile(struct load *l, struct profile **out, struct err *err)
{
	struct loader f = { .load = l };
	int rc = load_check_format(l->q->input_format, err);

	if (rc < 0)
		return rc;
	f.result = mem_zalloc(l->n, sizeof(*f.result));
	pthread_mutex_init(&f.lock, NULL);
	pthread_cond_init(&f.changed, NULL);
	f.mem = arena_new();
	report_where(l->q, f.mem, &f.where);
	if (!any_folder_exists(f.where.binary_path))
		f.where.binary_path = "";
	pool_run(answer_load_part, &f, pool_size() < l->n ? pool_size() : (unsigned)l->n);
	for (size_t i = 0; i < l->n; i++)
		buf_add(&l->info, buf_text(&f.result[i].notes), f.result[i].notes.len);
	rc = load_result(&f, out, err);
	arena_free(f.mem);
	loader_release(&f);
	return rc;
}
