/*
 * work.c - the worker: makes models off the input thread
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Models and errands have a thread each. One model is made at a time: a new one stops the one that is
 * made, whose result is then thrown away. An errand (fetching again, writing a file) goes on whatever is
 * looked at meanwhile. What is done waits until the input thread takes it.
 */
#include "config.h"

#include "viewers/shell/shell_int.h"

#include "base/mem.h"
#include "engine/view.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum lane_kind { LANE_MODELS, LANE_ERRANDS, N_LANES };

struct job {
	uint64_t number;
	const struct pane_class *class; /* NULL: an errand */
	struct line line;               /* carried out; command NULL: fetch again */
	struct ask ask;
	struct query q;
	struct shell_data *data; /* held */
	struct model *model;
	struct shell_data *fetched; /* held by nobody yet */
	struct buf notes;           /* of an errand */
	int rc;
	struct err err;
	struct stop stop;
	struct timespec since;
};

struct lane {
	struct work *work;
	pthread_t thread;
	bool has_thread;
	struct job *next, *running, *done; /* one each */
};

struct work {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct lane lane[N_LANES];
	bool is_over;
	uint64_t n_jobs;
	void (*wake)(void *arg);
	void *wake_arg;
};

void model_free(struct model *m)
{
	if (!m)
		return;
	report_release(&m->report);
	report_release(&m->more);
	settings_free(m->settings);
	buf_release(&m->text);
	buf_release(&m->notes);
	data_drop(m->data);
	arena_free(m->mem);
	free(m);
}

static void job_free(struct job *j)
{
	if (!j)
		return;
	model_free(j->model);
	if (j->fetched)
		data_drop(data_hold(j->fetched));
	buf_release(&j->notes);
	if (j->line.report)
		line_release(&j->line);
	buf_release(&j->ask.part);
	data_drop(j->data);
	free(j);
}

static void run(struct job *j)
{
	const struct shell_host *host = &j->ask.open->host;

	assert(!j->class || j->model);
	if (j->class)
		j->rc = j->class->make(&j->ask, j->model, &j->err);
	else if (j->line.report)
		j->rc = host->run(host->arg, j->data, &j->line, &j->stop, &j->notes, &j->err);
	else
		j->rc = shell_reload(j->ask.open, j->data, &j->stop, &j->fetched, &j->notes, &j->err);
}

