/*
 * work.c - the worker: makes models off the input thread
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Models and tasks have one thread each. One model is made at a time: a new request stops the current
 * one, whose result is discarded. A task (fetching again, writing a file) continues while the user changes
 * views. Results wait until the input thread takes them.
 */
#include "config.h"

#include "front/shell/state.h"

#include "answer/reports.h"
#include "base/mem.h"
#include "base/time.h"
#include "engine/query.h"
#include "engine/view.h"
#include "sources/sides.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum lane_kind { LANE_MODELS, LANE_TASKS, N_LANES };

struct work_job {
	uint64_t number;
	const struct pane_class *class; /* NULL if the job is a task */
	struct line line;               /* line to run; report NULL: fetch again */
	struct model_request request;
	struct query q;
	struct shell_data *data; /* one reference */
	struct model *model;
	struct shell_data *fetched; /* result of a fetch, without a reference yet */
	struct buf notes;           /* messages of a task */
	int rc;
	struct err err;
	struct stop stop;
	int64_t start_ms;
};

struct lane {
	struct work *work;
	pthread_t thread;
	bool has_thread;
	struct work_job *next, *running,
		*done; /* the waiting, the running and the finished job; NULL if there is none */
};

struct work {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct lane lane[N_LANES];
	bool is_stopping;
	uint64_t n_jobs;
	void (*wake)(void *arg);
	void *wake_arg;
};

void model_free(struct model *m)
{
	if (!m)
		return;
	report_release(&m->report);
	report_release(&m->extra);
	settings_free(m->settings);
	buf_release(&m->text);
	buf_release(&m->notes);
	data_unref(m->data);
	arena_free(m->mem);
	free(m);
}

static void job_free(struct work_job *j)
{
	if (!j)
		return;
	model_free(j->model);
	if (j->fetched)
		data_unref(data_ref(j->fetched));
	buf_release(&j->notes);
	if (j->line.report)
		line_release(&j->line);
	buf_release(&j->request.part);
	data_unref(j->data);
	free(j);
}

/* Collect the notes of a load. */
static void work_add_note(void *arg, bool is_error, const char *line, size_t n)
{
	(void)is_error;
	buf_addf(arg, "%.*s\n", (int)n, line);
}

/* Load the sources again, and compare them with the previous data unless there is a base. Fails like sources_load and sides_make. */
static int work_reload(const struct shell_options *options, const struct shell_data *last, struct stop *stop,
		       struct shell_data **out, struct buf *notes, struct err *err)
{
	const struct load_events events = { .arg = notes, .note = work_add_note };
	const struct sides_options sides = { .keep_sides = true,
					     .normalize = "",
					     .new_name = "the new profile",
					     .base_name = "the previous profile",
					     .stop = stop };
	struct load_request request = *options->reload;
	struct shell_data *data;
	struct profile *change = NULL;
	struct load_result l;
	int rc;

	request.is_reload = true;
	request.keep_sides = request.n_bases > 0;
	request.stop = stop;
	request.events = &events;
	rc = sources_load(&request, &l, err);
	if (rc == 0 && request.n_bases == 0)
		rc = sides_make(l.profile, last->p, &sides, &l.sides, err);
	if (rc == 0 && request.n_bases == 0)
		rc = sides_join(l.sides, &change, err);
	if (rc == 0) {
		data = mem_zalloc(1, sizeof(*data));
		*data = (struct shell_data){ .p = l.profile,
					     .sides = l.sides ? l.sides : l.profile,
					     .change = change ? change : l.profile,
					     .has_base = true,
					     .is_change = request.n_bases > 0 };
		l.profile = l.sides = NULL;
		*out = data;
	}
	load_result_release(&l);
	return rc;
}

static void work_run(struct work_job *j)
{
	const struct shell_host *host = &j->request.options->host;

	assert(!j->class || j->model);
	if (j->class)
		j->rc = j->class->make(&j->request, j->model, &j->err);
	else if (j->line.report)
		j->rc = host->run(host->arg, j->data, &j->line, &j->stop, &j->notes, &j->err);
	else
		j->rc = work_reload(j->request.options, j->data, &j->stop, &j->fetched, &j->notes, &j->err);
}

static void *lane_main(void *arg)
{
	struct lane *l = arg;
	struct work *w = l->work;

	pthread_mutex_lock(&w->lock);
	while (!w->is_stopping) {
		if (!l->next || l->done) {
			pthread_cond_wait(&w->changed, &w->lock);
			continue;
		}
		assert(!l->running);
		l->running = l->next;
		l->next = NULL;
		pthread_mutex_unlock(&w->lock);
		work_run(l->running);
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
		return err_set(err, ERR_IO, "cannot start a thread: %s", strerror(rc));
	}
	*out = w;
	return 0;
}

