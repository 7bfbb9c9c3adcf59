/*
 * rules_slow.c - rules of cpa doctor slow: the work that CPU time is used for, and waits
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "doctor/rules.h"

#include "base/buf.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * Thresholds. Shares are of CPU time, so they do not depend on other programs that keep the machine busy.
 */
/* Below 50 stacks the standard error of a share of 50 % is above 7 %. */
static const int64_t SAMPLES_MIN = 50;
/* Less than a twentieth of a processor: the program waits, and the shares of what remains do not explain why it is slow. */
static const double CORES_WAITING = 0.05;
/* Go gives the collector up to a quarter of the processors while it runs, all of which counts if the program is idle
   otherwise. Servers in balance use below 10 %. */
static const double GC_SHARE_MIN = 0.20;
/* Allocation of typical servers is 5 to 10 %; from 15 % on, fewer allocations are the first thing to try. */
static const double ALLOC_SHARE_MIN = 0.15;
static const double SYSCALL_SHARE_MIN = 0.30; /* servers that send small answers have 10 to 25 % */
/* Locks without contention cost below 2 %. */
static const double LOCK_SHARE_MIN = 0.15;
static const double SPIN_SHARE_MIN = 0.15;
/* One function with half of the CPU time; and at least as much of a processor as a loop gets when 18 others compete for two:
   a program that uses less is not slow because of its computations. */
static const double HOT_SHARE_MIN = 0.50, HOT_CORES_MIN = 0.10;
/* A thread that writes is in a write whenever it is inspected only if the disk is slower than the program. */
static const double DISK_THREADS_MIN = 1;
/* Waits must be in this part of the captures: one of them may be a coincidence. */
static const double CAPTURES_MIN = 0.75;

static bool has_samples(const struct rule_case *c)
{
	return c->cpu_profile && c->shares.n_samples >= SAMPLES_MIN && doctor_cpu_cores(&c->shares) >= CORES_WAITING;
}

/* Does a kind have at least this share? Then its numbers are set. */
static bool check_share(struct rule_case *c, enum frame_kind kind, double min)
{
	double share = doctor_cpu_share(&c->shares, kind);

	if (!has_samples(c) || share < min)
		return false;
	rule_set_number(c, "share", share, DOCTOR_SHARE);
	rule_set_number(c, "cpu", (double)c->shares.kind_ns[kind], DOCTOR_NS);
	rule_set_number(c, "total", (double)c->shares.total_ns, DOCTOR_NS);
	return true;
}

static void set_directory(struct rule_case *c)
{
	const char *directory = "";

	for (size_t i = 0; i < c->e->n; i++)
		if (c->e->capture[i].cpu)
			directory = c->e->capture[i].directory;
	rule_set_text(c, "dir", "%s", directory);
}

/*
 * Set allocator: " main.f allocates most of the objects (62 %)."; and allocs: the words of a command line for the allocations
 * between the captures, or since the start of the program.
 */
static void set_allocator(struct rule_case *c)
{
	const struct doctor_capture *first = NULL, *last = NULL;
	struct doctor_function top;
	int64_t total = 0;

	for (size_t i = 0; i < c->e->n; i++) {
		if (!c->e->capture[i].allocs)
			continue;
		first = first ? first : &c->e->capture[i];
		last = &c->e->capture[i];
	}
	if (last && last != first)
		rule_set_text(c, "allocs_words", "-base=%s/allocs.pb.gz %s/allocs.pb.gz", first->directory,
			      last->directory);
	else
		rule_set_text(c, "allocs_words", last ? "%s/allocs.pb.gz" : "%s", last ? last->directory : "");
	if (!last || !doctor_frame_has_type(last->allocs, "alloc_objects")) {
		rule_set_text(c, "allocator", "%s",
			      " There is no profile of allocations, so their functions are unknown.");
		return;
	}
	top = doctor_cpu_largest(last->allocs, doctor_frame_type(last->allocs, "alloc_objects"), &total);
	if (total <= 0 || top.ns <= 0)
		rule_set_text(c, "allocator", "%s", " The profile of allocations is empty.");
	else
		rule_set_text(c, "allocator", " Since the start of the program, %s allocated %.0f %% of the objects.",
			      rule_function(c, &top), 100 * (double)top.ns / (double)total);
}

static bool gc_condition(struct rule_case *c)
{
	if (!check_share(c, FRAME_GC, GC_SHARE_MIN))
		return false;
	set_allocator(c);
	return true;
}

