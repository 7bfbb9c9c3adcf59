/*
 * groups.c - threads or goroutines with the same stack, over several captures
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "doctor/groups.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "doctor/frames.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A thread of one dump. */
struct wait_entry {
	uint64_t hash, id;
	uint32_t capture;
	const struct stacks_thread *thread;
};

struct wait_state {
	const char *state;
	enum wait_kind kind;
};

/* States of goroutines, as in Go's runtime2.go, and of threads. The first one that a state begins with decides. */
static const struct wait_state states[] = {
	{ "chan send (nil chan)", WAIT_NEVER },
	{ "chan receive (nil chan)", WAIT_NEVER },
	{ "select (no cases)", WAIT_NEVER },
	{ "chan send", WAIT_SEND },
	{ "chan receive", WAIT_RECEIVE },
	{ "select", WAIT_SELECT },
	{ "sync.Mutex.Lock", WAIT_LOCK },
	{ "sync.RWMutex", WAIT_LOCK },
	{ "sync.Cond.Wait", WAIT_COND },
	{ "sync.WaitGroup.Wait", WAIT_GROUP },
	{ "sleep", WAIT_SLEEP },
	{ "IO wait", WAIT_IO },
	{ "epoll", WAIT_IO },
	{ "poll", WAIT_IO },
	{ "accept", WAIT_IO },
	{ "running", WAIT_NONE },
	{ "runnable", WAIT_NONE },
};

struct wait_function {
	const char *name; /* with * at the end: a prefix */
	enum wait_kind kind;
};

/* Functions that decide whatever the state is: goroutines in a system call, and threads in a futex, do not say why. */
static const struct wait_function functions[] = {
	{ "fsync", WAIT_DISK },
	{ "fdatasync", WAIT_DISK },
	{ "msync", WAIT_DISK },
	{ "sync_file_range", WAIT_DISK },
	{ "syscall.Fsync", WAIT_DISK },
	{ "syscall.Fdatasync", WAIT_DISK },
	{ "golang.org/x/sys/unix.Fsync", WAIT_DISK },
	{ "golang.org/x/sys/unix.Fdatasync", WAIT_DISK },
	{ "internal/poll.(*FD).Fsync", WAIT_DISK },
	{ "internal/poll.(*FD).Pwrite", WAIT_DISK },
	{ "os.(*File).Sync", WAIT_DISK },
	{ "pwrite*", WAIT_DISK },
	{ "__libc_pwrite*", WAIT_DISK },
	{ "sync.(*Mutex).Lock*", WAIT_LOCK },
	{ "internal/sync.(*Mutex).Lock*", WAIT_LOCK },
	{ "internal/sync.(*Mutex).lockSlow", WAIT_LOCK },
	{ "sync.(*RWMutex).*Lock", WAIT_LOCK },
	{ "pthread_mutex_lock", WAIT_LOCK },
	{ "__pthread_mutex_lock*", WAIT_LOCK },
	{ "___pthread_mutex_lock*", WAIT_LOCK },
	{ "__lll_lock_wait*", WAIT_LOCK },
	{ "pthread_rwlock_*", WAIT_LOCK },
	{ "pthread_cond_*", WAIT_COND },
	{ "__pthread_cond_*", WAIT_COND },
	{ "___pthread_cond_*", WAIT_COND },
	{ "pthread_join", WAIT_GROUP },
	{ "sync.(*WaitGroup).Wait", WAIT_GROUP },
	{ "sync.(*Cond).Wait", WAIT_COND },
};

/* Frames from the leaf that are compared with functions. Below them is the program. */
enum { WAIT_FRAMES = 8 };

static bool is_text(struct stacks_text t, const char *name)
{
	size_t n = strlen(name);

	if (name[n - 1] == '*')
		return t.n >= n - 1 && memcmp(t.s, name, n - 1) == 0;
	return t.n == n && memcmp(t.s, name, n) == 0;
}

static enum wait_kind kind_of_state(struct stacks_text state)
{
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (starts_with_n(state.s, state.n, states[i].state))
			return states[i].kind;
	return WAIT_OTHER;
}

static enum frame_kind kind_of_frame(const struct stacks_frame *f)
{
	return doctor_frame_of_name(f->function.s, f->function.n);
}

/*
 * Is the frame in the C or C++ library? Dumps of threads have its binary as the file, or if there is debug information its
 * source; that of Debian's C library is relative.
 */
static bool wait_is_library(const struct stacks_frame *f)
{
	static const char *const parts[] = { "/libc.so",    "/ld-linux", "/libstdc++.so",
					     "/libpthread", "/c++/",     "/sysdeps/" };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (f->file.n && memmem(f->file.s, f->file.n, parts[i], strlen(parts[i])))
			return true;
	return starts_with_n(f->file.s, f->file.n, "./") || starts_with_n(f->function.s, f->function.n, "0x");
}

enum wait_kind wait_kind_of(const struct stacks *s, const struct stacks_thread *t)
{
	bool is_own = false;

	if (kind_of_state(t->state) == WAIT_NEVER || starts_with_n(t->state.s, t->state.n, "running"))
		return kind_of_state(t->state);
	for (uint32_t i = 0; i < t->n && i < WAIT_FRAMES && !is_own; i++) {
		const struct stacks_frame *f = &s->frame[t->first + i];

		for (size_t k = 0; k < sizeof(functions) / sizeof(functions[0]); k++)
			if (is_text(f->function, functions[k].name))
				return functions[k].kind;
		is_own = starts_with_n(f->function.s, f->function.n, "main.");
	}
	return kind_of_state(t->state);
}

