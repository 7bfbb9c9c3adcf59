/*
 * doctor.c - apply the rules of a runbook to its evidence
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "doctor/rules.h"

#include "base/mem.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "symbol/demangle/demangle.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_CHARACTERS = 160 };

const char *const doctor_runbook_name[N_DOCTOR_RUNBOOKS] = {
	[DOCTOR_SLOW] = "slow",
	[DOCTOR_MEMORY] = "memory",
	[DOCTOR_THREADS] = "threads",
};

static const char *doctor_copy(struct rule_case *c, const struct buf *text)
{
	char *copy = arena_alloc(c->out->memory, text->len + 1, 1);

	memcpy(copy, buf_text(text), text->len + 1);
	return copy;
}

void rule_set_number(struct rule_case *c, const char *key, double value, enum doctor_unit unit)
{
	assert(c->n_numbers < RULE_NUMBERS_MAX);
	c->number[c->n_numbers++] = (struct doctor_number){ key, value, unit };
}

void rule_set_text(struct rule_case *c, const char *key, const char *format, ...)
{
	struct buf text = { 0 };
	va_list args;

	assert(c->n_texts < RULE_TEXTS_MAX);
	va_start(args, format);
	buf_vaddf(&text, format, args);
	va_end(args);
	c->text[c->n_texts++] = (struct rule_text){ key, doctor_copy(c, &text) };
	buf_release(&text);
}

const char *rule_name(struct rule_case *c, const char *name, size_t n)
{
	struct buf symbol = { 0 }, plain = { 0 }, safe = { 0 }, out = { 0 };
	const char *copy;

	buf_add(&symbol, name, n);
	if (n < 2 || name[0] != '_' || !demangle(buf_text(&symbol), DEMANGLE_DEFAULT, &plain)) {
		plain.len = 0;
		buf_add(&plain, name, n);
	}
	utf8_add_safe(&safe, buf_text(&plain), plain.len);
	utf8_add_short(&out, buf_text(&safe), safe.len, NAME_MAX_CHARACTERS);
	copy = doctor_copy(c, &out);
	buf_release(&symbol);
	buf_release(&plain);
	buf_release(&safe);
	buf_release(&out);
	return copy;
}

const char *rule_function(struct rule_case *c, const struct doctor_function *f)
{
	struct buf text = { 0 };
	const char *copy;

	if (!*f->name)
		return "a function without a name";
	buf_addz(&text, rule_name(c, f->name, strlen(f->name)));
	if (*f->caller)
		buf_addf(&text, " (called by %s)", rule_name(c, f->caller, strlen(f->caller)));
	copy = doctor_copy(c, &text);
	buf_release(&text);
	return copy;
}

/* The value as an integer, which may be the sum of hostile ones. */
static int64_t doctor_round(double value)
{
	return value >= 9e18 ? INT64_MAX : value <= -9e18 ? -INT64_MAX : (int64_t)value;
}

void rule_add_number(double value, enum doctor_unit unit, struct buf *out)
{
	switch (unit) {
	case DOCTOR_COUNT:
		if (value == floor(value))
			buf_addf(out, "%.0f", value);
		else
			buf_addf(out, "%.1f", value);
		break;
	case DOCTOR_SHARE:
		buf_addf(out, value < 0.0995 ? "%.1f %%" : "%.0f %%", 100 * value);
		break;
	case DOCTOR_NS:
		unit_add_label(out, doctor_round(value), "ns", "auto");
		break;
	case DOCTOR_BYTES:
	case DOCTOR_BYTES_PER_HOUR:
		unit_add_label(out, doctor_round(value), "bytes", "auto");
		break;
	case DOCTOR_FACTOR:
		buf_addf(out, "%.2f", value);
		break;
	case N_DOCTOR_UNITS:
		break;
	}
}

/* Append the value of a key. Returns false if it is an empty text. */
static bool doctor_add_key(const struct rule_case *c, const char *key, size_t n, struct buf *out)
{
	for (size_t i = 0; i < c->n_numbers; i++)
		if (strlen(c->number[i].key) == n && memcmp(c->number[i].key, key, n) == 0) {
			rule_add_number(c->number[i].value, c->number[i].unit, out);
			return true;
		}
	for (size_t i = 0; i < c->n_texts; i++)
		if (strlen(c->text[i].key) == n && memcmp(c->text[i].key, key, n) == 0) {
			buf_addz(out, c->text[i].text);
			return *c->text[i].text;
		}
	assert(!"a rule has a key that its condition does not set");
	return false;
}

/* Replace the keys of a template. Returns false if the text of a key is empty. */
static bool doctor_expand(const struct rule_case *c, const char *template, struct buf *out)
{
	bool is_complete = true;

	for (const char *at = template; *at;) {
		const char *end = *at == '{' ? strchr(at, '}') : NULL;

		if (end) {
			is_complete &= doctor_add_key(c, at + 1, (size_t)(end - at - 1), out);
			at = end + 1;
		} else {
			buf_add(out, at++, 1);
		}
	}
	return is_complete;
}

