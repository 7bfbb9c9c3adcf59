/*
 * finder.c - a thread that looks up targets again
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A lookup of a name may take many seconds. It is not interrupted: scrape_finder_free leaves the thread to itself, which
 * then ends, and frees what both share.
 */
#include "config.h"

#include "scrape/find_int.h"

#include "base/mem.h"
#include "base/time.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	FILE_SECONDS = 5,  /* between checks whether a file has changed */
	NAME_SECONDS = 30, /* between lookups of a name */
	TIMEOUTS_MAX = 3,  /* lookups that failed in a round, after which the remaining names wait for the next one */
};

/* A source with its last result. */
struct finder_lookup {
	uint32_t job;
	const struct scrape_source *source;
	struct scrape_list list; /* of the last success */
	struct buf problem;      /* "" after a success */
	bool is_done;            /* looked up at least once */
	int64_t next_ns;         /* CLOCK_BOOTTIME */
	struct stat stat;        /* of a file, when it was read */
};

struct scrape_finder {
	pthread_mutex_t lock; /* guards the following */
	pthread_cond_t wake;
	unsigned refs;
	bool is_stopped;
	struct scrape_config *wanted; /* configuration to use, if it is not the current one; owned */
	bool has_list;
	struct scrape_list list; /* the newest list, until it is taken */
	struct scrape_config *list_config;
	struct buf notes;
	int fd; /* eventfd; closed by its owner only after is_stopped */

	/* of the thread alone */
	struct scrape_config *config;
	struct finder_lookup *lookup; /* [n] */
	size_t n;
	struct buf last_notes;
};

static void drop_lookups(struct scrape_finder *f)
{
	for (size_t i = 0; i < f->n; i++) {
		scrape_list_release(&f->lookup[i].list);
		buf_release(&f->lookup[i].problem);
	}
	free(f->lookup);
	f->lookup = NULL;
	f->n = 0;
	scrape_config_unref(f->config);
	f->config = NULL;
}

static void use_config(struct scrape_finder *f, struct scrape_config *c)
{
	size_t n = 0;

	drop_lookups(f);
	f->config = c;
	for (uint32_t j = 0; j < c->n_jobs; j++)
		n += c->job[j].n_sources;
	f->lookup = mem_zalloc(n + 1, sizeof(*f->lookup));
	for (uint32_t j = 0; j < c->n_jobs; j++)
		for (size_t i = 0; i < c->job[j].n_sources; i++)
			f->lookup[f->n++] = (struct finder_lookup){ .job = j, .source = &c->job[j].source[i] };
}

static bool finder_is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Is it time to look up this source? */
static bool is_due(struct finder_lookup *l, int64_t now)
{
	struct stat st = { 0 };

	if (!l->is_done)
		return true;
	if (l->source->type == SCRAPE_STATIC || now < l->next_ns)
		return false;
	if (l->source->type != SCRAPE_FILE)
		return true;
	l->next_ns = now + FILE_SECONDS * NS_PER_S;
	return stat(l->source->address, &st) < 0 || !finder_is_same_file(&st, &l->stat);
}

static bool finder_is_equal(const struct scrape_list *a, const struct scrape_list *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		const struct scrape_found *x = &a->found[i], *y = &b->found[i];

		if (strcmp(x->address, y->address) != 0 || x->n_labels != y->n_labels)
			return false;
		for (size_t k = 0; k < x->n_labels; k++)
			if (strcmp(x->label[k].name, y->label[k].name) != 0 ||
			    strcmp(x->label[k].value, y->label[k].value) != 0)
				return false;
	}
	return true;
}

/* Look up a source. Sets *changed if the result differs from the last one. Returns false if it failed. */
static bool finder_look_up(struct finder_lookup *l, bool *changed)
{
	struct scrape_list list = { 0 };
	struct err err;
	int rc;

	if (l->source->type == SCRAPE_FILE && stat(l->source->address, &l->stat) < 0)
		l->stat = (struct stat){ 0 };
	rc = scrape_find_source(l->job, l->source, &list, &err);
	*changed |= !l->is_done;
	l->is_done = true;
	l->next_ns = clock_boot_ns() + (l->source->type == SCRAPE_FILE ? FILE_SECONDS : NAME_SECONDS) * NS_PER_S;
	l->problem.len = 0;
	if (rc < 0) {
		buf_addz(&l->problem, err.msg);
		l->stat = (struct stat){ 0 };
		return false;
	}
	*changed |= !finder_is_equal(&l->list, &list);
	scrape_list_release(&l->list);
	l->list = list;
	return true;
}

/* Look up what is due: files first, since names may take long. */
static bool look_up_all(struct scrape_finder *f)
{
	bool changed = false;
	int n_failed = 0;

	for (int names = 0; names < 2; names++) {
		for (size_t i = 0; i < f->n && !__atomic_load_n(&f->is_stopped, __ATOMIC_RELAXED); i++) {
			struct finder_lookup *l = &f->lookup[i];
			bool is_name = l->source->type == SCRAPE_DNS || l->source->type == SCRAPE_SRV;

			if (is_name != (names == 1) || (is_name && n_failed >= TIMEOUTS_MAX) ||
			    !is_due(l, clock_boot_ns()))
				continue;
			n_failed += !finder_look_up(l, &changed) && is_name;
		}
	}
	return changed;
}

