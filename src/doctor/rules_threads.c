/*
 * rules_threads.c - rules of cpa doctor threads: blocked and growing threads or goroutines
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "doctor/rules.h"

#include "base/buf.h"
#include "base/path.h"
#include "base/time.h"

#include <inttypes.h>
#include <string.h>

/*
 * Thresholds.
 */
/* Two threads at the same time, on average, make a queue; a single one waits for a moment in every program. */
static const double LOCK_THREADS_MIN = 2;
/* Waits must be in this part of the captures: one of them may be a coincidence. */
static const double CAPTURES_MIN = 0.75;
/* Servers start and end some threads per request; ten more of one stack and a tenth of all are more than that. */
static const uint32_t GROWTH_MIN = 10;
static const double GROWTH_SHARE_MIN = 0.10;
/* Idle pools of workers wait in a receive too, with rarely more than some dozens of workers. */
static const uint32_t RECEIVE_MIN = 100;

void rule_set_group(struct rule_case *c, const struct wait_group *g)
{
	const struct stacks_frame *f = g ? wait_frame(g->dump, g->thread) : NULL;
	struct buf place = { 0 };

	rule_set_text(c, "what", "%s", c->waits.are_threads ? "threads" : "goroutines");
	rule_set_text(c, "file", "%s/%s", c->waits_last->directory, c->waits_last->stacks_file);
	rule_set_text(c, "function", "%s", f ? rule_name(c, f->function.s, f->function.n) : "an unknown function");
	if (f && f->line) {
		buf_addz(&place, " (");
		buf_addz(&place, rule_name(c, f->file.s, f->file.n));
		rule_set_text(c, "place", " (%s:%" PRIu64 ")", path_base(buf_text(&place) + 2), f->line);
	} else {
		rule_set_text(c, "place", "%s", "");
	}
	rule_set_text(c, "state", "%s", g ? rule_name(c, g->thread->state.s, g->thread->state.n) : "");
	buf_release(&place);
}

const char *rule_threads_word(const struct rule_case *c, uint32_t n)
{
	if (c->waits.are_threads)
		return n == 1 ? "thread" : "threads";
	return n == 1 ? "goroutine" : "goroutines";
}

void rule_set_span(struct rule_case *c, int64_t ns, const char *before)
{
	struct buf text = { 0 };

	if (ns > 0) {
		buf_addz(&text, before);
		rule_add_number((double)ns, DOCTOR_NS, &text);
	}
	rule_set_text(c, "span", "%s", buf_text(&text));
	buf_release(&text);
}

void rule_set_captures(struct rule_case *c)
{
	rule_set_number(c, "captures", (double)c->waits.n_captures, DOCTOR_COUNT);
	rule_set_text(c, "captures_word", "%s", c->waits.n_captures == 1 ? "capture" : "captures");
}

/*
 * Set since: the longest wait, which Go's stacks contain from a minute on; else the number that have this stack in all captures,
 * which need not be one wait.
 */
static void set_since(struct rule_case *c, const struct wait_group *g)
{
	struct buf text = { 0 };

	if (g->longest_s) {
		buf_addz(&text, ", the longest for at least ");
		rule_add_number((double)(g->longest_s < 1000000000 ? g->longest_s : 1000000000) * (double)NS_PER_S,
				DOCTOR_NS, &text);
	} else if (g->n_always && c->waits_ns > 0) {
		buf_addf(&text, ", %" PRIu32 " of them in all captures within ", g->n_always);
		rule_add_number((double)c->waits_ns, DOCTOR_NS, &text);
	}
	rule_set_text(c, "since", "%s", buf_text(&text));
	buf_release(&text);
}

const char rule_threads_command[] = "cpa threads {file}";

/* --- a queue for a lock --- */

const char rule_lock_wait_sentence[] =
	"{mean} of {threads} {what} wait for a lock on average ({captures} {captures_word}), "
	"most in {function}{place}{since}. {holder}";

