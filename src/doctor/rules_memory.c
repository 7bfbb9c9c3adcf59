/*
 * rules_memory.c - rules of cpa doctor memory: what grows, and which code retains it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "doctor/rules.h"

#include "base/buf.h"
#include "base/num.h"
#include "base/time.h"

#include <inttypes.h>
#include <string.h>

/*
 * Thresholds.
 */
/* A heap profile is sampled, every 512 KiB on average. Growth by n samples has a standard error of about sqrt(n): with 16
   samples it is 25 %, so growth of that size is not chance. */
static const int64_t GROWTH_SAMPLES_MIN = 16;
/* For profiles in which every object is sampled, and so that small caches that fill up are not reported. */
static const int64_t GROWTH_BYTES_MIN = 4 << 20;
/* Caches and pools of a program in balance vary by some percent. */
static const double GROWTH_SHARE_MIN = 0.05;
/* Resident memory includes freed memory that the allocator keeps, which varies more. */
static const int64_t OUTSIDE_BYTES_MIN = 32 << 20;

/* Set the numbers of growth over the time between the captures. */
static void set_growth(struct rule_case *c, const int64_t *value)
{
	const struct growth_table *g = &c->heap;

	rule_set_number(c, "first", (double)value[0], DOCTOR_BYTES);
	rule_set_number(c, "last", (double)value[g->n_captures - 1], DOCTOR_BYTES);
	rule_set_number(c, "growth", (double)growth_of(g, value), DOCTOR_BYTES);
	rule_set_number(c, "time", (double)c->heap_ns, DOCTOR_NS);
	rule_set_number(c, "per_hour",
			c->heap_ns > 0 ? (double)growth_of(g, value) * (double)NS_PER_HOUR / (double)c->heap_ns : 0,
			DOCTOR_BYTES_PER_HOUR);
}

static void set_heap_command(struct rule_case *c)
{
	rule_set_text(c, "files", "%s/heap.pb.gz %s/heap.pb.gz", c->heap_first->directory, c->heap_last->directory);
}

static bool heap_condition(struct rule_case *c)
{
	const struct growth_table *g = &c->heap;
	const struct growth_row *top = g->n ? &g->row[0] : NULL;
	struct doctor_function f;
	int64_t grown = g->n_captures > 1 ? growth_of(g, g->total) : 0;

	if (!top || grown < GROWTH_BYTES_MIN || grown < GROWTH_SAMPLES_MIN * g->period ||
	    (double)grown < GROWTH_SHARE_MIN * (double)g->total[0] || !growth_is_steady(g, g->total))
		return false;
	set_growth(c, g->total);
	rule_set_number(c, "captures", (double)g->n_captures, DOCTOR_COUNT);
	rule_set_number(c, "function_growth", (double)growth_of(g, top->value), DOCTOR_BYTES);
	f = (struct doctor_function){ top->name, top->caller, 0 };
	rule_set_text(c, "function", "%s", rule_function(c, &f));
	rule_set_text(c, "steps", "%s",
		      g->n_captures > 2 ? ", in every step" : "; two captures do not show whether it continues");
	set_heap_command(c);
	return true;
}

/* Resident memory of the first and the last capture that have it. */
static bool rss_span(const struct rule_case *c, int64_t *first, int64_t *last)
{
	size_t n = 0;

	*first = *last = 0;
	for (size_t i = 0; i < c->e->n; i++) {
		int64_t rss = c->e->capture[i].rss_bytes;

		if (rss < 0)
			continue;
		*first = n++ == 0 ? rss : *first;
		*last = rss;
	}
	return n > 1;
}

static bool outside_condition(struct rule_case *c)
{
	const struct growth_table *g = &c->heap;
	int64_t first, last, heap = g->n_captures > 1 ? growth_of(g, g->total) : 0;

	if (g->n_captures < 2 || !rss_span(c, &first, &last) ||
	    num_sub_capped(last - first, heap > 0 ? heap : 0) < OUTSIDE_BYTES_MIN ||
	    (double)(last - first) < 2 * (double)(heap > 0 ? heap : 0))
		return false;
	rule_set_number(c, "rss_growth", (double)(last - first), DOCTOR_BYTES);
	rule_set_number(c, "heap_growth", (double)heap, DOCTOR_BYTES);
	rule_set_number(c, "remaining", (double)num_sub_capped(last - first, heap), DOCTOR_BYTES);
	set_heap_command(c);
	return true;
}