static void doctor_report(struct rule_case *c, const struct rule_entry *rule)
{
	struct doctor_result *out = c->out;
	struct doctor_number *numbers = arena_alloc(out->memory, c->n_numbers + 1, sizeof(*numbers));
	struct buf sentence = { 0 }, command = { 0 };
	bool has_command;

	doctor_expand(c, rule->sentence, &sentence);
	has_command = doctor_expand(c, rule->command, &command);
	if (c->n_numbers)
		memcpy(numbers, c->number, c->n_numbers * sizeof(*numbers));
	out->finding = mem_grow(out->finding, &out->cap, out->n + 1, sizeof(*out->finding));
	out->finding[out->n++] = (struct doctor_finding){ .rule = rule->name,
							  .is_note = rule->is_note,
							  .sentence = doctor_copy(c, &sentence),
							  .command = has_command ? doctor_copy(c, &command) : "",
							  .number = numbers,
							  .n_numbers = c->n_numbers };
	out->n_findings += !rule->is_note;
	buf_release(&sentence);
	buf_release(&command);
}

static void doctor_apply(struct rule_case *c, const struct rule_entry *rules, bool notes)
{
	for (const struct rule_entry *r = rules; r->name; r++) {
		c->n_numbers = c->n_texts = 0;
		if (r->is_note == notes && r->condition(c))
			doctor_report(c, r);
	}
}

/* --- the evidence, added up --- */

/* The time from first to last; 0 if one of them is unknown, or if it is not plausible. */
static int64_t time_between(int64_t first, int64_t last)
{
	return first > 0 && last > first ? last - first : 0;
}

/* Profiles of the heap, of the oldest captures that have one. */
static void doctor_add_heaps(struct rule_case *c)
{
	const struct profile *p[GROWTH_CAPTURES_MAX];
	size_t n = 0;

	for (size_t i = 0; i < c->e->n && n < GROWTH_CAPTURES_MAX; i++) {
		const struct doctor_capture *x = &c->e->capture[i];

		if (!x->heap)
			continue;
		c->heap_first = c->heap_first ? c->heap_first : x;
		c->heap_last = x;
		p[n++] = x->heap;
	}
	if (n == 0)
		return;
	growth_make(p, n, "inuse_space", &c->heap);
	/* the times of profiles are more exact than those of the captures */
	if (p[0]->meta.time_ns && p[n - 1]->meta.time_ns)
		c->heap_ns = time_between(p[0]->meta.time_ns, p[n - 1]->meta.time_ns);
	else
		c->heap_ns = time_between(c->heap_first->time_ns, c->heap_last->time_ns);
}

static void doctor_add_stacks(struct rule_case *c)
{
	const struct stacks *s[GROWTH_CAPTURES_MAX];
	int64_t first = 0;
	size_t n = 0;

	for (size_t i = 0; i < c->e->n && n < GROWTH_CAPTURES_MAX; i++) {
		const struct doctor_capture *x = &c->e->capture[i];

		if (!x->stacks)
			continue;
		first = n == 0 ? x->time_ns : first;
		s[n++] = x->stacks;
		c->waits_last = x;
		c->waits_ns = time_between(first, x->time_ns);
	}
	if (n)
		wait_groups_make(s, n, &c->waits);
}

static bool missing_condition(struct rule_case *c)
{
	(void)c;
	return true;
}

/* Sentences about evidence that is missing, and verdicts of the gate. */
static void doctor_add_given(struct rule_case *c, bool notes)
{
	static const struct rule_entry missing = { "missing", true, missing_condition, "{text}", "" };
	static const struct rule_entry regressed = { "regression", false, missing_condition,
						     "Slower than {source}, by the verdict FAIL of cpa gate: {details}",
						     "{command}" };
	static const struct rule_entry compared = { "comparison", true, missing_condition,
						    "Compared with {source}: {verdict}{details}", "{command}" };
	static const struct rule_entry refused = { "no_comparison", true, missing_condition,
						   "Not compared with {source}: {details}", "" };

	for (size_t i = 0; i < c->e->n_comparisons; i++) {
		const struct doctor_comparison *x = &c->e->comparison[i];
		bool is_fail = x->verdict && strcmp(x->verdict, "FAIL") == 0;

		c->n_numbers = c->n_texts = 0;
		rule_set_text(c, "source", "%s", x->source);
		rule_set_text(c, "verdict", "%s", x->verdict && !is_fail ? x->verdict : "");
		rule_set_text(c, "details", "%s", x->details);
		rule_set_text(c, "command", "%s", x->command);
		if (is_fail != notes)
			doctor_report(c, is_fail ? &regressed : x->verdict ? &compared : &refused);
	}
	for (size_t i = 0; i < c->e->n_missing && notes; i++) {
		c->n_numbers = c->n_texts = 0;
		rule_set_text(c, "text", "%s", c->e->missing[i]);
		doctor_report(c, &missing);
	}
}

void doctor_examine(const struct doctor_evidence *e, struct doctor_result *out)
{
	static const struct rule_entry *const rules[N_DOCTOR_RUNBOOKS] = {
		[DOCTOR_SLOW] = rules_slow,
		[DOCTOR_MEMORY] = rules_memory,
		[DOCTOR_THREADS] = rules_threads,
	};
	struct rule_case c = { .e = e, .out = out };

	*out = (struct doctor_result){ .memory = arena_new() };
	for (size_t i = 0; i < e->n; i++)
		if (e->capture[i].cpu)
			c.cpu_profile = e->capture[i].cpu;
	if (c.cpu_profile)
		doctor_cpu_make(c.cpu_profile, &c.shares);
	doctor_add_heaps(&c);
	doctor_add_stacks(&c);
	for (int notes = 0; notes < 2; notes++) {
		doctor_apply(&c, rules[e->runbook], notes);
		doctor_add_given(&c, notes);
	}
	growth_release(&c.heap);
	wait_groups_release(&c.waits);
}

void doctor_release(struct doctor_result *r)
{
	free(r->finding);
	arena_free(r->memory);
	*r = (struct doctor_result){ 0 };
}
