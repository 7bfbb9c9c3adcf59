/*
 * writer.c - the threads that write to the store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "scrape/writer.h"

#include "base/cond.h"
#include "base/mem.h"
#include "base/time.h"
#include "scrape/accept.h"
#include "store/local/upkeep/upkeep.h"
#include "store/local/write/writer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	BATCH_MS = 200,
	BATCH_ROWS = 64 << 10, /* about 1 MiB in the journal */
	QUEUE_MAX = 64,        /* profiles in memory */
	RETRY_MS = 10000,
	MAINTAIN_MS = 60000,
	FLUSH_CHECK_MS = 1000,
	NICE = 10,
};

struct writer_command {
	const char *folder;
	int argc;
	char **argv;
	struct buf *out;
	int status;
	bool is_done;
	struct writer_command *next;
};

struct scrape_writer {
	struct scrape_writer_options o;
	pthread_mutex_t lock;
	pthread_cond_t changed; /* the queue, or the end */
	pthread_cond_t has_room;
	struct scrape_write *first, **last;
	size_t n_queued;
	bool is_ending;
	pthread_t writer, maintainer;

	/* of the writer thread */
	struct scrape_write *batch, **batch_last;
	int64_t batch_ms;
	size_t batch_rows;

	/* of the maintenance thread, guarded by its lock */
	pthread_mutex_t maintain_lock;
	pthread_cond_t maintain_changed, command_done;
	struct writer_command *commands;
	bool maintain_ending;
	struct stop stop;

	char problem[512]; /* the last failure to store, guarded by lock; "": none */
};

struct store_label *scrape_writer_copy_labels(const struct store_label *label, size_t n)
{
	size_t bytes = 0;
	struct store_label *to;
	char *at;

	for (size_t i = 0; i < n; i++)
		bytes += strlen(label[i].name) + strlen(label[i].value) + 2;
	to = mem_alloc(n * sizeof(*to) + bytes + 1, 1);
	at = (char *)(to + n);
	for (size_t i = 0; i < n; i++) {
		to[i].name = at;
		at = stpcpy(at, label[i].name) + 1;
		to[i].value = at;
		at = stpcpy(at, label[i].value) + 1;
	}
	return to;
}

/* ---- the writer thread ---- */

static void log_problem(struct scrape_writer *w, const char *message)
{
	char line[700];
	bool is_new;

	pthread_mutex_lock(&w->lock);
	is_new = strncmp(w->problem, message, sizeof(w->problem) - 12) != 0;
	snprintf(w->problem, sizeof(w->problem), "%.500s", message);
	pthread_mutex_unlock(&w->lock);
	if (!is_new)
		return;
	if (*message)
		snprintf(line, sizeof(line), "store=failed error=\"%.600s\"", message);
	else
		snprintf(line, sizeof(line), "store=ready");
	w->o.log(w->o.log_arg, line);
}

static void scrape_writer_count(const struct scrape_writer *w, const struct scrape_write *x)
{
	if (x->rc == 0)
		scrape_stats_profile(w->o.stats, x->kind, x->is_duplicate, clock_wall_ns());
	else
		scrape_stats_drop(w->o.stats, x->rc == ERR_LIMIT   ? SCRAPE_DROP_ROOM
					      : x->rc == ERR_RANGE ? SCRAPE_DROP_LIMIT
								   : SCRAPE_DROP_STORAGE);
	if (x->rc == 0)
		scrape_stats_time(w->o.stats, SCRAPE_ACK, clock_mono_ns() - x->queued_ns);
}

static void acknowledge(struct scrape_writer *w, struct scrape_write *x)
{
	scrape_writer_count(w, x);
	if (x->written)
		x->written(x->arg, x);
	scrape_accept_free(x);
}

static void scrape_writer_append(struct scrape_writer *w, struct scrape_write *x)
{
	struct store_input in = { .service = x->service,
				  .kind = x->kind,
				  .label = x->label,
				  .n_labels = x->n_labels,
				  .profile = x->profile,
				  .start_ns = x->start_ns,
				  .duration_ns = x->duration_ns };
	struct store_mark mark = { .time_ns = x->start_ns, .kind = "deploy", .text = x->version, .env = x->env };
	size_t n_rows = x->profile->n_rows;

	x->rc = writer_append(w->o.store, &in, NULL, &x->is_duplicate, &x->err);
	if (x->rc == 0 && x->version)
		x->rc = writer_add_mark(w->o.store, x->service, &mark, &x->err);
	profile_free(x->profile);
	x->profile = NULL;
	if (x->copied)
		x->copied(x->arg);
	if (x->rc < 0) {
		if (x->rc != ERR_RANGE)
			log_problem(w, x->err.msg);
		acknowledge(w, x);
		return;
	}
	if (!w->batch)
		w->batch_ms = clock_mono_ns() / 1000000;
	x->next = NULL;
	*w->batch_last = x;
	w->batch_last = &x->next;
	w->batch_rows += n_rows + 16;
}