/* --- notes --- */

static bool heap_note(struct rule_case *c)
{
	const struct growth_table *g = &c->heap;
	struct buf text = { 0 };

	if (!g->n_captures)
		return false;
	for (size_t i = 0; i < g->n_captures; i++) {
		buf_addz(&text, i ? ", " : "");
		rule_add_number((double)g->total[i], DOCTOR_BYTES, &text);
	}
	rule_set_text(c, "list", "%s", buf_text(&text));
	rule_set_span(c, c->heap_ns, " in captures within ");
	rule_set_number(c, "period", (double)g->period, DOCTOR_BYTES);
	rule_set_text(c, "dir", "%s", c->heap_last->directory);
	buf_release(&text);
	return true;
}

static bool rss_note(struct rule_case *c)
{
	const struct growth_table *g = &c->heap;
	int64_t first, last;

	if (!g->n_captures || !rss_span(c, &first, &last))
		return false;
	rule_set_number(c, "first", (double)first, DOCTOR_BYTES);
	rule_set_number(c, "last", (double)last, DOCTOR_BYTES);
	rule_set_number(c, "heap", (double)g->total[g->n_captures - 1], DOCTOR_BYTES);
	rule_set_number(c, "remaining", (double)num_sub_capped(last, g->total[g->n_captures - 1]), DOCTOR_BYTES);
	return true;
}

static bool no_rss_note(struct rule_case *c)
{
	int64_t first, last;

	return !rss_span(c, &first, &last);
}

static bool threads_note(struct rule_case *c)
{
	if (c->waits.n_captures < 2)
		return false;
	rule_set_number(c, "first", c->waits.total[0], DOCTOR_COUNT);
	rule_set_number(c, "last", c->waits.total[c->waits.n_captures - 1], DOCTOR_COUNT);
	rule_set_text(c, "what", "%s", rule_threads_word(c, c->waits.total[0]));
	rule_set_text(c, "file", "%s/%s", c->waits_last->directory, c->waits_last->stacks_file);
	return true;
}

static bool one_capture_note(struct rule_case *c)
{
	return c->heap.n_captures < 2;
}

const struct rule_entry rules_memory[] = {
	{ "heap_growth", false, heap_condition,
	  "The heap grew from {first} to {last} in {time}, {per_hour} per hour{steps}. {function} accounts for "
	  "{function_growth} of it.",
	  "cpa diff -sample_index=inuse_space {files}" },
	{ "thread_growth", false, rule_thread_growth,
	  "The number of {what} grew from {first} to {last}{time}. {growth} more are in {state} in "
	  "{function}{place}{creator}; objects "
	  "on their stacks are retained.",
	  rule_threads_command },
	{ "outside_heap", false, outside_condition,
	  "Resident memory grew by {rss_growth}, the heap by {heap_growth}. The remaining {remaining} is not in the "
	  "heap profile: freed "
	  "memory that the allocator keeps, stacks, mapped files, or memory that C code allocated; which of them "
	  "cannot be determined.",
	  "cpa diff -sample_index=inuse_space {files}" },
	{ "heap", true, heap_note, "The heap had {list}{span}; a sample represents {period}.",
	  "cpa top -sample_index=inuse_space {dir}/heap.pb.gz" },
	{ "resident", true, rss_note,
	  "Resident memory was {first} first and {last} last; {remaining} of it is not objects of the heap profile.",
	  "" },
	{ "no_resident", true, no_rss_note,
	  "Resident memory is not known: the process is not on this machine, and the server has no /metrics with "
	  "process_resident_memory_bytes.",
	  "" },
	{ "threads", true, threads_note, "The first capture has {first} {what}, the last one {last}.",
	  rule_threads_command },
	{ "one_capture", true, one_capture_note, "There is one heap profile, so growth cannot be determined.", "" },
	{ 0 },
};