const struct stacks_frame *wait_frame(const struct stacks *s, const struct stacks_thread *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		const struct stacks_frame *f = &s->frame[t->first + i];
		bool is_standard = starts_with_n(f->function.s, f->function.n, "os.(") ||
				   starts_with_n(f->function.s, f->function.n, "time.") ||
				   starts_with_n(f->function.s, f->function.n, "sync.");

		if (kind_of_frame(f) == FRAME_OWN && !is_standard && !wait_is_library(f))
			return f;
	}
	return t->n ? &s->frame[t->first] : NULL;
}

/* Does the thread make or serve profiles, or has it just begun to serve a connection? */
static bool is_profiler(const struct stacks *s, const struct stacks_thread *t)
{
	const struct stacks_frame *leaf = &s->frame[t->first];

	for (uint32_t i = 0; i < t->n; i++) {
		struct stacks_text f = s->frame[t->first + i].function;

		if (starts_with_n(f.s, f.n, "runtime/pprof.") || starts_with_n(f.s, f.n, "net/http/pprof."))
			return true;
	}
	return t->n && starts_with_n(leaf->function.s, leaf->function.n, "net/http.(*Server).Serve.");
}

static uint64_t wait_hash_text(uint64_t h, struct stacks_text t)
{
	return hash_mix(h ^ hash_u64(t.n), hash_bytes(t.s, t.n) ^ 0x9e3779b97f4a7c15);
}

static uint64_t wait_hash(const struct stacks *s, const struct stacks_thread *t)
{
	uint64_t h = wait_hash_text(hash_u64(t->n), t->state);

	for (uint32_t i = 0; i < t->n; i++)
		h = wait_hash_text(h, s->frame[t->first + i].function);
	return h;
}

static int compare_waiters(const void *a, const void *b)
{
	const struct wait_entry *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->capture > y->capture) - (x->capture < y->capture);
}

static struct wait_entry *wait_collect(const struct stacks *const *dump, size_t n, struct wait_groups *out,
				       size_t *n_waiters)
{
	struct wait_entry *w = NULL;
	size_t cap = 0;

	*n_waiters = 0;
	for (size_t c = 0; c < n; c++)
		for (size_t i = 0; i < dump[c]->n; i++) {
			const struct stacks_thread *t = &dump[c]->thread[i];

			if (is_profiler(dump[c], t))
				continue;
			w = mem_grow(w, &cap, *n_waiters + 1, sizeof(*w));
			w[(*n_waiters)++] = (struct wait_entry){ wait_hash(dump[c], t), t->id, (uint32_t)c, t };
			out->total[c]++;
		}
	return w;
}

/* Add the waiters [0, n) of one thread and stack. */
static void wait_add_thread(struct wait_groups *out, const struct stacks *const *dump, const struct wait_entry *w,
			    size_t n)
{
	struct wait_group *g = out->n ? &out->group[out->n - 1] : NULL;

	if (!g || g->hash != w->hash) {
		out->group = mem_grow(out->group, &out->cap, out->n + 1, sizeof(*out->group));
		g = &out->group[out->n++];
		*g = (struct wait_group){ .hash = w->hash,
					  .thread = w->thread,
					  .dump = dump[w->capture],
					  .kind = wait_kind_of(dump[w->capture], w->thread) };
	}
	for (size_t i = 0; i < n; i++) {
		g->n[w[i].capture]++;
		g->longest_s = w[i].thread->wait_s > g->longest_s ? w[i].thread->wait_s : g->longest_s;
		if (w[i].capture == out->n_captures - 1) /* the newest dump shows the stack */
			g->dump = dump[w[i].capture], g->thread = w[i].thread;
	}
	g->n_always += n == out->n_captures;
}

static int compare_groups(const void *a, const void *b, void *arg)
{
	const struct wait_group *x = a, *y = b;
	size_t last = *(const size_t *)arg - 1;

	if (x->n[last] != y->n[last])
		return x->n[last] > y->n[last] ? -1 : 1;
	if (x->thread->id != y->thread->id)
		return x->thread->id < y->thread->id ? -1 : 1;
	return (x->thread->n > y->thread->n) - (x->thread->n < y->thread->n);
}

void wait_groups_make(const struct stacks *const *dump, size_t n, struct wait_groups *out)
{
	size_t n_waiters;
	struct wait_entry *w;

	assert(n > 0 && n <= GROWTH_CAPTURES_MAX);
	*out = (struct wait_groups){ .n_captures = n, .are_threads = dump[n - 1]->are_threads };
	w = wait_collect(dump, n, out, &n_waiters);
	if (n_waiters)
		qsort(w, n_waiters, sizeof(*w), compare_waiters);
	for (size_t at = 0, used; at < n_waiters; at += used) {
		for (used = 1; at + used < n_waiters && w[at + used].hash == w[at].hash && w[at + used].id == w[at].id;)
			used++;
		wait_add_thread(out, dump, w + at, used);
	}
	free(w);
	if (out->n)
		qsort_r(out->group, out->n, sizeof(*out->group), compare_groups, &out->n_captures);
}

void wait_groups_release(struct wait_groups *w)
{
	free(w->group);
	*w = (struct wait_groups){ 0 };
}

uint32_t wait_count(const struct wait_groups *w, enum wait_kind kind, size_t capture)
{
	uint32_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		n += w->group[i].kind == kind ? w->group[i].n[capture] : 0;
	return n;
}

const struct wait_group *wait_largest(const struct wait_groups *w, enum wait_kind kind)
{
	const struct wait_group *best = NULL;
	uint64_t most = 0;

	for (size_t i = 0; i < w->n; i++) {
		uint64_t sum = 0;

		for (size_t c = 0; c < w->n_captures; c++)
			sum += w->group[i].n[c];
		if (w->group[i].kind == kind && sum > most) {
			most = sum;
			best = &w->group[i];
		}
	}
	return best;
}