static void *lane_main(void *arg)
{
	struct lane *l = arg;
	struct work *w = l->work;

	pthread_mutex_lock(&w->lock);
	while (!w->is_over) {
		if (!l->next || l->done) {
			pthread_cond_wait(&w->changed, &w->lock);
			continue;
		}
		assert(!l->running);
		l->running = l->next;
		l->next = NULL;
		pthread_mutex_unlock(&w->lock);
		run(l->running);
		pthread_mutex_lock(&w->lock);
		l->done = l->running;
		l->running = NULL;
		pthread_cond_broadcast(&w->changed);
		if (w->wake)
			w->wake(w->wake_arg);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

int work_new(struct work **out, struct err *err)
{
	struct work *w = mem_zalloc(1, sizeof(*w));
	int rc = 0;

	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	for (int i = 0; i < N_LANES && rc == 0; i++) {
		w->lane[i].work = w;
		rc = pthread_create(&w->lane[i].thread, NULL, lane_main, &w->lane[i]);
		w->lane[i].has_thread = rc == 0;
	}
	if (rc) {
		work_free(w);
		return err_set(err, ERR_IO, "no thread to work on: %s", strerror(rc));
	}
	*out = w;
	return 0;
}

void work_free(struct work *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->is_over = true;
	for (int i = 0; i < N_LANES; i++)
		if (w->lane[i].running)
			stop_set(&w->lane[i].running->stop);
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
	for (int i = 0; i < N_LANES; i++) {
		if (w->lane[i].has_thread)
			pthread_join(w->lane[i].thread, NULL);
		job_free(w->lane[i].next);
		job_free(w->lane[i].done);
	}
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->changed);
	free(w);
}

void work_on_done(struct work *w, void (*wake)(void *arg), void *arg)
{
	pthread_mutex_lock(&w->lock);
	w->wake = wake;
	w->wake_arg = arg;
	for (int i = 0; wake && i < N_LANES; i++)
		if (w->lane[i].done) /* before anyone could be told */
			wake(arg);
	pthread_mutex_unlock(&w->lock);
}

/* The input thread alone counts references, so a job that is replaced is freed here. */
static void start(struct work *w, enum lane_kind kind, struct job *j)
{
	struct lane *l = &w->lane[kind];
	struct job *forgotten;

	assert((kind == LANE_MODELS) == (j->class != NULL));
	clock_gettime(CLOCK_MONOTONIC, &j->since);
	j->number = ++w->n_jobs;
	pthread_mutex_lock(&w->lock);
	if (l->running)
		stop_set(&l->running->stop);
	forgotten = l->next;
	l->next = j;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
	job_free(forgotten);
}

void work_start(struct work *w, struct shell *s, struct pane *p)
{
	struct job *j = mem_zalloc(1, sizeof(*j));

	assert(p->class->make && p->ask);
	j->class = p->class;
	j->data = data_hold(s->data);
	j->model = mem_zalloc(1, sizeof(*j->model));
	j->model->settings = settings_copy(p->ask);
	j->q = *settings_query(j->model->settings);
	j->q.stop = &j->stop;
	query_apply_defaults(&j->q, &(p->class->like ? reports_get(p->class->like) : p->type)->defaults);
	j->q.inlined = true;
	j->model->mem = arena_new();
	j->model->data = data_hold(s->data);
	j->ask = (struct ask){ .data = s->data,
			       .p = s->two_sides ? s->data->sides : s->data->p,
			       .two_sides = s->two_sides,
			       .type = p->type,
			       .q = &j->q,
			       .width = p->area.width,
			       .height = p->area.height,
			       .want = p->want,
			       .part = p->part,
			       .open = &s->open };
	p->part = (struct buf){ 0 };
	p->is_waiting = true;
	p->is_stale = false;
	start(w, LANE_MODELS, j);
	p->job = j->number;
}

static bool is_busy(struct work *w, const struct lane *l)
{
	bool busy;

	pthread_mutex_lock(&w->lock);
	busy = l->next || l->running || l->done;
	pthread_mutex_unlock(&w->lock);
	return busy;
}

static struct job *errand(struct shell *s)
{
	struct job *j = mem_zalloc(1, sizeof(*j));

	j->data = data_hold(s->data);
	j->ask = (struct ask){ .data = s->data, .open = &s->open };
	return j;
}

bool work_start_again(struct work *w, struct shell *s)
{
	if (is_busy(w, &w->lane[LANE_ERRANDS]))
		return false;
	start(w, LANE_ERRANDS, errand(s));
	return true;
}

bool work_start_run(struct work *w, struct shell *s, struct line *l)
{
	struct job *j;

	if (is_busy(w, &w->lane[LANE_ERRANDS]))
		return false;
	j = errand(s);
	j->line = *l;
	*l = (struct line){ 0 };
	start(w, LANE_ERRANDS, j);
	return true;
}

static void stop_lane(struct work *w, struct lane *l)
{
	struct job *forgotten;

	pthread_mutex_lock(&w->lock);
	if (l->running)
		stop_set(&l->running->stop);
	forgotten = l->next;
	l->next = NULL;
	pthread_mutex_unlock(&w->lock);
	job_free(forgotten);
}

void work_stop_model(struct work *w)
{
	stop_lane(w, &w->lane[LANE_MODELS]);
}

void work_stop_errand(struct work *w)
{
	stop_lane(w, &w->lane[LANE_ERRANDS]);
}

bool work_doing(struct work *w, struct doing *out)
{
	struct timespec now;
	const struct job *j = NULL;

	pthread_mutex_lock(&w->lock);
	for (int i = 0; i < N_LANES && !j; i++)
		j = w->lane[i].running ? w->lane[i].running : w->lane[i].next;
	if (j) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		out->ms = (now.tv_sec - j->since.tv_sec) * 1000 + (now.tv_nsec - j->since.tv_nsec) / 1000000;
		out->percent = stop_percent(&j->stop, &out->what);
		out->command = j->class ? j->ask.type->name : j->line.report ? j->line.report->name : "fetch";
		out->is_errand = !j->class;
		out->is_stopping = stop_is_set(&j->stop);
	}
	pthread_mutex_unlock(&w->lock);
	return j != NULL;
}

static struct pane *pane_of(const struct shell *s, const struct job *j)
{
	for (size_t i = 0; i < s->n_panes; i++)
		if (s->pane[i]->is_waiting && s->pane[i]->job == j->number)
			return s->pane[i];
	return NULL;
}

static void take(struct shell *s, struct job *j)
{
	struct pane *p = j->class ? pane_of(s, j) : NULL;

	if (p) {
		pane_take(s, p, j->rc, j->model, j->ask.part.len > 0, &j->err);
		j->model = NULL;
	} else if (!j->class && j->line.report) {
		shell_ran(s, j->rc, &j->notes, &j->err);
	} else if (!j->class) {
		shell_fetched(s, j->rc, j->fetched, &j->notes, &j->err);
		j->fetched = NULL;
	}
}

bool work_take(struct work *w, struct shell *s)
{
	struct job *j = NULL;

	pthread_mutex_lock(&w->lock);
	for (int i = 0; i < N_LANES && !j; i++) {
		j = w->lane[i].done;
		w->lane[i].done = NULL;
	}
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
	if (!j)
		return false;
	take(s, j);
	job_free(j);
	return true;
}

/* With the lock held: is there something to take, or to wait for? */
static bool is_left(const struct work *w, bool *done)
{
	bool left = false;

	*done = false;
	for (int i = 0; i < N_LANES; i++) {
		*done |= w->lane[i].done != NULL;
		left |= w->lane[i].next || w->lane[i].running || w->lane[i].done;
	}
	return left;
}

void work_wait(struct work *w, struct shell *s)
{
	bool done;

	pthread_mutex_lock(&w->lock);
	while (is_left(w, &done)) {
		if (done) {
			pthread_mutex_unlock(&w->lock);
			work_take(w, s);
			pthread_mutex_lock(&w->lock);
		} else {
			pthread_cond_wait(&w->changed, &w->lock);
		}
	}
	pthread_mutex_unlock(&w->lock);
}