/* Does a function have this name in the stack of a thread? */
static bool has_function(const struct wait_group *g, struct stacks_text name)
{
	for (uint32_t i = 0; i < g->thread->n; i++) {
		struct stacks_text f = g->dump->frame[g->thread->first + i].function;

		if (f.n == name.n && memcmp(f.s, name.s, f.n) == 0)
			return true;
	}
	return false;
}

/* Goroutines in the last capture that are in the same function as those that wait, but do not wait for a lock. */
static const struct wait_group *find_inside(const struct rule_case *c, const struct wait_group *waiting)
{
	const struct stacks_frame *f = wait_frame(waiting->dump, waiting->thread);

	for (size_t i = 0; i < c->waits.n && f; i++) {
		const struct wait_group *g = &c->waits.group[i];

		if (g->kind != WAIT_LOCK && g->n[c->waits.n_captures - 1] && has_function(g, f->function))
			return g;
	}
	return NULL;
}

static void set_holder(struct rule_case *c, const struct wait_group *waiting)
{
	const struct wait_group *inside = find_inside(c, waiting);
	uint32_t n = inside ? inside->n[c->waits.n_captures - 1] : 0;

	if (c->e->lock_holder && *c->e->lock_holder)
		rule_set_text(c, "holder", "The lock was held by %s.",
			      rule_name(c, c->e->lock_holder, strlen(c->e->lock_holder)));
	else if (inside)
		rule_set_text(c, "holder", "The holder is not recorded; %" PRIu32 " more %s in this function, in %s.",
			      n, n == 1 ? "is" : "are", rule_name(c, inside->thread->state.s, inside->thread->state.n));
	else
		rule_set_text(c, "holder", "%s",
			      c->waits.are_threads
				      ? "The holder cannot be determined from these stacks; cpa threads PID names it."
				      : "Go does not record the holder of a lock: it is not among those that wait.");
}

bool rule_lock_wait(struct rule_case *c)
{
	double sum = 0, with = 0, threads = 0, n = (double)c->waits.n_captures;
	const struct wait_group *g = wait_largest(&c->waits, WAIT_LOCK);

	for (size_t i = 0; i < c->waits.n_captures; i++) {
		uint32_t waiting = wait_count(&c->waits, WAIT_LOCK, i);

		sum += waiting;
		with += waiting > 0;
		threads += c->waits.total[i];
	}
	if (!g || with < CAPTURES_MIN * n || sum < LOCK_THREADS_MIN * n)
		return false;
	rule_set_number(c, "mean", sum / n, DOCTOR_COUNT);
	rule_set_number(c, "threads", threads / n, DOCTOR_COUNT);
	rule_set_captures(c);
	rule_set_group(c, g);
	set_since(c, g);
	set_holder(c, g);
	return true;
}

/* --- channels --- */

/* Threads that wait with the same stack in all of at least two captures, or since a minute as Go reports. */
static uint32_t stuck(const struct rule_case *c, const struct wait_group *g)
{
	if (c->waits.n_captures >= 2 && g->n_always)
		return g->n_always;
	return g->longest_s ? g->n[c->waits.n_captures - 1] : 0;
}

/* The stuck threads of a kind: their number and the largest group. */
static uint32_t stuck_of_kind(const struct rule_case *c, enum wait_kind kind, const struct wait_group **largest)
{
	uint32_t sum = 0, most = 0;

	*largest = NULL;
	for (size_t i = 0; i < c->waits.n; i++) {
		const struct wait_group *g = &c->waits.group[i];
		uint32_t n = g->kind == kind ? stuck(c, g) : 0;

		sum += n;
		if (n > most) {
			most = n;
			*largest = g;
		}
	}
	return sum;
}

static bool check_stuck(struct rule_case *c, enum wait_kind kind, uint32_t min)
{
	const struct wait_group *g;
	uint32_t n = stuck_of_kind(c, kind, &g);

	if (n < min || !g)
		return false;
	rule_set_number(c, "stuck", n, DOCTOR_COUNT);
	rule_set_number(c, "threads", c->waits.total[c->waits.n_captures - 1], DOCTOR_COUNT);
	rule_set_group(c, g);
	set_since(c, g);
	return true;
}