static bool allocation_condition(struct rule_case *c)
{
	if (!check_share(c, FRAME_ALLOC, ALLOC_SHARE_MIN))
		return false;
	rule_set_text(c, "function", "%s", rule_function(c, &c->shares.top[FRAME_ALLOC]));
	rule_set_number(c, "function_share",
			(double)c->shares.top[FRAME_ALLOC].ns / (double)c->shares.kind_ns[FRAME_ALLOC], DOCTOR_SHARE);
	set_allocator(c);
	return true;
}

/* The largest group of goroutines or threads that have given up the processor, called by the program; NULL: none. */
static const struct wait_group *largest_spinning(const struct rule_case *c)
{
	const struct wait_group *best = NULL;
	uint32_t most = 0;

	for (size_t i = 0; i < c->waits.n; i++) {
		const struct wait_group *g = &c->waits.group[i];
		uint32_t n = 0;

		for (size_t k = 0; k < c->waits.n_captures; k++)
			n += g->n[k];
		for (uint32_t f = 0; f < g->thread->n && n > most; f++) {
			const struct stacks_frame *frame = &g->dump->frame[g->thread->first + f];

			if (doctor_frame_of_name(frame->function.s, frame->function.n) == FRAME_SPIN) {
				most = n;
				best = g;
			}
		}
	}
	return best;
}

/*
 * Go's scheduler runs on a stack of its own, so its samples have no caller, and the collector also gives up the processor. So
 * the program must be seen doing it, in the profile or in stacks of goroutines.
 */
static bool spinning_condition(struct rule_case *c)
{
	const struct doctor_function *top = &c->shares.top[FRAME_SPIN];
	const struct wait_group *g = largest_spinning(c);
	const struct stacks_frame *f = g ? wait_frame(g->dump, g->thread) : NULL;

	if ((!f && top->ns == 0) || !check_share(c, FRAME_SPIN, SPIN_SHARE_MIN))
		return false;
	if (f && 2 * (double)top->ns < (double)c->shares.kind_ns[FRAME_SPIN])
		rule_set_text(c, "function", "%s", rule_name(c, f->function.s, f->function.n));
	else
		rule_set_text(c, "function", "%s", rule_function(c, top));
	set_directory(c);
	return true;
}

static bool locks_condition(struct rule_case *c)
{
	if (!check_share(c, FRAME_LOCK, LOCK_SHARE_MIN))
		return false;
	rule_set_text(c, "function", "%s", rule_function(c, &c->shares.top[FRAME_LOCK]));
	set_directory(c);
	return true;
}

static bool syscalls_condition(struct rule_case *c)
{
	if (!check_share(c, FRAME_SYSCALL, SYSCALL_SHARE_MIN))
		return false;
	rule_set_text(c, "function", "%s", rule_function(c, &c->shares.top[FRAME_SYSCALL]));
	rule_set_number(c, "function_share",
			(double)c->shares.top[FRAME_SYSCALL].ns / (double)c->shares.kind_ns[FRAME_SYSCALL],
			DOCTOR_SHARE);
	rule_set_text(c, "threads", c->waits_last ? "cpa threads %s/%s" : "%s%s",
		      c->waits_last ? c->waits_last->directory : "", c->waits_last ? c->waits_last->stacks_file : "");
	return true;
}

static bool hot_condition(struct rule_case *c)
{
	const struct doctor_function *top = &c->shares.top[FRAME_OWN];
	double share = c->shares.total_ns > 0 ? (double)top->ns / (double)c->shares.total_ns : 0;

	if (!has_samples(c) || share < HOT_SHARE_MIN || doctor_cpu_cores(&c->shares) < HOT_CORES_MIN)
		return false;
	rule_set_number(c, "share", share, DOCTOR_SHARE);
	rule_set_number(c, "cpu", (double)top->ns, DOCTOR_NS);
	rule_set_number(c, "total", (double)c->shares.total_ns, DOCTOR_NS);
	rule_set_number(c, "cores", doctor_cpu_cores(&c->shares), DOCTOR_FACTOR);
	rule_set_text(c, "function", "%s", rule_function(c, top));
	set_directory(c);
	return true;
}