/* Sync the batch and acknowledge its profiles. After a failure they are refused, and the store keeps them for the next try. */
static void scrape_writer_commit(struct scrape_writer *w)
{
	struct err err = { 0 };
	int rc = writer_commit(w->o.store, &err);
	struct scrape_write *x = w->batch, *next;

	log_problem(w, rc < 0 ? err.msg : "");
	w->batch = NULL;
	w->batch_last = &w->batch;
	w->batch_rows = 0;
	for (; x; x = next) {
		next = x->next;
		x->rc = rc;
		x->err = err;
		acknowledge(w, x);
	}
}

/* Milliseconds until the batch must be committed; 0: now. */
static unsigned batch_wait_ms(const struct scrape_writer *w)
{
	int64_t rest = w->batch_ms + BATCH_MS - clock_mono_ns() / 1000000;

	return w->batch_rows >= BATCH_ROWS || rest <= 0 ? 0 : (unsigned)rest;
}

/* Take the queue; waits for it, or until the batch must be committed. False at the end, when the queue is empty. */
static bool scrape_writer_take(struct scrape_writer *w, struct scrape_write **out)
{
	bool is_live;

	pthread_mutex_lock(&w->lock);
	while (!w->first && !w->is_ending) {
		unsigned ms = w->batch ? batch_wait_ms(w) : RETRY_MS;

		if (ms == 0)
			break;
		cond_wait_ms(&w->changed, &w->lock, ms);
		if (!w->batch && *w->problem)
			break; /* try again to write what failed */
	}
	*out = w->first;
	w->first = NULL;
	w->last = &w->first;
	w->n_queued = 0;
	pthread_cond_broadcast(&w->has_room);
	is_live = *out || !w->is_ending;
	pthread_mutex_unlock(&w->lock);
	return is_live;
}

static void *scrape_writer_write_all(void *arg)
{
	struct scrape_writer *w = arg;
	struct scrape_write *x, *next;

	while (scrape_writer_take(w, &x)) {
		bool is_retry = !x && !w->batch;

		for (; x; x = next) {
			next = x->next;
			scrape_writer_append(w, x);
			if (w->batch && batch_wait_ms(w) == 0)
				scrape_writer_commit(w);
		}
		if (is_retry || (w->batch && batch_wait_ms(w) == 0))
			scrape_writer_commit(w);
	}
	scrape_writer_commit(w);
	return NULL;
}

void scrape_writer_add(struct scrape_writer *w, struct scrape_write *x)
{
	x->queued_ns = clock_mono_ns();
	x->next = NULL;
	pthread_mutex_lock(&w->lock);
	while (w->n_queued >= QUEUE_MAX)
		pthread_cond_wait(&w->has_room, &w->lock);
	*w->last = x;
	w->last = &x->next;
	w->n_queued++;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

bool scrape_writer_is_ready(struct scrape_writer *w, struct buf *why)
{
	bool is_ready;

	pthread_mutex_lock(&w->lock);
	is_ready = !*w->problem;
	buf_addz(why, w->problem);
	pthread_mutex_unlock(&w->lock);
	return is_ready;
}

/* ---- the maintenance thread ---- */

/* Lower the priority of this thread: CPU and, on disks that have queues, I/O. */
static void be_nice(void)
{
	enum { IOPRIO_WHO_PROCESS = 1, IOPRIO_CLASS_IDLE = 3, IOPRIO_CLASS_SHIFT = 13 };

	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICE);
	syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_CLASS_IDLE << IOPRIO_CLASS_SHIFT);
}

static void scrape_writer_maintain(struct scrape_writer *w, bool is_full)
{
	struct buf report = { 0 };
	struct err err = { 0 };
	char line[700];
	int rc = 0;

	writer_take_notes(w->o.store, &report);
	if (writer_flush_is_due(w->o.store))
		rc = writer_flush(w->o.store, &err);
	if (rc == 0 && is_full)
		rc = upkeep_run(w->o.store, false, false, &w->stop, &report, &err);
	if (rc < 0 && rc != ERR_STOPPED) {
		snprintf(line, sizeof(line), "maintenance=failed error=\"%.600s\"", err.msg);
		w->o.log(w->o.log_arg, line);
	}
	for (char *at = report.data, *end; at && (end = strchr(at, '\n')); at = end + 1) {
		*end = '\0';
		snprintf(line, sizeof(line), "maintenance=done what=\"%.600s\"", at);
		w->o.log(w->o.log_arg, line);
	}
	buf_release(&report);
}

