/*
 * conn_work.c - a connection of the server: the answer is made
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * By the thread of the server, a step at a time, or by a thread of its own, which sleeps on a word that it is told
 * things with. Such a thread touches its connection and the pipe of the server until it says that it has ended;
 * server_run waits for the last one.
 */
#include "config.h"

#include "libcpaprof/endpoint/server_int.h"

#include "libcpaprof/target/sys.h"

#include <linux/futex.h>

enum { NS = 1000000000 };

/* Until a time of CLOCK_MONOTONIC, or as soon as it is told something else. */
static void wait_told(struct conn *c, uint32_t told, uint64_t due_ns)
{
	struct timespec due = { .tv_sec = (time_t)(due_ns / NS), .tv_nsec = (long)(due_ns % NS) };

	sys_call6(SYS_futex, (long)&c->told, FUTEX_WAIT_BITSET_PRIVATE, told, (long)&due, 0,
		  (long)FUTEX_BITSET_MATCH_ANY);
}

void conn_tell(struct conn *c, uint32_t told)
{
	atomic_fetch_or(&c->told, told);
	sys_call6(SYS_futex, (long)&c->told, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

/* Does somebody wait for the answer? When it takes a while yet: one that said it is done does not. */
static void run(void *arg)
{
	struct conn *c = arg;
	struct server *s = c->server;
	uint32_t told;
	uint64_t due = 1;

	while (!((told = atomic_load(&c->told)) & WORK_GONE)) {
		due = serve_step(c->job, told & WORK_HURRY);
		if (!due || told & WORK_EOF)
			break;
		wait_told(c, told, due);
	}
	if (due) {
		serve_end(c->job);
		c->job = NULL;
	}
	atomic_store(&c->ended, true);
	server_wake(s);
	atomic_fetch_sub(&s->n_threads, 1);
	/* Memory that went meanwhile is no harm: the kernel says so, or wakes whoever waits for no reason. */
	sys_call6(SYS_futex, (long)&s->n_threads, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

static bool begin_thread(struct conn *c)
{
	struct server *s = c->server;

	if (!s->how.spawn)
		return false;
	atomic_store(&c->told, s->stopping ? WORK_HURRY : 0);
	atomic_store(&c->ended, false);
	atomic_fetch_add(&s->n_threads, 1);
	c->threaded = true;
	if (s->how.spawn(s->how.arg, run, c) == 0)
		return true;
	atomic_fetch_sub(&s->n_threads, 1);
	c->threaded = false;
	return false;
}

void conn_work(struct conn *c)
{
	const struct serve_request r = {
		.method = c->head.method,
		.target = c->head.target,
		.body = c->body.data ? c->body.data : "",
		.n_body = c->body.n,
	};

	c->until_ns = 0;
	if (serve_begin(c->server->how.serve, &r, &c->job) < 0) {
		c->job = NULL;
		conn_say(c, 503, "there is no memory to answer");
		return;
	}
	vec_release(&c->body, 1);
	c->state = CONN_WORK;
	if (!begin_thread(c))
		conn_step(c);
}

void conn_step(struct conn *c)
{
	c->until_ns = serve_step(c->job, c->server->stopping);
	if (!c->until_ns)
		conn_answer(c);
}

void conn_end_work(struct conn *c)
{
	serve_end(c->job);
	c->job = NULL;
}