/* Mean number of threads of a kind; 0 if too few captures have any. */
static double mean_waiting(const struct rule_case *c, enum wait_kind kind)
{
	double sum = 0, with = 0;

	for (size_t i = 0; i < c->waits.n_captures; i++) {
		uint32_t n = wait_count(&c->waits, kind, i);

		sum += n;
		with += n > 0;
	}
	return c->waits.n_captures && with >= CAPTURES_MIN * (double)c->waits.n_captures
		       ? sum / (double)c->waits.n_captures
		       : 0;
}

static bool disk_condition(struct rule_case *c)
{
	double mean = mean_waiting(c, WAIT_DISK);

	if (mean < DISK_THREADS_MIN)
		return false;
	rule_set_number(c, "mean", mean, DOCTOR_COUNT);
	rule_set_captures(c);
	rule_set_group(c, wait_largest(&c->waits, WAIT_DISK));
	rule_set_text(c, "writers", "%s", rule_threads_word(c, mean == 1 ? 1 : 2));
	return true;
}

/* --- notes --- */

static bool cpu_note(struct rule_case *c)
{
	static const char *const key[N_FRAME_KINDS] = {
		[FRAME_GC] = "gc",
		[FRAME_ALLOC] = "allocation",
		[FRAME_SPIN] = "spinning",
		[FRAME_LOCK] = "locks",
		[FRAME_SYSCALL] = "system_calls",
		[FRAME_RUNTIME] = "runtime",
		[FRAME_PROFILER] = NULL,
		[FRAME_OWN] = "own",
	};

	if (!c->cpu_profile)
		return false;
	rule_set_number(c, "cpu", (double)c->shares.total_ns, DOCTOR_NS);
	rule_set_number(c, "duration", (double)c->shares.duration_ns, DOCTOR_NS);
	rule_set_number(c, "cores", doctor_cpu_cores(&c->shares), DOCTOR_FACTOR);
	rule_set_number(c, "samples", (double)c->shares.n_samples, DOCTOR_COUNT);
	for (int k = 0; k < N_FRAME_KINDS; k++)
		if (key[k])
			rule_set_number(c, key[k], doctor_cpu_share(&c->shares, (enum frame_kind)k), DOCTOR_SHARE);
	set_directory(c);
	return c->shares.n_samples >= SAMPLES_MIN;
}

static bool few_samples_note(struct rule_case *c)
{
	if (!c->cpu_profile || c->shares.n_samples >= SAMPLES_MIN)
		return false;
	rule_set_number(c, "samples", (double)c->shares.n_samples, DOCTOR_COUNT);
	rule_set_number(c, "cpu", (double)c->shares.total_ns, DOCTOR_NS);
	rule_set_number(c, "duration", (double)c->shares.duration_ns, DOCTOR_NS);
	set_directory(c);
	return true;
}

/* "6 in chan receive (main.worker), 3 in IO wait" */
static bool waits_note(struct rule_case *c)
{
	struct buf text = { 0 };
	size_t last = c->waits.n_captures - 1, n_shown = 0;

	for (size_t i = 0; i < c->waits.n && n_shown < 4; i++) {
		const struct wait_group *g = &c->waits.group[i];
		const struct stacks_frame *f = wait_frame(g->dump, g->thread);

		if (g->n[last] == 0)
			continue;
		buf_addf(&text, "%s%" PRIu32 " in %s", n_shown++ ? ", " : "", g->n[last],
			 rule_name(c, g->thread->state.s, g->thread->state.n));
		if (f)
			buf_addf(&text, " (%s)", rule_name(c, f->function.s, f->function.n));
	}
	if (n_shown) {
		rule_set_number(c, "threads", c->waits.total[last], DOCTOR_COUNT);
		rule_set_text(c, "what", "%s", rule_threads_word(c, c->waits.total[last]));
		rule_set_text(c, "list", "%s", buf_text(&text));
		rule_set_text(c, "file", "%s/%s", c->waits_last->directory, c->waits_last->stacks_file);
	}
	buf_release(&text);
	return n_shown > 0;
}

/* Waits for locks were seen, and the profiles that measure them are empty. */
static bool unmeasured_note(struct rule_case *c)
{
	bool has_profile = false, is_empty = true;

	for (size_t i = 0; i < c->e->n; i++) {
		const struct doctor_capture *x = &c->e->capture[i];

		has_profile |= x->block || x->mutex;
		is_empty &= (!x->block || x->block->n_rows == 0) && (!x->mutex || x->mutex->n_rows == 0);
	}
	if (mean_waiting(c, WAIT_LOCK) == 0 || (has_profile && !is_empty))
		return false;
	rule_set_text(
		c, "how", "%s",
		c->e->is_process
			? "A process that is sampled from outside has no block or mutex profile; cpa run --block=FILE "
			  "--mutex=FILE records them"
		: c->waits.are_threads
			? "The block and mutex profiles are empty; CPA_BLOCK_RATE and CPA_MUTEX_FRACTION enable them"
			: "The block and mutex profiles are empty; runtime.SetBlockProfileRate and "
			  "SetMutexProfileFraction enable them");
	return true;
}