static void finder_make_list(const struct scrape_finder *f, struct scrape_list *out)
{
	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; k < f->lookup[i].list.n; k++)
			scrape_list_add(out, &f->lookup[i].list.found[k]);
}

/* Offer a new list if targets or problems have changed. Called with the lock held. */
static void finder_publish(struct scrape_finder *f, bool changed)
{
	static const uint64_t one = 1;
	struct buf notes = { 0 };

	for (size_t i = 0; i < f->n; i++)
		if (f->lookup[i].problem.len)
			buf_addf(&notes, "%s\n", buf_text(&f->lookup[i].problem));
	if (!changed && strcmp(buf_text(&notes), buf_text(&f->last_notes)) == 0) {
		buf_release(&notes);
		return;
	}
	scrape_list_release(&f->list);
	finder_make_list(f, &f->list);
	scrape_config_unref(f->list_config);
	f->list_config = scrape_config_ref(f->config);
	f->has_list = true;
	f->notes.len = 0;
	buf_add(&f->notes, buf_text(&notes), notes.len);
	buf_release(&f->last_notes);
	f->last_notes = notes;
	if (write(f->fd, &one, sizeof(one)) < 0)
		return; /* the counter is at its maximum: it is readable */
}

/* Release one of two references; the last one frees. Called with the lock held. */
static void unlock_and_unref(struct scrape_finder *f)
{
	bool is_last = --f->refs == 0;

	pthread_mutex_unlock(&f->lock);
	if (!is_last)
		return;
	drop_lookups(f);
	scrape_list_release(&f->list);
	scrape_config_unref(f->list_config);
	scrape_config_unref(f->wanted);
	buf_release(&f->notes);
	buf_release(&f->last_notes);
	pthread_cond_destroy(&f->wake);
	pthread_mutex_destroy(&f->lock);
	free(f);
}

static void *finder_run(void *arg)
{
	struct scrape_finder *f = arg;

	pthread_mutex_lock(&f->lock);
	while (!f->is_stopped) {
		struct timespec until;
		bool changed, is_new = f->wanted != NULL;

		if (is_new) {
			use_config(f, f->wanted);
			f->wanted = NULL;
		}
		pthread_mutex_unlock(&f->lock);
		changed = look_up_all(f);
		pthread_mutex_lock(&f->lock);
		if (f->is_stopped)
			break;
		finder_publish(f, changed || is_new);
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += FILE_SECONDS;
		while (!f->is_stopped && !f->wanted && pthread_cond_timedwait(&f->wake, &f->lock, &until) == 0)
			;
	}
	unlock_and_unref(f);
	return NULL;
}

struct scrape_finder *scrape_finder_new(struct scrape_config *c, int fd)
{
	struct scrape_finder *f = mem_zalloc(1, sizeof(*f));
	pthread_condattr_t clock;
	pthread_attr_t attr;
	pthread_t thread;
	int rc;

	pthread_mutex_init(&f->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&f->wake, &clock);
	pthread_condattr_destroy(&clock);
	f->fd = fd;
	f->wanted = scrape_config_ref(c);
	f->refs = 2;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	rc = pthread_create(&thread, &attr, finder_run, f);
	pthread_attr_destroy(&attr);
	if (rc == 0)
		return f;
	/* without a thread: look up once */
	f->refs = 1;
	use_config(f, f->wanted);
	f->wanted = NULL;
	look_up_all(f);
	pthread_mutex_lock(&f->lock);
	finder_publish(f, true);
	pthread_mutex_unlock(&f->lock);
	return f;
}

void scrape_finder_reload(struct scrape_finder *f, struct scrape_config *c)
{
	pthread_mutex_lock(&f->lock);
	scrape_config_unref(f->wanted);
	f->wanted = scrape_config_ref(c);
	pthread_cond_signal(&f->wake);
	pthread_mutex_unlock(&f->lock);
}

bool scrape_finder_take(struct scrape_finder *f, struct scrape_list *out, struct scrape_config **config,
			struct buf *notes)
{
	bool has_list;

	pthread_mutex_lock(&f->lock);
	has_list = f->has_list;
	if (has_list) {
		*out = f->list;
		*config = f->list_config;
		buf_add(notes, buf_text(&f->notes), f->notes.len);
		f->list = (struct scrape_list){ 0 };
		f->list_config = NULL;
		f->has_list = false;
	}
	pthread_mutex_unlock(&f->lock);
	return has_list;
}

void scrape_finder_free(struct scrape_finder *f)
{
	if (!f)
		return;
	pthread_mutex_lock(&f->lock);
	__atomic_store_n(&f->is_stopped, true, __ATOMIC_RELAXED);
	pthread_cond_signal(&f->wake);
	unlock_and_unref(f);
}
