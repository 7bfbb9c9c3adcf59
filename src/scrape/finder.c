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
#include "scrape/pods.h"

#include "base/cond.h"
#include "base/mem.h"
#include "base/time.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	ROUND_SECONDS = 5, /* between rounds */
	OFFER_MS = 1000,   /* between new lists, which take a moment each: pods may change at any time */
	TIMEOUTS_MAX = 3,  /* lookups that failed in a round, after which the remaining names wait for the next one */
	FIRST_MS = 60000,  /* for the first list of pods */
	END_MS = 5000,     /* for the end of the thread with its requests */
};

/* A source with its last result. */
struct finder_lookup {
	uint32_t job;
	const struct scrape_source *source;
	struct scrape_list list;  /* of the last success */
	struct buf problem;       /* "" after a success */
	bool is_done;             /* looked up at least once */
	int64_t next_ns;          /* CLOCK_BOOTTIME */
	struct stat stat;         /* of a file, when it was read */
	struct scrape_pods *pods; /* the thread of SCRAPE_PODS; NULL: it is not started */
};

struct scrape_finder {
	pthread_mutex_t lock; /* guards the following */
	pthread_cond_t wake;
	unsigned refs;
	bool is_stopped, has_pods;
	bool has_pods_news;           /* a thread of pods has something to take */
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
	int64_t config_ms, offer_ms; /* when the configuration was first used, and the last list was offered */
	struct buf last_notes;
};

static void finder_drop(struct finder_lookup *lookup, size_t n, struct scrape_config *c)
{
	for (size_t i = 0; i < n; i++)
		scrape_pods_stop(lookup[i].pods);
	for (size_t i = 0; i < n; i++) {
		scrape_pods_free(lookup[i].pods);
		scrape_list_release(&lookup[i].list);
		buf_release(&lookup[i].problem);
	}
	free(lookup);
	scrape_config_unref(c);
}

static void drop_lookups(struct scrape_finder *f)
{
	finder_drop(f->lookup, f->n, f->config);
	f->lookup = NULL;
	f->n = 0;
	f->config = NULL;
}

/* Take the thread of pods of a lookup with the same words, so that a reload does not list all pods again. */
static void finder_move_pods(struct finder_lookup *to, struct finder_lookup *from, size_t n)
{
	for (size_t i = 0; to->source->pods && i < n; i++) {
		if (!from[i].pods || strcmp(from[i].source->address, to->source->address) != 0)
			continue;
		to->pods = from[i].pods;
		to->list = from[i].list;
		to->problem = from[i].problem;
		to->is_done = from[i].is_done;
		from[i].pods = NULL;
		from[i].list = (struct scrape_list){ 0 };
		from[i].problem = (struct buf){ 0 };
		return;
	}
}

static void use_config(struct scrape_finder *f, struct scrape_config *c)
{
	struct finder_lookup *old = f->lookup;
	size_t n = 0, n_old = f->n;
	struct scrape_config *old_config = f->config;

	f->config = c;
	f->config_ms = clock_mono_ms();
	f->n = 0;
	for (uint32_t j = 0; j < c->n_jobs; j++)
		n += c->job[j].n_sources;
	f->lookup = mem_zalloc(n + 1, sizeof(*f->lookup));
	for (uint32_t j = 0; j < c->n_jobs; j++)
		for (size_t i = 0; i < c->job[j].n_sources; i++) {
			f->lookup[f->n] = (struct finder_lookup){ .job = j, .source = &c->job[j].source[i] };
			finder_move_pods(&f->lookup[f->n++], old, n_old);
		}
	finder_drop(old, n_old, old_config);
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

	if (!l->is_done || l->pods)
		return true;
	if (scrape_source_kinds[l->source->type].seconds == 0 || now < l->next_ns)
		return false;
	if (l->source->type != SCRAPE_FILE)
		return true;
	l->next_ns = now + scrape_source_kinds[SCRAPE_FILE].seconds * NS_PER_S;
	return stat(l->source->address, &st) < 0 || !finder_is_same_file(&st, &l->stat);
}