/* Waits that the block profile measured between two captures. */
static bool block_note(struct rule_case *c)
{
	const struct doctor_capture *x = NULL;
	struct doctor_function top;
	int64_t total = 0;

	for (size_t i = 0; i < c->e->n; i++)
		x = c->e->capture[i].mutex && c->e->capture[i].mutex->n_rows ? &c->e->capture[i] : x;
	if (!x)
		return false;
	top = doctor_cpu_largest(x->mutex, doctor_frame_type(x->mutex, "delay"), &total);
	if (total <= 0)
		return false;
	rule_set_number(c, "delay", (double)total, DOCTOR_NS);
	rule_set_number(c, "share", (double)top.ns / (double)total, DOCTOR_SHARE);
	rule_set_text(c, "function", "%s", rule_function(c, &top));
	rule_set_text(c, "dir", "%s", x->directory);
	return true;
}

const struct rule_entry rules_slow[] = {
	{ "lock_wait", false, rule_lock_wait, rule_lock_wait_sentence, rule_threads_command },
	{ "disk_wait", false, disk_condition,
	  "On average {mean} {writers} ({captures} {captures_word}) write to a file or wait until its data is on the "
	  "disk; "
	  "most in "
	  "{function}{place}.",
	  rule_threads_command },
	{ "blocked_send", false, rule_blocked_send, rule_blocked_send_sentence, rule_threads_command },
	{ "spinning", false, spinning_condition,
	  "{share} of the CPU time ({cpu} of {total}) is spent giving up the processor and trying again (sched_yield, "
	  "Gosched, "
	  "spin locks), called by {function}: threads wait for each other without sleeping.",
	  "cpa top -cum {dir}/cpu.pb.gz" },
	{ "hot_function", false, hot_condition,
	  "{share} of the CPU time ({cpu} of {total}, {cores} processors in use) is in one function, {function}.",
	  "cpa flame -o cpu.svg {dir}/cpu.pb.gz" },
	{ "garbage_collection", false, gc_condition,
	  "Garbage collection takes {share} of the CPU time ({cpu} of {total}).{allocator}",
	  "cpa top -sample_index=alloc_space {allocs_words}" },
	{ "allocation", false, allocation_condition,
	  "Allocating and freeing memory takes {share} of the CPU time ({cpu} of {total}); {function_share} of it for "
	  "{function}.{allocator}",
	  "cpa top -sample_index=alloc_objects {allocs_words}" },
	{ "locks", false, locks_condition,
	  "Taking and releasing locks uses {share} of the CPU time ({cpu} of {total}), most for {function}.",
	  "cpa top -cum {dir}/cpu.pb.gz" },
	{ "system_calls", false, syscalls_condition,
	  "System calls take {share} of the CPU time ({cpu} of {total}); {function_share} of it for {function}.",
	  "{threads}" },
	{ "cpu", true, cpu_note,
	  "The program used {cpu} of CPU time in {duration}: {cores} processors ({samples} samples). Program and "
	  "libraries {own}, "
	  "runtime {runtime}, garbage collection {gc}, allocation {allocation}, system calls {system_calls}, locks "
	  "{locks}, "
	  "giving up the processor {spinning}.",
	  "cpa top {dir}/cpu.pb.gz" },
	{ "few_samples", true, few_samples_note,
	  "The program used {cpu} of CPU time in {duration}, {samples} samples: too few for shares. It waited, or had "
	  "nothing to "
	  "do.",
	  "cpa top {dir}/cpu.pb.gz" },
	{ "waits", true, waits_note, "The last capture has {threads} {what}: {list}.", "cpa threads {file}" },
	{ "contention", true, block_note,
	  "Since the start of the program, waits for locks add up to {delay}; {share} of it ended by {function}.",
	  "cpa top -cum {dir}/mutex.pb.gz" },
	{ "not_measured", true, unmeasured_note, "The time of waits for locks is not known. {how}.", "" },
	{ 0 },
};
