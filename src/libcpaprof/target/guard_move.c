/*
 * guard_move.c - which signal is ours, and what to do when it is taken
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * SIGPROF is guarded: the C library's functions do not take it away. The system call does, and so does the Go
 * runtime, when a library in Go profiles. So with such a library SIGPROF is left alone from the start, and when
 * our handler is found gone, all timers move to a signal that the program does not use. It is looked for when
 * threads are created and code is loaded, for there is nothing of ours that runs by itself.
 */
#include "config.h"

#include "libcpaprof/target/clock.h"
#include "libcpaprof/target/guard.h"
#include "libcpaprof/target/guard_int.h"
#include "libcpaprof/target/next.h"
#include "libcpaprof/target/recording.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOTE_GO = 4, NAME_SIZE = 4, RT_FIRST = 40, RT_LAST = 60, RT_MOST = 64, EVERY_NS = 1000000000 };

/* As the kernel has it. */
struct kernel_action {
	uintptr_t handler;
	unsigned long flags, restorer;
	uint64_t mask;
};

static const int candidates[] = { SIGPROF, SIGVTALRM, SIGSTKFLT, SIGPWR };
enum { N_CANDIDATES = sizeof(candidates) / sizeof(candidates[0]) };

static uintptr_t handler_of(int sig)
{
	struct kernel_action act = { 0 };

	sys_call(SYS_rt_sigaction, sig, 0, (long)&act, SYS_MASK_SIZE);
	return act.handler;
}

/* Is this a library that the Go toolchain made? Its notes say so. */
static int is_go(struct dl_phdr_info *o, size_t size, void *arg)
{
	bool *first = arg;
	bool skip = *first;

	(void)size;
	*first = false;
	for (int i = 0; i < o->dlpi_phnum && !skip; i++) {
		const ElfW(Phdr) *h = &o->dlpi_phdr[i];
		const uint8_t *at = (const uint8_t *)(o->dlpi_addr + h->p_vaddr), *end = at + h->p_memsz;

		while (h->p_type == PT_NOTE && (size_t)(end - at) >= sizeof(ElfW(Nhdr)) + NAME_SIZE) {
			const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
			size_t name = (note->n_namesz + 3u) & ~3u, desc = (note->n_descsz + 3u) & ~3u;
			size_t left = (size_t)(end - at) - sizeof(*note);

			if (name > left || desc > left - name)
				break;
			if (note->n_type == NOTE_GO && name == NAME_SIZE && memcmp(note + 1, "Go", 3) == 0)
				return 1;
			at += sizeof(*note) + name + desc;
		}
	}
	return 0;
}

static bool has_go(void)
{
	bool first = true;

	return dl_iterate_phdr(is_go, &first) != 0;
}

int cpi_guard_choose(void)
{
	uint32_t asked = cpi.self ? cpi.sig_asked : atomic_load(&cpi.head->signal);

	if (asked && asked <= RT_MOST)
		return (int)asked;
	return has_go() && handler_of(SIGSTKFLT) == (uintptr_t)SIG_DFL ? SIGSTKFLT : SIGPROF;
}

/* A signal that nobody uses. 0 when there is none. */
static int another(void)
{
	for (int i = 0; i < N_CANDIDATES; i++)
		if (candidates[i] != cpi.sig && handler_of(candidates[i]) == (uintptr_t)SIG_DFL &&
		    (candidates[i] != SIGPROF || !has_go()))
			return candidates[i];
	for (int sig = RT_FIRST; sig <= RT_LAST; sig++)
		if (handler_of(sig) == (uintptr_t)SIG_DFL)
			return sig;
	return 0;
}

/* Nobody saw what the thread did since its signals went elsewhere. */
static void arm_again(struct thread *t)
{
	struct segment_proc *p = atomic_load(&cpi.proc);
	uint32_t tid = atomic_load(&t->tid), owed;

	if (!tid || !t->recording || t->recording != cpi.recording)
		return;
	owed = cpi_clock_owed_sig(t);
	cpi_clock_disarm_sig(t);
	if (p)
		atomic_fetch_add(&p->lost, owed);
	cpi_clock_arm_sig(t, tid);
}

static void move_to(int sig)
{
	struct segment_proc *p = atomic_load(&cpi.proc);

	cpi_clock_release_sig();
	cpi.sig = sig;
	cpi_guard_install();
	if (p) {
		p->signal = (uint32_t)sig;
		atomic_fetch_add(&p->moved, 1);
	}
	atomic_fetch_and(&cpi.engine, ~(uint32_t)ENGINE_PROCESS);
	cpi_clock_init();
	cpi_threads_each(arm_again);
}

void cpi_guard_check(void)
{
	static _Atomic uint64_t last;
	static _Atomic uint32_t moving;
	uint64_t now = sys_now(CLOCK_MONOTONIC_COARSE);
	int sig;

	if (!cpi_recording_on_sig() || (atomic_load(&last) && now - atomic_load(&last) < EVERY_NS))
		return;
	atomic_store(&last, now);
	if (handler_of(cpi.sig) == (uintptr_t)cpi_handler_sig || atomic_exchange(&moving, 1))
		return;
	sig = another();
	if (sig)
		move_to(sig);
	atomic_store(&moving, 0);
}