static bool finder_is_equal(const struct scrape_list *a, const struct scrape_list *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		const struct scrape_found *x = &a->found[i], *y = &b->found[i];

		if (strcmp(x->address, y->address) != 0 || x->n_labels != y->n_labels ||
		    strcmp(x->service, y->service) != 0 || strcmp(x->kinds, y->kinds) != 0)
			return false;
		for (size_t k = 0; k < x->n_labels; k++)
			if (strcmp(x->label[k].name, y->label[k].name) != 0 ||
			    strcmp(x->label[k].value, y->label[k].value) != 0)
				return false;
	}
	return true;
}

static void finder_set_list(struct finder_lookup *l, struct scrape_list *list, bool *changed)
{
	*changed |= !finder_is_equal(&l->list, list);
	scrape_list_release(&l->list);
	l->list = *list;
}

/* Look up a source. Sets *changed if the result differs from the last one. Returns false if it failed. */
static bool finder_look_up(struct finder_lookup *l, bool *changed)
{
	struct scrape_list list = { 0 };
	struct err err;
	int rc;

	if (l->source->type == SCRAPE_FILE && stat(l->source->address, &l->stat) < 0)
		l->stat = (struct stat){ 0 };
	l->problem.len = 0;
	rc = scrape_find_source(l->job, l->source, &list, &l->problem, &err);
	*changed |= !l->is_done;
	l->is_done = true;
	l->next_ns = clock_boot_ns() + scrape_source_kinds[l->source->type].seconds * NS_PER_S;
	if (rc < 0) {
		buf_addf(&l->problem, "%s\n", err.msg);
		l->stat = (struct stat){ 0 };
		return false;
	}
	finder_set_list(l, &list, changed);
	return true;
}

static void finder_wake(void *arg)
{
	struct scrape_finder *f = arg;

	pthread_mutex_lock(&f->lock);
	f->has_pods_news = true;
	pthread_cond_broadcast(&f->wake);
	pthread_mutex_unlock(&f->lock);
}

/* Start the thread of a source of pods, or take its news. Returns false if there can be no thread. */
static bool finder_take_pods(struct scrape_finder *f, struct finder_lookup *l, bool *changed)
{
	struct buf problem = { 0 };
	struct scrape_list list = { 0 };
	bool has_list;

	if (!l->pods)
		l->pods = scrape_pods_start(f->config, l->source, finder_wake, f);
	if (!l->pods)
		return false;
	if (!scrape_pods_take(l->pods, l->job, &list, &has_list, &problem))
		return true;
	*changed |= !l->is_done;
	l->is_done = true;
	buf_release(&l->problem);
	l->problem = problem;
	if (has_list)
		finder_set_list(l, &list, changed);
	return true;
}

/* Look up what is due: names last, since they may take long. */
static bool look_up_all(struct scrape_finder *f)
{
	bool changed = false;
	int n_failed = 0;

	for (int slow = 0; slow < 2; slow++) {
		for (size_t i = 0; i < f->n && !__atomic_load_n(&f->is_stopped, __ATOMIC_RELAXED); i++) {
			struct finder_lookup *l = &f->lookup[i];
			bool is_slow = scrape_source_kinds[l->source->type].is_slow;

			if (slow == 0 && l->source->pods && finder_take_pods(f, l, &changed))
				continue;
			if (is_slow != (slow == 1) || l->pods || (is_slow && n_failed >= TIMEOUTS_MAX) ||
			    !is_due(l, clock_boot_ns()))
				continue;
			n_failed += !finder_look_up(l, &changed) && is_slow;
		}
	}
	return changed;
}

static void finder_make_list(const struct scrape_finder *f, struct scrape_list *out)
{
	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; k < f->lookup[i].list.n; k++) {
			struct scrape_found found = f->lookup[i].list.found[k];

			found.job = f->lookup[i].job; /* a reload may have moved it */
			scrape_list_add(out, &found);
		}
}

