/*
 * test_jobs.c - requests of a server that are being answered
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "base/pool.h"
#include "front/web/jobs/jobs.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { N_MAX = 16 };

/* Requests on threads of their own; each job waits until the test opens the gate, or until it is stopped. */
struct scene {
	struct jobs *jobs;
	atomic_bool is_open;
	atomic_uint n_started, n_running, n_peak, n_stopped;
};

struct request {
	struct scene *scene;
	struct jobs_client client;
	const char *key;
	bool is_large;
	struct stop stop;
	struct http_response response;
	pthread_t thread;
	int rc;
	unsigned n_threads; /* limit of the job */
	atomic_bool is_done;
};

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

/* Wait until the number has this value. */
static void wait_for(atomic_uint *n, unsigned value)
{
	while (atomic_load(n) != value)
		nap();
}

static void make(void *arg, struct stop *stop, struct http_response *out)
{
	struct request *r = arg;
	struct scene *s = r->scene;
	unsigned n = atomic_fetch_add(&s->n_running, 1) + 1;

	if (n > atomic_load(&s->n_peak))
		atomic_store(&s->n_peak, n);
	r->n_threads = pool_size();
	stop_begin(stop, "adding up", 200);
	stop_set_done(stop, 100);
	atomic_fetch_add(&s->n_started, 1);
	while (!atomic_load(&s->is_open) && !stop_is_set(stop))
		nap();
	atomic_fetch_add(&s->n_stopped, stop_is_set(stop));
	out->status = 200;
	buf_addz(&out->body, r->key ? r->key : "none");
	atomic_fetch_sub(&s->n_running, 1);
}

/* Like make, but it also takes memory until it is stopped. */
static void make_large(void *arg, struct stop *stop, struct http_response *out)
{
	enum { STEP = 4 << 20, STEPS_MAX = 64 };
	char *block[STEPS_MAX];
	int n = 0;

	for (; n < STEPS_MAX && !stop_is_set(stop); n++) {
		block[n] = mem_alloc(1, STEP);
		memset(block[n], 1, STEP);
		nap();
	}
	make(arg, stop, out);
	while (n > 0)
		free(block[--n]);
}

static void *request_main(void *arg)
{
	struct request *r = arg;
	struct err err;

	r->rc = jobs_run(r->scene->jobs, &r->client, r->key, r->is_large ? make_large : make, r, &r->response, &err);
	atomic_store(&r->is_done, true);
	return NULL;
}

static void start(struct scene *s, struct request *r, const char *tab, const char *slot, const char *key)
{
	r->scene = s;
	r->client = (struct jobs_client){ .tab = tab, .slot = slot, .stop = &r->stop };
	r->key = key;
	pthread_create(&r->thread, NULL, request_main, r);
}

static void finish(struct request *r, int rc)
{
	pthread_join(r->thread, NULL);
	assert_int_equal(r->rc, rc);
	if (rc == 0)
		assert_string_equal(blob_data(r->response.blob), r->key ? r->key : "none");
	http_response_release(&r->response);
}

static int set_up(void **state)
{
	static struct scene s;

	s = (struct scene){ 0 };
	pool_set_size(8);
	s.jobs = jobs_new();
	*state = &s;
	return 0;
}

static int tear_down(void **state)
{
	jobs_free(((struct scene *)*state)->jobs);
	pool_set_size(0);
	return 0;
}

static void at_most_four_jobs_run_and_share_the_threads(void **state)
{
	struct scene *s = *state;
	struct request r[N_MAX] = { 0 };
	unsigned least = 8;

	for (int i = 0; i < N_MAX; i++)
		start(s, &r[i], "", "", NULL);
	wait_for(&s->n_started, JOBS_RUNNING_MAX);
	atomic_store(&s->is_open, true);
	for (int i = 0; i < N_MAX; i++) {
		finish(&r[i], 0);
		least = r[i].n_threads < least ? r[i].n_threads : least;
	}
	assert_int_equal(least, 8 / JOBS_RUNNING_MAX);
	assert_int_equal(atomic_load(&s->n_started), N_MAX);
	assert_int_equal(atomic_load(&s->n_peak), JOBS_RUNNING_MAX);
}

