/*
 * decode.c - threads that read the responses of targets, and report their results
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "base/time.h"
#include "formats/formats.h"
#include "scrape/collector_int.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS_MAX = 8 };

struct scrape_decoders {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct scrape_decode *first, **last;
	bool is_ending;
	unsigned n;
	pthread_t thread[THREADS_MAX];
};

/*
 * The response was stored, or could not be: pass the result to the loop. The writer must not wait for the lock of the
 * collector, which a busy loop holds most of the time.
 */
static void end_decode(struct scrape_decode *x, int rc, const struct err *err)
{
	struct scrape_collector *c = x->c;
	uint64_t one = 1;
	bool was_empty;

	x->rc = rc;
	if (rc < 0)
		scrape_plain(x->error, err->msg);
	pthread_mutex_lock(&c->ended_lock);
	was_empty = !c->ended;
	x->next = c->ended;
	c->ended = x;
	pthread_mutex_unlock(&c->ended_lock);
	if (was_empty && write(c->wake, &one, sizeof(one)) < 0)
		return; /* EAGAIN: the loop will wake */
}

/* Ask for the version again when the program has changed. */
static void check_build_id(struct scrape_decode *x)
{
	struct scrape_state *s = x->state;

	if (!*x->job->version_url || strcmp(s->build_id, x->build_id) == 0)
		return;
	s->wants_version |= *s->build_id != '\0';
	memcpy(s->build_id, x->build_id, sizeof(s->build_id));
}

static void take_result(struct scrape_collector *c, struct scrape_decode *x)
{
	struct scrape_state *s = x->state;

	check_build_id(x);
	if (x->rc == 0) {
		s->n_profiles++;
		s->last_profile_ns = clock_wall_ns();
		scrape_state_recover(s, x->kind->name);
	} else {
		s->has_failed = true;
		scrape_state_fail(s, x->kind->name, x->kind->name, x->error);
		scrape_log(c, "service=\"%s\" target=\"%s\" kind=%s dropped=\"%s\"", x->labels->service,
			   s->target ? s->target->instance : "", x->kind->name, x->error);
	}
	scrape_state_unref(s);
	scrape_labels_unref(x->labels);
	scrape_config_unref(x->config);
	free(x->bytes.data);
	free(x);
	atomic_fetch_sub(&c->n_pending, 1);
}

void scrape_take_results(struct scrape_collector *c)
{
	struct scrape_decode *x, *next;

	pthread_mutex_lock(&c->ended_lock);
	x = c->ended;
	c->ended = NULL;
	pthread_mutex_unlock(&c->ended_lock);
	for (; x; x = next) {
		next = x->next;
		take_result(c, x);
	}
}

static void copied(void *arg)
{
	struct scrape_decode *x = arg;

	fetch_loop_release(x->c->loop, x->n_bytes);
}

static void decode_written(void *arg, const struct scrape_write *w)
{
	struct scrape_collector *c = ((struct scrape_decode *)arg)->c;

	if (w->rc == 0 && c->o.first && !atomic_exchange(&c->has_profile, true))
		c->o.first(c->o.arg, w->service);
	end_decode(arg, w->rc, &w->err);
}

static int scrape_decode_all(struct scrape_decode *x, struct scrape_write **out, struct err *err)
{
	struct scrape_origin origin = { .service = x->labels->service,
					.kind = x->kind->name,
					.label = x->labels->label,
					.n_labels = x->labels->n,
					.begin_ns = x->begin_ns,
					.capture_ns = x->kind->capture_ns,
					.now_ns = clock_wall_ns(),
					.honors_labels = x->job->honors_labels,
					.job = x->job,
					.url_version = x->version };
	enum scrape_drop why = SCRAPE_DROP_FORMAT;
	struct profile *p;
	int rc = formats_read(&x->bytes, &scrape_format_options, &p, err);

	if (rc == 0) {
		snprintf(x->build_id, sizeof(x->build_id), "%s", p->n_maps ? profile_text(p, p->map[0].build_id) : "");
		rc = scrape_accept(&x->c->accepter, &origin, p, out, &why, err);
	} else if (rc == ERR_LIMIT) {
		why = SCRAPE_DROP_SIZE;
	}
	if (rc < 0)
		scrape_stats_drop(&x->c->stats, why);
	return rc;
}

static void decode_run(struct scrape_decode *x)
{
	struct scrape_write *w;
	struct err err;
	int rc = scrape_decode_all(x, &w, &err);

	if (rc < 0) {
		copied(x);
		end_decode(x, rc, &err);
		return;
	}
	w->copied = copied;
	w->written = decode_written;
	w->arg = x;
	scrape_writer_add(x->c->writer, w);
}

static void *decode_all(void *arg)
{
	struct scrape_decoders *d = arg;

	for (;;) {
		struct scrape_decode *x;

		pthread_mutex_lock(&d->lock);
		while (!d->first && !d->is_ending)
			pthread_cond_wait(&d->changed, &d->lock);
		x = d->first;
		if (x && !(d->first = x->next))
			d->last = &d->first;
		pthread_mutex_unlock(&d->lock);
		if (!x)
			return NULL;
		decode_run(x);
	}
}

void scrape_decoders_add(struct scrape_decoders *d, struct scrape_decode *x)
{
	x->next = NULL;
	pthread_mutex_lock(&d->lock);
	*d->last = x;
	d->last = &x->next;
	pthread_cond_signal(&d->changed);
	pthread_mutex_unlock(&d->lock);
}

int scrape_decoders_new(unsigned n, struct scrape_decoders **out, struct err *err)
{
	struct scrape_decoders *d = mem_zalloc(1, sizeof(*d));
	int rc = 0;

	d->last = &d->first;
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->changed, NULL);
	n = n < THREADS_MAX ? n : THREADS_MAX;
	while (rc == 0 && d->n < n)
		if ((rc = pthread_create(&d->thread[d->n], NULL, decode_all, d)) == 0)
			d->n++;
	if (d->n == 0) {
		scrape_decoders_free(d);
		return err_set(err, ERR_IO, "cannot create a thread: %s", strerror(rc));
	}
	*out = d;
	return 0;
}

void scrape_decoders_free(struct scrape_decoders *d)
{
	if (!d)
		return;
	pthread_mutex_lock(&d->lock);
	d->is_ending = true;
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
	for (unsigned i = 0; i < d->n; i++)
		pthread_join(d->thread[i], NULL);
	pthread_mutex_destroy(&d->lock);
	pthread_cond_destroy(&d->changed);
	free(d);
}