const char rule_blocked_send_sentence[] = "{stuck} of {threads} {what} are blocked in {state}, most in "
					  "{function}{place}{since}. They wait for a receiver: find the code "
					  "that should receive from this channel, and why it stopped or is too slow.";

bool rule_blocked_send(struct rule_case *c)
{
	return check_stuck(c, WAIT_SEND, 1);
}

static bool receive_condition(struct rule_case *c)
{
	return check_stuck(c, WAIT_RECEIVE, RECEIVE_MIN);
}

/* A main goroutine in select {} is idiomatic, so the first goroutine does not count. */
static bool never_condition(struct rule_case *c)
{
	const struct wait_group *g = wait_largest(&c->waits, WAIT_NEVER);

	if (!g || (g->thread->id == 1 && g->n[c->waits.n_captures - 1] <= 1))
		return false;
	rule_set_number(c, "stuck", g->n[c->waits.n_captures - 1], DOCTOR_COUNT);
	rule_set_group(c, g);
	set_since(c, g);
	return true;
}

/* --- growth --- */

const char rule_thread_growth_sentence[] = "The number of {what} grew from {first} to {last}{time}. {growth} more are "
					   "in {state} in {function}{place}{creator}.";

bool rule_thread_growth(struct rule_case *c)
{
	size_t last = c->waits.n_captures ? c->waits.n_captures - 1 : 0;
	const struct wait_group *most = NULL;
	uint32_t grown = 0;
	double total, first;

	for (size_t i = 0; i < c->waits.n; i++) {
		const struct wait_group *g = &c->waits.group[i];
		bool is_steady = true;

		for (size_t k = 1; k <= last; k++)
			is_steady &= g->n[k] > g->n[k - 1];
		if (is_steady && last > 0 && g->n[last] - g->n[0] > grown) {
			grown = g->n[last] - g->n[0];
			most = g;
		}
	}
	total = c->waits.total[last], first = c->waits.total[0];
	if (!most || grown < GROWTH_MIN || total - first < GROWTH_MIN || total - first < GROWTH_SHARE_MIN * first)
		return false;
	rule_set_number(c, "first", first, DOCTOR_COUNT);
	rule_set_number(c, "last", total, DOCTOR_COUNT);
	rule_set_number(c, "growth", grown, DOCTOR_COUNT);
	rule_set_group(c, most);
	if (most->thread->has_creator)
		rule_set_text(c, "creator", ", created by %s",
			      rule_name(c, most->thread->creator.function.s, most->thread->creator.function.n));
	else
		rule_set_text(c, "creator", "%s", "");
	if (c->waits_ns > 0) {
		struct buf text = { 0 };

		rule_add_number((double)c->waits_ns, DOCTOR_NS, &text);
		rule_set_text(c, "time", " in %s (%.0f per hour)", buf_text(&text),
			      (total - first) * (double)NS_PER_HOUR / (double)c->waits_ns);
		buf_release(&text);
	} else {
		rule_set_text(c, "time", "%s", "");
	}
	return true;
}

/* --- Go's profile of leaked goroutines --- */

static bool leaked_condition(struct rule_case *c)
{
	const struct doctor_capture *x = NULL;
	struct doctor_function top;
	int64_t total = 0;

	for (size_t i = 0; i < c->e->n; i++)
		x = c->e->capture[i].leaks ? &c->e->capture[i] : x;
	if (!x)
		return false;
	top = doctor_cpu_largest(x->leaks, doctor_frame_type(x->leaks, "goroutineleak"), &total);
	if (total <= 0)
		return false;
	rule_set_number(c, "leaked", (double)total, DOCTOR_COUNT);
	rule_set_number(c, "most", (double)top.ns, DOCTOR_COUNT);
	rule_set_text(c, "function", "%s", rule_function(c, &top));
	rule_set_text(c, "dir", "%s", x->directory);
	return true;
}

/* --- notes --- */