static void a_job_stops_when_its_client_is_gone(void **state)
{
	struct scene *s = *state;
	struct request r = { 0 };

	start(s, &r, "", "", "a");
	wait_for(&s->n_started, 1);
	stop_set(&r.stop);
	finish(&r, ERR_STOPPED);
	assert_int_equal(atomic_load(&s->n_stopped), 1);
}

static void a_job_that_waits_for_others_stops_when_its_client_is_gone(void **state)
{
	struct scene *s = *state;
	struct request r[JOBS_RUNNING_MAX + 1] = { 0 };

	for (int i = 0; i < JOBS_RUNNING_MAX; i++)
		start(s, &r[i], "", "", NULL);
	wait_for(&s->n_started, JOBS_RUNNING_MAX);
	start(s, &r[JOBS_RUNNING_MAX], "", "", NULL);
	stop_set(&r[JOBS_RUNNING_MAX].stop);
	finish(&r[JOBS_RUNNING_MAX], ERR_STOPPED);
	atomic_store(&s->is_open, true);
	for (int i = 0; i < JOBS_RUNNING_MAX; i++)
		finish(&r[i], 0);
	assert_int_equal(atomic_load(&s->n_started), JOBS_RUNNING_MAX);
}

/* Start a second request with the same key, and wait until it waits for the first. */
static void start_two(struct scene *s, struct request r[2])
{
	struct jobs_progress progress;

	start(s, &r[0], "first", "", "a");
	wait_for(&s->n_started, 1);
	start(s, &r[1], "second", "", "a");
	while (!jobs_find_progress(s->jobs, "second", &progress))
		nap();
}

static void equal_requests_are_computed_once(void **state)
{
	struct scene *s = *state;
	struct request r[2] = { 0 };

	start_two(s, r);
	atomic_store(&s->is_open, true);
	pthread_join(r[0].thread, NULL);
	pthread_join(r[1].thread, NULL);
	assert_ptr_equal(r[0].response.blob, r[1].response.blob);
	assert_int_equal(atomic_load(&s->n_started), 1);
	http_response_release(&r[0].response);
	http_response_release(&r[1].response);
}

static void a_job_continues_while_another_client_waits_for_it(void **state)
{
	struct scene *s = *state;
	struct request r[2] = { 0 };
	struct jobs_progress progress;

	start_two(s, r);
	stop_set(&r[0].stop);
	for (int i = 0; i < 50; i++)
		nap();
	assert_true(jobs_find_progress(s->jobs, "second", &progress));
	assert_false(atomic_load(&r[1].is_done));
	atomic_store(&s->is_open, true);
	finish(&r[0], ERR_STOPPED);
	finish(&r[1], 0);
	assert_int_equal(atomic_load(&s->n_stopped), 0);
}

static void a_job_stops_when_its_last_client_is_gone(void **state)
{
	struct scene *s = *state;
	struct request r[2] = { 0 };

	start_two(s, r);
	stop_set(&r[1].stop);
	finish(&r[1], ERR_STOPPED);
	assert_int_equal(atomic_load(&s->n_stopped), 0);
	stop_set(&r[0].stop);
	finish(&r[0], ERR_STOPPED);
	assert_int_equal(atomic_load(&s->n_stopped), 1);
}

static void a_newer_request_stops_the_older_of_the_same_part_of_the_tab(void **state)
{
	struct scene *s = *state;
	struct request r[4] = { 0 };

	start(s, &r[0], "t1", "flame", "a");
	start(s, &r[1], "t1", "table", "b");
	start(s, &r[2], "t2", "flame", "c");
	wait_for(&s->n_started, 3);
	start(s, &r[3], "t1", "flame", "d");
	finish(&r[0], ERR_STOPPED);
	wait_for(&s->n_started, 4);
	assert_int_equal(atomic_load(&s->n_stopped), 1);
	atomic_store(&s->is_open, true);
	finish(&r[1], 0);
	finish(&r[2], 0);
	finish(&r[3], 0);
}

