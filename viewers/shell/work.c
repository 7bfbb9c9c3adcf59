/*
 * work.c - the worker: makes models off the input thread
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One job runs at a time. A new one stops the one that runs, whose result is then thrown away; what
 * is done waits until the input thread takes it.
 */
#include "config.h"

#include "viewers/shell/shell_int.h"

#include "base/mem.h"
#include "engine/view.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct job {
	uint64_t number;
	const struct pane_class *class; /* NULL: fetch again */
	struct ask ask;
	struct query q;
	struct shell_data *data; /* held */
	struct model *model;
	struct profile *fetched;
	struct buf notes;
	int rc;
	struct err err;
	struct stop stop;
	struct timespec since;
};

struct work {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct job *next, *running, *done; /* one each */
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
	profile_free(j->fetched);
	buf_release(&j->notes);
	data_drop(j->data);
	free(j);
}

static void run(struct job *j)
{
	const struct shell_host *host = j->ask.host;

	if (j->class)
		j->rc = j->class->make(&j->ask, j->model, &j->err);
	else
		j->rc = host->again(host->arg, &j->stop, &j->fetched, &j->notes, &j->err);
}

static void *work_main(void *arg)
{
	struct work *w = arg;

	pthread_mutex_lock(&w->lock);
	while (!w->is_over) {
		if (!w->next || w->done) {
			pthread_cond_wait(&w->changed, &w->lock);
			continue;
		}
		w->running = w->next;
		w->next = NULL;
		pthread_mutex_unlock(&w->lock);
		run(w->running);
		pthread_mutex_lock(&w->lock);
		w->done = w->running;
		w->running = NULL;
		pthread_cond_broadcast(&w->changed);
		if (w->wake)
			w->wake(w->wake_arg);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

struct work *work_new(void)
{
	struct work *w = mem_zalloc(1, sizeof(*w));

	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	if (pthread_create(&w->thread, NULL, work_main, w) != 0) {
		free(w);
		return NULL;
	}
	return w;
}

void work_free(struct work *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->is_over = true;
	if (w->running)
		stop_set(&w->running->stop);
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	job_free(w->next);
	job_free(w->done);
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->changed);
	free(w);
}

void work_on_done(struct work *w, void (*wake)(void *arg), void *arg)
{
	pthread_mutex_lock(&w->lock);
	w->wake = wake;
	w->wake_arg = arg;
	pthread_mutex_unlock(&w->lock);
}

/* The input thread alone counts references, so a job that is replaced is freed here. */
static void start(struct work *w, struct job *j)
{
	struct job *forgotten;

	clock_gettime(CLOCK_MONOTONIC, &j->since);
	pthread_mutex_lock(&w->lock);
	if (w->running)
		stop_set(&w->running->stop);
	forgotten = w->next;
	w->next = j;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
	job_free(forgotten);
}

void work_start(struct work *w, struct shell *s, struct pane *p)
{
	struct job *j = mem_zalloc(1, sizeof(*j));

	j->number = p->job = ++w->n_jobs;
	j->class = p->class;
	j->data = data_hold(s->data);
	j->model = mem_zalloc(1, sizeof(*j->model));
	j->model->settings = settings_copy(p->ask);
	j->q = *settings_query(j->model->settings);
	j->q.stop = &j->stop;
	query_for_report(&j->q, p->class->like ? p->class->like : p->command->report);
	j->q.inlined = true;
	j->model->mem = arena_new();
	j->model->data = data_hold(s->data);
	j->ask = (struct ask){ .data = s->data,
			       .p = s->two_sides ? s->data->sides : s->data->p,
			       .two_sides = s->two_sides,
			       .command = p->command,
			       .q = &j->q,
			       .width = p->area.width,
			       .height = p->area.height,
			       .want = p->want,
			       .host = &s->open.host };
	p->is_waiting = true;
	p->is_stale = false;
	start(w, j);
}

void work_start_again(struct work *w, struct shell *s)
{
	struct job *j = mem_zalloc(1, sizeof(*j));

	j->number = ++w->n_jobs;
	j->data = data_hold(s->data);
	j->ask = (struct ask){ .data = s->data, .host = &s->open.host };
	start(w, j);
}

bool work_is_busy(struct work *w)
{
	bool busy;

	pthread_mutex_lock(&w->lock);
	busy = w->next || w->running || w->done;
	pthread_mutex_unlock(&w->lock);
	return busy;
}

void work_stop(struct work *w)
{
	struct job *forgotten;

	pthread_mutex_lock(&w->lock);
	if (w->running)
		stop_set(&w->running->stop);
	forgotten = w->next;
	w->next = NULL;
	pthread_mutex_unlock(&w->lock);
	job_free(forgotten);
}

bool work_doing(struct work *w, struct doing *out)
{
	struct timespec now;
	struct job *j;

	pthread_mutex_lock(&w->lock);
	j = w->running ? w->running : w->next;
	if (j) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		out->ms = (now.tv_sec - j->since.tv_sec) * 1000 + (now.tv_nsec - j->since.tv_nsec) / 1000000;
		out->percent = stop_percent(&j->stop, &out->what);
		out->command = j->class ? j->ask.command->name : "fetch";
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

	if (!j->class) {
		shell_fetched(s, j->rc, j->fetched, &j->notes, &j->err);
		j->fetched = NULL;
	} else if (p) {
		pane_take(s, p, j->rc, j->model, &j->err);
		j->model = NULL;
	}
}

bool work_take(struct work *w, struct shell *s)
{
	struct job *j;

	pthread_mutex_lock(&w->lock);
	j = w->done;
	w->done = NULL;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
	if (!j)
		return false;
	take(s, j);
	job_free(j);
	return true;
}

void work_wait(struct work *w, struct shell *s)
{
	pthread_mutex_lock(&w->lock);
	while (w->next || w->running || w->done) {
		if (w->done) {
			pthread_mutex_unlock(&w->lock);
			work_take(w, s);
			pthread_mutex_lock(&w->lock);
		} else {
			pthread_cond_wait(&w->changed, &w->lock);
		}
	}
	pthread_mutex_unlock(&w->lock);
}