void work_free(struct work *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->is_stopping = true;
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

void work_set_callback(struct work *w, void (*wake)(void *arg), void *arg)
{
	pthread_mutex_lock(&w->lock);
	w->wake = wake;
	w->wake_arg = arg;
	for (int i = 0; wake && i < N_LANES; i++)
		if (w->lane[i].done) /* a job may have finished before the callback was set */
			wake(arg);
	pthread_mutex_unlock(&w->lock);
}

/* Stop the running job of a lane, and set the next one; NULL: none. Only the input thread counts references, so a replaced
   job is freed here. */
static void lane_set_next(struct work *w, enum lane_kind kind, struct work_job *next)
{
	struct lane *l = &w->lane[kind];
	struct work_job *replaced;

	pthread_mutex_lock(&w->lock);
	if (l->running)
		stop_set(&l->running->stop);
	replaced = l->next;
	l->next = next;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
	job_free(replaced);
}

static void shell_work_start(struct work *w, enum lane_kind kind, struct work_job *j)
{
	assert((kind == LANE_MODELS) == (j->class != NULL));
	j->start_ms = clock_mono_ms();
	j->number = ++w->n_jobs;
	lane_set_next(w, kind, j);
}

void work_start(struct work *w, struct shell *s, struct pane *p)
{
	struct work_job *j = mem_zalloc(1, sizeof(*j));

	assert(p->class->make && p->settings);
	j->class = p->class;
	j->data = data_ref(s->data);
	j->model = mem_zalloc(1, sizeof(*j->model));
	j->model->settings = settings_copy(p->settings);
	j->q = *settings_query(j->model->settings);
	j->q.stop = &j->stop;
	query_apply_defaults(&j->q, &(p->class->defaults_of ? reports_get(p->class->defaults_of) : p->type)->defaults);
	j->q.inlined = true;
	if (p->class != s->options.views[VIEW_TEXT] && strcmp(j->q.unit, "minimum") == 0)
		j->q.unit = "auto"; /* a unit per value, because a common unit would show 33MB as 33772.49kB */
	j->model->mem = arena_new();
	j->model->data = data_ref(s->data);
	j->request = (struct model_request){ .data = s->data,
					     .p = s->show_sides ? s->data->sides : s->data->p,
					     .joined = s->show_sides ? s->data->change : s->data->p,
					     .show_sides = s->show_sides,
					     .is_change = s->data->is_change || s->show_sides,
					     .type = p->type,
					     .q = &j->q,
					     .width = p->area.width,
					     .height = p->area.height,
					     .flags = p->flags,
					     .part = p->part,
					     .options = &s->options };
	p->part = (struct buf){ 0 };
	p->is_waiting = true;
	p->is_stale = false;
	shell_work_start(w, LANE_MODELS, j);
	p->job = j->number;
}

static bool work_is_busy(struct work *w, const struct lane *l)
{
	bool busy;

	pthread_mutex_lock(&w->lock);
	busy = l->next || l->running || l->done;
	pthread_mutex_unlock(&w->lock);
	return busy;
}

static struct work_job *new_task(struct shell *s)
{
	struct work_job *j = mem_zalloc(1, sizeof(*j));

	j->data = data_ref(s->data);
	j->request = (struct model_request){ .data = s->data, .options = &s->options };
	return j;
}

bool work_start_reload(struct work *w, struct shell *s)
{
	if (work_is_busy(w, &w->lane[LANE_TASKS]))
		return false;
	shell_work_start(w, LANE_TASKS, new_task(s));
	return true;
}

bool work_start_run(struct work *w, struct shell *s, struct line *l)
{
	struct work_job *j;

	if (work_is_busy(w, &w->lane[LANE_TASKS]))
		return false;
	j = new_task(s);
	j->line = *l;
	*l = (struct line){ 0 };
	shell_work_start(w, LANE_TASKS, j);
	return true;
}

void work_stop_model(struct work *w)
{
	lane_set_next(w, LANE_MODELS, NULL);
}

void work_stop_task(struct work *w)
{
	lane_set_next(w, LANE_TASKS, NULL);
}

bool work_get_status(struct work *w, struct work_status *out)
{
	const struct work_job *j = NULL;

	pthread_mutex_lock(&w->lock);
	for (int i = 0; i < N_LANES && !j; i++)
		j = w->lane[i].running ? w->lane[i].running : w->lane[i].next;
	if (j) {
		out->elapsed_ms = clock_mono_ms() - j->start_ms;
		out->percent = stop_percent(&j->stop, &out->step);
		out->command = j->class ? j->request.type->name : j->line.report ? j->line.report->name : "fetch";
		out->is_task = !j->class;
		out->is_stopping = stop_is_set(&j->stop);
	}
	pthread_mutex_unlock(&w->lock);
	return j != NULL;
}

static struct pane *pane_of(const struct shell *s, const struct work_job *j)
{
	for (size_t i = 0; i < s->n_panes; i++)
		if (s->pane[i]->is_waiting && s->pane[i]->job == j->number)
			return s->pane[i];
	return NULL;
}

static void deliver(struct shell *s, struct work_job *j)
{
	struct pane *p = j->class ? pane_of(s, j) : NULL;

	if (p) {
		pane_set_model(s, p, j->rc, j->model, j->request.part.len > 0, &j->err);
		j->model = NULL;
	} else if (!j->class && j->line.report) {
		shell_line_done(s, j->rc, &j->notes, &j->err);
	} else if (!j->class) {
		shell_reload_done(s, j->rc, j->fetched, &j->notes, &j->err);
		j->fetched = NULL;
	}
}

bool work_take(struct work *w, struct shell *s)
{
	struct work_job *j = NULL;

	pthread_mutex_lock(&w->lock);
	for (int i = 0; i < N_LANES && !j; i++) {
		j = w->lane[i].done;
		w->lane[i].done = NULL;
	}
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
	if (!j)
		return false;
	deliver(s, j);
	job_free(j);
	return true;
}

/* Is work pending? Set done if a result is ready. The lock must be held. */
static bool has_pending(const struct work *w, bool *done)
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
	while (has_pending(w, &done)) {
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