static void progress_of_a_tab_is_that_of_its_newest_job(void **state)
{
	struct scene *s = *state;
	struct request r = { 0 };
	struct jobs_progress progress;

	assert_false(jobs_find_progress(s->jobs, "", &progress));
	start(s, &r, "tab", "flame", "a");
	wait_for(&s->n_started, 1);
	assert_false(jobs_find_progress(s->jobs, "other", &progress));
	assert_true(jobs_find_progress(s->jobs, "tab", &progress));
	assert_string_equal(progress.activity, "adding up");
	assert_int_equal(progress.percent, 50);
	atomic_store(&s->is_open, true);
	finish(&r, 0);
	assert_false(jobs_find_progress(s->jobs, "tab", &progress));
}

static void the_job_that_needs_too_much_memory_is_stopped(void **state)
{
	struct scene *s = *state;
	struct request small = { 0 }, large = { .is_large = true }, waits = { .is_large = true };
	struct jobs_progress progress;

	jobs_limit_memory(s->jobs, mem_resident() + (100 << 20));
	start(s, &small, "", "", "small");
	wait_for(&s->n_started, 1);
	start(s, &large, "first", "", "large");
	while (!jobs_find_progress(s->jobs, "first", &progress))
		nap();
	start(s, &waits, "second", "", "large");
	finish(&large, ERR_MEMORY);
	finish(&waits, ERR_MEMORY); /* the same response */
	assert_false(atomic_load(&small.is_done));
	atomic_store(&s->is_open, true);
	finish(&small, 0);
}

/* Take memory until it is stopped. */
static int work_large(void *arg, struct err *err)
{
	enum { STEP = 4 << 20, STEPS_MAX = 64 };
	struct stop *stop = arg;
	char *block[STEPS_MAX];
	int n = 0;

	for (; n < STEPS_MAX && !stop_is_set(stop); n++) {
		block[n] = mem_alloc(1, STEP);
		memset(block[n], 1, STEP);
		nap();
	}
	while (n > 0)
		free(block[--n]);
	return stop_check(stop, err);
}

static void work_beside_the_jobs_is_stopped_for_its_memory(void **state)
{
	struct scene *s = *state;
	struct request small = { 0 };
	struct stop stop = { 0 };
	struct err err;

	jobs_limit_memory(s->jobs, mem_resident() + (100 << 20));
	start(s, &small, "", "", "small");
	wait_for(&s->n_started, 1);
	assert_int_equal(jobs_run_beside(s->jobs, &stop, work_large, &stop, &err), ERR_MEMORY);
	assert_non_null(strstr(err.msg, "--http-memory"));
	assert_false(atomic_load(&small.is_done));
	atomic_store(&s->is_open, true);
	finish(&small, 0);
}

int main(void)
{
#define WITH_SCENE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		WITH_SCENE(at_most_four_jobs_run_and_share_the_threads),
		WITH_SCENE(a_job_stops_when_its_client_is_gone),
		WITH_SCENE(a_job_that_waits_for_others_stops_when_its_client_is_gone),
		WITH_SCENE(equal_requests_are_computed_once),
		WITH_SCENE(a_job_continues_while_another_client_waits_for_it),
		WITH_SCENE(a_job_stops_when_its_last_client_is_gone),
		WITH_SCENE(a_newer_request_stops_the_older_of_the_same_part_of_the_tab),
		WITH_SCENE(progress_of_a_tab_is_that_of_its_newest_job),
		WITH_SCENE(the_job_that_needs_too_much_memory_is_stopped),
		WITH_SCENE(work_beside_the_jobs_is_stopped_for_its_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
