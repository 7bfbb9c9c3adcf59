/*
 * load.c - from sources to one profile
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every thread does what is to be done next: add what has been read to the result if nobody else
 * does and it is worth it, else read the next source, else wait. Sources are added in their order
 * and in groups that do not depend on who was quicker, as long as they are small; large ones are
 * added as they come, which makes no difference but in the order of rows, and that only when
 * sources have different types.
 */
#include "config.h"

#include "answer/load.h"

#include "answer/remote.h"
#include "base/arena.h"
#include "base/mem.h"
#include "base/pool.h"
#include "fetch/source.h"
#include "profile/edit.h"
#include "profile/merge.h"
#include "reader/reader.h"
#include "report/where.h"
#include "symbol/locate.h"

#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	GROUP = 128,               /* pprof merges so many, then the results */
	ENOUGH_BYTES = 4 << 20,    /* of profiles make it worth to add them before a group is complete */
	TOO_MANY_BYTES = 64 << 20, /* waiting: no more are read for now */
};

struct got {
	struct profile *profile; /* NULL when it failed, or is not needed any more */
	struct buf notes;        /* lines about binaries that were passed over */
	char *why;               /* the sentence when it failed */
	int code;                /* ERR_* then */
	uint64_t bytes;          /* of profile, roughly */
	bool done;
};

struct loader {
	struct load *load;
	struct symbol_where where;
	struct arena *mem;    /* its texts */
	pthread_mutex_t lock; /* guards everything below but what a reading or adding thread has taken */
	pthread_cond_t changed;
	struct got *got;        /* [n] */
	size_t next;            /* the first source that nobody has taken */
	size_t added;           /* all before this one are in the result, or failed */
	uint64_t waiting_bytes; /* of those read but not added */
	bool adding;            /* a thread is at it: merger and alone are its own */
	struct merger *merger;  /* NULL until there are two profiles */
	struct profile *alone;  /* the only one so far */
	size_t alone_at;        /* its number */
	int rc;                 /* not 0 when merging failed: err says why */
	struct err err;
};

/* -1 goes by the machine, 0 is no limit. */
static uint64_t bytes_limit(int64_t option)
{
	return option < 0 ? mem_quarter() : (uint64_t)option;
}

static struct reader_limits limits_of(const struct query *q)
{
	return (struct reader_limits){ .max_inflated = bytes_limit(q->max_inflated),
				       .max_ratio = (uint64_t)q->max_ratio,
				       .max_count = (uint64_t)q->max_count,
				       .max_depth = (uint64_t)q->max_depth,
				       .max_nesting = (uint64_t)q->max_nesting };
}

static int read_profile(const struct load *l, const struct symbol_where *w, const char *source, struct profile **out,
			struct buf *notes, struct err *err)
{
	struct reader_limits limits = limits_of(l->q);
	struct bytes bytes = { 0 };
	bool fetched;
	int rc;

	fetched = remote_take(l->remote, source, &bytes, &rc, err);
	if (!fetched)
		rc = fetch_read(source, bytes_limit(l->q->max_input), &bytes, err);
	if (rc == 0)
		rc = reader_read(&bytes, &limits, out, err);
	if (rc < 0)
		return err_wrap(err, "%s", source);
	locate_mappings(*out, w, notes);
	if (l->binary)
		profile_set_binary(*out, l->binary);
	if (*l->q->buildid)
		profile_set_build_id(*out, l->q->buildid);
	if (fetched)
		remote_note(l->remote, source, *out);
	if (*l->q->label)
		rc = profile_set_label(*out, l->q->label, source, err);
	if (rc < 0) {
		profile_free(*out);
		*out = NULL;
	}
	return rc;
}

/* What a profile takes, roughly; strings count for what most are. */
static uint64_t profile_bytes(const struct profile *p)
{
	enum { STRING = 64, LOCATION = 48, FUNCTION = 32, LABEL = 24 };
	uint64_t items = (uint64_t)p->stacks.off[p->stacks.n] + p->stacks.n + p->label_sets.off[p->label_sets.n] +
			 p->label_sets.n;

	return p->n_rows * (8 + 8 * (uint64_t)p->n_types) + items * sizeof(uint32_t) +
	       (uint64_t)strtab_count(p->str) * STRING + (uint64_t)p->n_locs * LOCATION +
	       (uint64_t)p->n_funcs * FUNCTION + (uint64_t)p->n_labels * LABEL;
}

/* With the lock held, which is let go meanwhile. */
static void read_next(struct loader *f)
{
	size_t i = f->next++;
	struct got got = { .done = true };
	struct err err;

	pthread_mutex_unlock(&f->lock);
	got.code = read_profile(f->load, &f->where, f->load->source[i], &got.profile, &got.notes, &err);
	if (got.code < 0)
		got.why = mem_strndup(err.msg, strlen(err.msg));
	else
		got.bytes = profile_bytes(got.profile);
	pthread_mutex_lock(&f->lock);
	f->got[i] = got;
	f->waiting_bytes += got.bytes;
	pthread_cond_broadcast(&f->changed);
}

/* Up to where sources shall be added now; f->added when it is too early. */
static size_t ready_end(const struct loader *f)
{
	size_t group_end = (f->added / GROUP + 1) * GROUP, i = f->added;
	uint64_t bytes = 0;

	group_end = group_end < f->load->n ? group_end : f->load->n;
	for (; i < group_end && f->got[i].done; i++)
		bytes += f->got[i].bytes;
	return i == group_end || bytes >= ENOUGH_BYTES ? i : f->added;
}