/* The sender, the receiver and so on that a wait needs. */
static const char *const waker[N_WAIT_KINDS] = {
	[WAIT_LOCK] = "the holder of the lock",
	[WAIT_DISK] = "the disk",
	[WAIT_SEND] = "a receiver",
	[WAIT_RECEIVE] = "a sender, or close",
	[WAIT_NEVER] = "nothing",
	[WAIT_SELECT] = "one of the channels of the select",
	[WAIT_COND] = "a signal or broadcast",
	[WAIT_GROUP] = "the end of others",
	[WAIT_SLEEP] = "a timer",
	[WAIT_IO] = "the network or another file",
	[WAIT_OTHER] = "something unknown",
	[WAIT_NONE] = "running or ready",
};

static bool groups_note(struct rule_case *c)
{
	struct buf text = { 0 };
	size_t last = c->waits.n_captures ? c->waits.n_captures - 1 : 0, n_shown = 0;

	for (size_t i = 0; i < c->waits.n && n_shown < 5; i++) {
		const struct wait_group *g = &c->waits.group[i];
		const struct stacks_frame *f = wait_frame(g->dump, g->thread);

		if (g->n[last] == 0)
			continue;
		buf_addf(&text, "%s%" PRIu32 " in %s", n_shown++ ? "; " : "", g->n[last],
			 rule_name(c, g->thread->state.s, g->thread->state.n));
		if (f)
			buf_addf(&text, " in %s", rule_name(c, f->function.s, f->function.n));
		buf_addf(&text, " (%s%s", g->kind == WAIT_NONE ? "" : "woken by ", waker[g->kind]);
		if (g->n_always > 1 && c->waits.n_captures > 1)
			buf_addf(&text, ", %" PRIu32 " of them in all captures", g->n_always);
		buf_addz(&text, ")");
	}
	if (n_shown) {
		rule_set_number(c, "threads", c->waits.total[last], DOCTOR_COUNT);
		rule_set_captures(c);
		rule_set_span(c, c->waits_ns, " within ");
		rule_set_text(c, "what", "%s", rule_threads_word(c, c->waits.total[last]));
		rule_set_text(c, "list", "%s", buf_text(&text));
		rule_set_text(c, "file", "%s/%s", c->waits_last->directory, c->waits_last->stacks_file);
	}
	buf_release(&text);
	return n_shown > 0;
}

static bool no_leaks_note(struct rule_case *c)
{
	for (size_t i = 0; i < c->e->n; i++)
		if (c->e->capture[i].leaks)
			return false;
	return c->waits.n_captures && !c->waits.are_threads;
}

const struct rule_entry rules_threads[] = {
	{ "thread_growth", false, rule_thread_growth, rule_thread_growth_sentence, rule_threads_command },
	{ "blocked_send", false, rule_blocked_send, rule_blocked_send_sentence, rule_threads_command },
	{ "blocked_receive", false, receive_condition,
	  "{stuck} of {threads} {what} wait in {state}, most in {function}{place}{since}. They wait for a sender: find "
	  "the code that "
	  "should send to or close this channel.",
	  rule_threads_command },
	{ "blocked_forever", false, never_condition,
	  "{stuck} {what} wait in {state}, in {function}{place}{since}. Nothing can wake them.", rule_threads_command },
	{ "leaked", false, leaked_condition,
	  "Go's garbage collector found {leaked} goroutines that nothing can wake; {most} of them in {function}.",
	  "cpa top {dir}/goroutineleak.pb.gz" },
	{ "lock_wait", false, rule_lock_wait, rule_lock_wait_sentence, rule_threads_command },
	{ "groups", true, groups_note,
	  "{threads} {what} in the last of {captures} {captures_word}{span}. The largest groups: {list}.",
	  rule_threads_command },
	{ "not_offered", true, no_leaks_note,
	  "Leaked goroutines are not known exactly: the server does not offer goroutineleak (Go 1.26 with "
	  "GOEXPERIMENT=goroutineleakprofile).",
	  "" },
	{ 0 },
};