/* Is the first result of all sources known? A list that takes long is not awaited. */
static bool finder_is_complete(struct scrape_finder *f)
{
	bool is_late = clock_mono_ms() - f->config_ms > FIRST_MS;

	for (size_t i = 0; i < f->n; i++) {
		struct finder_lookup *l = &f->lookup[i];

		if (l->is_done || !l->pods)
			continue;
		if (!is_late)
			return false;
		l->problem.len = 0;
		buf_addf(&l->problem, "targets %s: the list of pods is not complete yet\n", l->source->address);
	}
	return true;
}

/* Offer a new list if targets or problems have changed. Called with the lock held. */
static void finder_publish(struct scrape_finder *f, bool changed)
{
	static const uint64_t one = 1;
	struct buf notes = { 0 };

	for (size_t i = 0; i < f->n; i++)
		buf_add(&notes, buf_text(&f->lookup[i].problem), f->lookup[i].problem.len);
	if (!changed && strcmp(buf_text(&notes), buf_text(&f->last_notes)) == 0) {
		buf_release(&notes);
		return;
	}
	scrape_list_release(&f->list);
	finder_make_list(f, &f->list);
	scrape_config_unref(f->list_config);
	f->list_config = scrape_config_ref(f->config);
	f->has_list = true;
	f->offer_ms = clock_mono_ms();
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

/* Wait for the next round, or until there is something to do. Called with the lock held. */
static void finder_wait(struct scrape_finder *f)
{
	int64_t end_ms = clock_mono_ms() + ROUND_SECONDS * 1000, now_ms;

	while (!f->is_stopped && !f->wanted && (now_ms = clock_mono_ms()) < end_ms) {
		if (f->has_pods_news && f->offer_ms + OFFER_MS < end_ms)
			end_ms = f->offer_ms + OFFER_MS; /* changes that follow each other soon make one list */
		if (now_ms < end_ms)
			cond_wait_ms(&f->wake, &f->lock, (unsigned)(end_ms - now_ms));
	}
}

static void *finder_run(void *arg)
{
	struct scrape_finder *f = arg;
	bool changed = false;

	pthread_mutex_lock(&f->lock);
	while (!f->is_stopped) {
		struct scrape_config *wanted = f->wanted;

		f->wanted = NULL;
		f->has_pods_news = false;
		pthread_mutex_unlock(&f->lock);
		if (wanted)
			use_config(f, wanted);
		changed |= look_up_all(f) || wanted;
		pthread_mutex_lock(&f->lock);
		for (size_t i = 0; i < f->n; i++)
			f->has_pods |= f->lookup[i].pods != NULL;
		if (f->is_stopped)
			break;
		if (finder_is_complete(f)) {
			finder_publish(f, changed);
			changed = false;
		}
		finder_wait(f);
	}
	pthread_mutex_unlock(&f->lock);
	drop_lookups(f);
	pthread_mutex_lock(&f->lock);
	pthread_cond_broadcast(&f->wake);
	unlock_and_unref(f);
	return NULL;
}

struct scrape_finder *scrape_finder_new(struct scrape_config *c, int fd)
{
	struct scrape_finder *f = mem_zalloc(1, sizeof(*f));
	pthread_attr_t attr;
	pthread_t thread;
	int rc;

	pthread_mutex_init(&f->lock, NULL);
	cond_init(&f->wake);
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
	pthread_cond_broadcast(&f->wake);
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
	int64_t end_ms = clock_mono_ms() + END_MS;

	if (!f)
		return;
	pthread_mutex_lock(&f->lock);
	__atomic_store_n(&f->is_stopped, true, __ATOMIC_RELAXED);
	pthread_cond_broadcast(&f->wake);
	/* libcurl and OpenSSL are not to run while the process ends */
	while (f->has_pods && f->refs > 1 && clock_mono_ms() < end_ms)
		cond_wait_ms(&f->wake, &f->lock, END_MS);
	unlock_and_unref(f);
}