/* Run the commands that are waiting. The lock is held, but not while a command runs. */
static void run_commands(struct scrape_writer *w)
{
	while (w->commands) {
		struct writer_command *c = w->commands;

		w->commands = c->next;
		pthread_mutex_unlock(&w->maintain_lock);
		c->status =
			w->o.command(w->o.command_arg, w->o.store, w->o.directory, c->folder, c->argc, c->argv, c->out);
		pthread_mutex_lock(&w->maintain_lock);
		c->is_done = true;
		pthread_cond_broadcast(&w->command_done);
	}
}

static void *maintain_all(void *arg)
{
	struct scrape_writer *w = arg;
	int64_t maintained_ms = clock_mono_ns() / 1000000;

	be_nice();
	pthread_mutex_lock(&w->maintain_lock);
	while (!w->maintain_ending) {
		bool is_full = clock_mono_ns() / 1000000 - maintained_ms >= MAINTAIN_MS;

		run_commands(w);
		pthread_mutex_unlock(&w->maintain_lock);
		scrape_writer_maintain(w, is_full);
		if (is_full)
			maintained_ms = clock_mono_ns() / 1000000;
		pthread_mutex_lock(&w->maintain_lock);
		if (!w->maintain_ending && !w->commands)
			cond_wait_ms(&w->maintain_changed, &w->maintain_lock, FLUSH_CHECK_MS);
	}
	run_commands(w);
	pthread_mutex_unlock(&w->maintain_lock);
	return NULL;
}

int scrape_writer_command(struct scrape_writer *w, const char *folder, int argc, char **argv, struct buf *out)
{
	struct writer_command c = { .folder = folder, .argc = argc, .argv = argv, .out = out, .status = 2 }, **at;

	pthread_mutex_lock(&w->maintain_lock);
	if (w->maintain_ending || !w->o.command) {
		buf_addz(out, "the collector is ending");
		c.is_done = true;
	} else {
		for (at = &w->commands; *at; at = &(*at)->next)
			;
		*at = &c;
		pthread_cond_signal(&w->maintain_changed);
	}
	while (!c.is_done)
		pthread_cond_wait(&w->command_done, &w->maintain_lock);
	pthread_mutex_unlock(&w->maintain_lock);
	return c.status;
}

/* ---- start and end ---- */

int scrape_writer_new(const struct scrape_writer_options *o, struct scrape_writer **out, struct err *err)
{
	struct scrape_writer *w = mem_zalloc(1, sizeof(*w));
	int rc;

	w->o = *o;
	w->last = &w->first;
	w->batch_last = &w->batch;
	pthread_mutex_init(&w->lock, NULL);
	pthread_mutex_init(&w->maintain_lock, NULL);
	cond_init(&w->changed);
	cond_init(&w->has_room);
	cond_init(&w->maintain_changed);
	cond_init(&w->command_done);
	rc = pthread_create(&w->writer, NULL, scrape_writer_write_all, w);
	if (rc == 0 && (rc = pthread_create(&w->maintainer, NULL, maintain_all, w))) {
		w->is_ending = true;
		pthread_cond_signal(&w->changed);
		pthread_join(w->writer, NULL);
	}
	if (rc) {
		free(w);
		return err_set(err, ERR_IO, "cannot create a thread: %s", strerror(rc));
	}
	*out = w;
	return 0;
}

void scrape_writer_free(struct scrape_writer *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->maintain_lock);
	w->maintain_ending = true;
	stop_set(&w->stop);
	pthread_cond_signal(&w->maintain_changed);
	pthread_mutex_unlock(&w->maintain_lock);
	pthread_join(w->maintainer, NULL);
	pthread_mutex_lock(&w->lock);
	w->is_ending = true;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->writer, NULL);
	pthread_mutex_destroy(&w->lock);
	pthread_mutex_destroy(&w->maintain_lock);
	pthread_cond_destroy(&w->changed);
	pthread_cond_destroy(&w->has_room);
	pthread_cond_destroy(&w->maintain_changed);
	pthread_cond_destroy(&w->command_done);
	free(w);
}
