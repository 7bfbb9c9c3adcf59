/*
 * make_serve.h - a host for tests of serve, with a process made of tables
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef MAKE_SERVE_H
#define MAKE_SERVE_H

#include "make_tables.h"

#include "libcpaprof/endpoint/serve.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

/* A host for a test: its settings, and records of the calls of its functions. */
struct made_host {
	struct made m;
	pthread_t thread; /* a thread to dump, since dumps skip the calling thread */
	struct serve_host host;
	bool is_locked, ended;
	bool is_gone;        /* the collector is gone, so lock fails */
	bool ends_in_lookup; /* the collector ends while names are looked up */
	int cpu_error;       /* result of cpu_begin */
	uint64_t recording;
	struct serve_cpu settings; /* settings of the last recording */
	unsigned n_begun, n_ended, n_polls, n_names;
	size_t n_rows; /* of the snap passed to names_take */
};

static inline bool made_lock(void *arg)
{
	struct made_host *h = arg;

	assert_false(h->is_locked);
	h->is_locked = !h->is_gone;
	return h->is_locked;
}

static inline void made_unlock(void *arg)
{
	struct made_host *h = arg;

	assert_true(h->is_locked);
	h->is_locked = false;
}

static inline struct process *made_process(void *arg, pid_t pid)
{
	struct made_host *h = arg;

	assert_true(h->is_locked);
	return h->ended || (pid && pid != getpid()) ? NULL : h->m.p;
}

static inline int made_cpu_begin(void *arg, const struct serve_cpu *options)
{
	struct made_host *h = arg;

	assert_true(h->is_locked);
	h->settings = *options;
	if (h->recording)
		return -EBUSY;
	if (h->cpu_error)
		return h->cpu_error;
	h->recording = ++h->n_begun;
	return 0;
}

static inline bool made_cpu_poll(void *arg)
{
	struct made_host *h = arg;

	assert_true(h->is_locked);
	return ++h->n_polls < 3;
}

static inline void made_cpu_end(void *arg)
{
	struct made_host *h = arg;

	assert_true(h->is_locked);
	h->recording = 0;
	h->n_ended++;
}

static inline uint64_t made_cpu_recording(void *arg, struct serve_cpu *out)
{
	struct made_host *h = arg;

	*out = (struct serve_cpu){ .hz = 100, .engine = REQUEST_TIMER + 1 };
	return h->recording;
}

/* Each address is a separate function; 0x1000 also has an inlined one. */
static inline bool made_name_at(void *arg, const struct process *p, uint64_t addr, uint32_t map, uint32_t i,
				struct snap_name *out)
{
	static char name[64];
	struct made_host *h = arg;

	(void)p;
	(void)map;
	assert_true(h->is_locked);
	if (i > (addr == 0x1000) || addr < 0x1000)
		return false;
	snprintf(name, sizeof(name), "f%llx%s", (unsigned long long)addr, i ? "_caller" : "");
	*out = (struct snap_name){ .function = name, .file = "f.c", .line = 7, .offset = 3 };
	return true;
}

static inline void *made_names_take(void *arg, const struct snap *s)
{
	struct made_host *h = arg;

	assert_true(h->is_locked);
	h->n_rows = s->row.n;
	return h;
}

static inline int made_names_find(void *arg, void *names)
{
	struct made_host *h = arg;

	assert_ptr_equal(arg, names);
	assert_false(h->is_locked);
	h->is_gone = h->ends_in_lookup;
	h->n_names++;
	return 0;
}

static inline void made_names_close(void *arg, void *names)
{
	assert_ptr_equal(arg, names);
}

/* Set the name of a custom profile, as label set LABELS_FIRST. */
static inline void made_name(const struct made *m, const char *name)
{
	uint8_t *section = (uint8_t *)m->c->head + m->c->layout.section[SECTION_LABELS], *at = section + LABELS_SETS_AT;
	struct labels_set *set = (struct labels_set *)at;
	struct labels_size n = { 0, (uint16_t)strlen(name) };

	at += sizeof(*set);
	memcpy(at, &n, sizeof(n));
	at[sizeof(n)] = 0;
	memcpy(at + sizeof(n) + 1, name, n.value + 1U);
	set->n_pairs = 1;
	set->n_bytes = (uint32_t)(sizeof(n) + n.value + 2);
	((uint32_t *)(section + LABELS_INDEX_AT))[LABELS_FIRST] = 1;
}

static inline void *made_wait(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return NULL;
}

/* Open a host with a process that has samples of all kinds. */
static inline void made_host_open(struct made_host *h)
{
	static const uint64_t a[] = { 0x1000, 0x2000 };

	*h = (struct made_host){ .host = { .lock = made_lock,
					   .unlock = made_unlock,
					   .process = made_process,
					   .cpu_begin = made_cpu_begin,
					   .cpu_poll = made_cpu_poll,
					   .cpu_end = made_cpu_end,
					   .cpu_recording = made_cpu_recording,
					   .names_take = made_names_take,
					   .names_find = made_names_find,
					   .names_at = made_name_at,
					   .names_close = made_names_close } };
	h->host.arg = h;
	assert_int_equal(pthread_create(&h->thread, NULL, made_wait, NULL), 0);
	made_open(&h->m);
	h->m.p->is_verified = true;
	made_name(&h->m, "my.custom");
	made_count(&h->m, made_add(&h->m, STACK_CUSTOM, LABELS_FIRST, 1, 2, a), CUSTOM_ADDED, 3);
	made_heap(&h->m, made_add(&h->m, STACK_HEAP, 5, 2, 2, a), false, 100, 10240);
	made_count(&h->m, made_add(&h->m, STACK_BLOCK, 0, 3, 2, a), WAIT_COUNT, 1024);
}

static inline void made_host_close(struct made_host *h)
{
	assert_false(h->is_locked);
	assert_int_equal(h->n_begun, h->n_ended);
	pthread_cancel(h->thread);
	pthread_join(h->thread, NULL);
	made_close(&h->m);
}

/* Answer a request without a body and without waiting: captures end immediately. */
static inline struct serve_job *made_request(struct serve *s, const char *method, const char *target)
{
	struct serve_request r = { .method = method, .target = target };
	struct serve_job *j;

	assert_int_equal(serve_begin(s, &r, &j), 0);
	for (int i = 0; serve_step(j, true); i++)
		assert_true(i < 10);
	return j;
}

/* The body of an answer as text. */
static inline const char *made_text(struct serve_job *j)
{
	struct body *b = (struct body *)&serve_answer(j)->body;

	assert_int_equal(body_append(b, "", 1), 0);
	b->v.n--;
	return b->v.data;
}

#endif