static struct merger *merger_of(const struct loader *f)
{
	struct merger *m = merger_new(f->load->q->intersect_types);

	merger_stop_by(m, f->load->q->stop);
	return m;
}

static int add_alone(struct loader *f, size_t before)
{
	struct profile *p = f->alone;
	int rc;

	f->merger = merger_of(f);
	rc = merger_add(f->merger, (const struct profile *const *)&p, &f->load->source[f->alone_at], 1, &f->err);
	if (rc == 0 && f->alone_at / GROUP != before / GROUP)
		rc = merger_pause(f->merger, &f->err);
	profile_free(p);
	f->alone = NULL;
	return rc;
}

/* Add the n sources that could be read among those from the one numbered lo on. */
static int add_profiles(struct loader *f, const struct profile *const *src, const char *const *name, size_t n,
			size_t lo)
{
	int rc = 0;

	if (n == 0)
		return 0;
	if (f->alone)
		rc = add_alone(f, lo);
	else if (!f->merger)
		f->merger = merger_of(f);
	return rc == 0 ? merger_add(f->merger, src, name, n, &f->err) : rc;
}

/* Add sources [lo, hi), by the one thread that does. */
static int add_range(struct loader *f, size_t lo, size_t hi)
{
	const struct profile *src[GROUP];
	const char *name[GROUP];
	size_t n = 0, last = lo;
	int rc;

	assert(hi - lo <= GROUP);
	for (size_t i = lo; i < hi; i++) {
		if (!f->got[i].profile)
			continue;
		last = i;
		src[n] = f->got[i].profile;
		name[n++] = f->load->source[i];
	}
	if (n == 1 && !f->merger && !f->alone) {
		f->alone = f->got[last].profile;
		f->alone_at = last;
		f->got[last].profile = NULL;
		return 0;
	}
	rc = add_profiles(f, src, name, n, lo);
	for (size_t i = lo; i < hi; i++) {
		profile_free(f->got[i].profile);
		f->got[i].profile = NULL;
	}
	return rc == 0 && f->merger && hi % GROUP == 0 ? merger_pause(f->merger, &f->err) : rc;
}

/* With the lock held, which is let go meanwhile. */
static void add_ready(struct loader *f, size_t end)
{
	size_t lo = f->added;
	int rc;

	f->adding = true;
	pthread_mutex_unlock(&f->lock);
	rc = add_range(f, lo, end);
	pthread_mutex_lock(&f->lock);
	f->adding = false;
	f->rc = rc;
	f->added = end;
	for (size_t i = lo; i < end; i++)
		f->waiting_bytes -= f->got[i].bytes;
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
		size_t end = f->adding ? f->added : ready_end(f);

		if (end > f->added)
			add_ready(f, end);
		else if (f->next < f->load->n && f->waiting_bytes < TOO_MANY_BYTES)
			read_next(f);
		else
			pthread_cond_wait(&f->changed, &f->lock);
	}
	pthread_mutex_unlock(&f->lock);
}

/* What could not be read, in the order of the sources. Gives the error of the last one. */
static int note_failures(struct loader *f)
{
	struct load *l = f->load;
	int code = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (!f->got[i].why)
			continue;
		l->n_failed++;
		buf_addf(&l->notes, "%s\n", f->got[i].why);
		code = err_set(&f->err, f->got[i].code, "%s", f->got[i].why);
	}
	return code;
}

/* Take the result out; without one, say why. */
static int load_result(struct loader *f, struct profile **out, struct err *err)
{
	struct load *l = f->load;
	int rc = f->rc == 0 ? note_failures(f) : f->rc;

	if (stop_check(l->q->stop, err) < 0)
		return ERR_STOPPED;
	if (f->rc == 0 && (f->merger || f->alone)) {
		*out = f->merger ? merger_finish(f->merger) : f->alone;
		f->alone = NULL;
		return 0;
	}
	if (f->rc == 0 && l->n > 1)
		return err_set(err, rc, "none of %zu %s profiles could be read", l->n, l->kind);
	if (f->rc == 0)
		buf_release(&l->notes); /* the error says it */
	return err_set(err, rc, "%s", f->err.msg);
}

static void loader_release(struct loader *f)
{
	for (size_t i = 0; i < f->load->n; i++) {
		profile_free(f->got[i].profile);
		free(f->got[i].why);
		buf_release(&f->got[i].notes);
	}
	free(f->got);
	profile_free(f->alone);
	merger_free(f->merger);
	pthread_cond_destroy(&f->changed);
	pthread_mutex_destroy(&f->lock);
}

/* Is one of these folders, parted by colons, there? Spares questions for each mapping of each source. */
static bool any_folder(const char *path)
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

int load_profile(struct load *l, struct profile **out, struct err *err)
{
	struct loader f = { .load = l, .got = mem_zalloc(l->n, sizeof(*f.got)) };
	int rc;

	pthread_mutex_init(&f.lock, NULL);
	pthread_cond_init(&f.changed, NULL);
	f.mem = arena_new();
	report_where(l->q, f.mem, &f.where);
	if (!any_folder(f.where.binary_path))
		f.where.binary_path = "";
	pool_run(load_part, &f, pool_size() < l->n ? pool_size() : (unsigned)l->n);
	for (size_t i = 0; i < l->n; i++)
		buf_add(&l->told, buf_text(&f.got[i].notes), f.got[i].notes.len);
	rc = load_result(&f, out, err);
	arena_free(f.mem);
	loader_release(&f);
	return rc;
}
