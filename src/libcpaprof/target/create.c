/*
 * create.c - wrappers that register threads when they start
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The start function and its argument are passed to the new thread in a box from a fixed set. If all boxes are in
 * use, the thread starts unregistered, and the collector finds it when it uses CPU time. A program that is not
 * profiled yet may be profiled later, so its threads store the addresses of their stacks as well.
 */
#include "config.h"

#include "libcpaprof/target/context.h"
#include "libcpaprof/target/guard.h"
#include "libcpaprof/target/labels.h"
#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/next.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"
#include "libcpaprof/target/wait.h"

enum { N_BOXES = 1024, SWEEP_EVERY = 256 };

struct box {
	_Atomic uint32_t is_used;
	uint8_t blocked; /* enum guard_mask of the creator */
	uint32_t label;  /* label set of the creator, or 0 */
	uint32_t stack;  /* id of the stack that creates the thread, or 0 */
	size_t stack_size;
	void *(*start)(void *);
	thrd_start_t start_c11;
	void *arg;
};

static struct box boxes[N_BOXES];
static _Atomic uint32_t next_box;

static size_t create_stack_size(const pthread_attr_t *attr)
{
	pthread_attr_t preset;
	size_t size = 0;

	if (attr) {
		pthread_attr_getstacksize(attr, &size);
	} else if (pthread_attr_init(&preset) == 0) {
		pthread_attr_getstacksize(&preset, &size);
		pthread_attr_destroy(&preset);
	}
	return size;
}

static struct box *box_claim(const pthread_attr_t *attr, void *arg, const struct wait_site *site)
{
	uint32_t first = atomic_fetch_add(&next_box, 1);

	if (first % SWEEP_EVERY == SWEEP_EVERY - 1 && cpi.head)
		cpi_threads_sweep();
	for (uint32_t i = 0; i < N_BOXES; i++) {
		struct box *b = &boxes[(first + i) % N_BOXES];

		if (atomic_exchange(&b->is_used, 1) == 0) {
			b->stack_size = create_stack_size(attr);
			b->arg = arg;
			b->start = NULL;
			b->start_c11 = NULL;
			b->blocked = atomic_load(&cpi_local.blocked);
			b->label = cpi_labels_inherit_sig() ? atomic_load(&cpi_local.label) : LABELS_NONE;
			b->stack = cpi_is_on_sig() && !atomic_load(&cpi_local.hook)
					   ? cpi_wait_stack(STACK_CREATE, site, 0)
					   : 0;
			return b;
		}
	}
	return NULL;
}

/* Free the box if no thread was created. Otherwise the box belongs to the new thread. */
static void box_finish(struct box *b, uint32_t stack, bool is_created)
{
	if (!is_created)
		atomic_store(&b->is_used, 0);
	else if (stack)
		cpi_stack_add_sig(STACK_CREATE, stack, CREATE_COUNT, 1);
}

/*
 * Free the box and begin to profile this thread. The thread descriptor, to which pthread_self points, is at the end
 * of the thread's stack.
 */
static struct box begin_thread(struct box *b)
{
	struct box task = { .start = b->start, .start_c11 = b->start_c11, .arg = b->arg };
	uintptr_t top = (uintptr_t)pthread_self(), size = b->stack_size;
	uint32_t stack = b->stack;

	atomic_store(&cpi_local.blocked, b->blocked);
	atomic_store(&cpi_local.label, b->label);
	if (b->label) {
		cpi_local_register_sig();
		cpi_context_attach_sig(LABELS_NONE, b->label);
	}
	atomic_store(&b->is_used, 0);
	if (size && size < top) {
		cpi_local.lo = top - size;
		cpi_local.top = top;
	}
	if (!cpi_is_on_sig())
		return task;
	cpi_thread_begin(cpi_local.lo, cpi_local.top, task.start ? (uintptr_t)task.start : (uintptr_t)task.start_c11);
	if (stack)
		cpi_stack_set_creator_sig(sys_gettid(), stack);
	return task;
}

static void *create_run(void *arg)
{
	struct box task = begin_thread(arg);

	return task.start(task.arg);
}

static int run_c11(void *arg)
{
	struct box task = begin_thread(arg);

	return task.start_c11(task.arg);
}

CPA_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	struct wait_site site = { .back = (uintptr_t)__builtin_return_address(0) };
	struct box *b;
	uint32_t stack;
	int rc;

	if (!cpi.is_ready)
		return cpi_next()->pthread_create(thread, attr, start, arg);
	if (cpi.head) {
		cpi_fork_check();
		cpi_guard_check();
	}
	b = box_claim(attr, arg, &site);
	if (!b)
		return cpi_next()->pthread_create(thread, attr, start, arg);
	b->start = start;
	stack = b->stack;
	rc = cpi_next()->pthread_create(thread, attr, create_run, b);
	box_finish(b, stack, rc == 0);
	return rc;
}

CPA_EXPORT int thrd_create(thrd_t *thread, thrd_start_t start, void *arg)
{
	struct wait_site site = { .back = (uintptr_t)__builtin_return_address(0) };
	struct box *b;
	uint32_t stack;
	int rc;

	if (!cpi.is_ready)
		return cpi_next()->thrd_create(thread, start, arg);
	if (cpi.head)
		cpi_fork_check();
	b = box_claim(NULL, arg, &site);
	if (!b)
		return cpi_next()->thrd_create(thread, start, arg);
	b->start_c11 = start;
	stack = b->stack;
	rc = cpi_next()->thrd_create(thread, run_c11, b);
	box_finish(b, stack, rc == thrd_success);
	return rc;
}
