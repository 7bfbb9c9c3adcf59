/*
 * sample.c - samples as rows of the profile: values, stacks, labels
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/num.h"
#include "formats/perf/perf_int.h"

#include <inttypes.h>
#include <stdlib.h>

/* Entries of a chain from here on say to what the next ones belong. */
#define CHAIN_MARK_MIN ((uint64_t)-4095)
#define CHAIN_HYPERVISOR ((uint64_t)-32)
#define CHAIN_KERNEL ((uint64_t)-128)
#define CHAIN_USER ((uint64_t)-512)
#define CHAIN_USER_DEFERRED ((uint64_t)-640)
#define CHAIN_GUEST_KERNEL ((uint64_t)-2176)
#define CHAIN_GUEST_USER ((uint64_t)-2560)

enum { BRANCH_CALL_STACK = 1 << 11, BRANCH_BYTES = 24, FLAG_FREQ = 1 << 10 };
enum { FRAMES_MAX = 1024, REGS_MAX = 64, WORD = 8 };

/* A chain while it is read. */
struct perf_chain {
	struct perf_process *process;
	enum perf_mode mode;
	bool is_return;   /* the next address is a return address */
	bool is_deferred; /* the user part comes later */
	bool has_user;
	uint64_t cookie;
};

static void sample_add_value(struct perf_reader *r, uint32_t column, uint32_t row, int64_t v)
{
	int64_t *to = column == PERF_NONE ? NULL : builder_values(r->b, column) + row;

	if (to)
		*to = num_add_capped(*to, v);
}

static int64_t sample_capped(uint64_t v)
{
	return v <= INT64_MAX ? (int64_t)v : INT64_MAX;
}

static void sample_add_event(struct perf_reader *r, const struct perf_event *e, uint32_t row, uint64_t v)
{
	sample_add_value(r, e->column, row, sample_capped(v));
	sample_add_value(r, e->count_column, row, 1);
}

/* Add a count of READ: its increase since the last READ of its id. */
static void sample_add_count(struct perf_reader *r, uint64_t id, uint64_t value, uint32_t row)
{
	uint32_t i = perfdata_event_find_id(r, id);
	uint64_t last;

	if (i == PERF_NONE)
		return;
	last = r->id[i].value;
	r->id[i].value = value;
	if (value > last)
		sample_add_event(r, &r->event[r->id[i].event], row, value - last);
}

/* Add the counts of a READ. Returns false if they have no ids. */
static bool sample_add_counts(struct perf_reader *r, const struct perf_event *e, const struct perf_sample *s,
			      uint32_t row)
{
	uint64_t format = e->read_format;
	size_t times = (size_t)(!!(format & PERF_READ_ENABLED) + !!(format & PERF_READ_RUNNING)) * WORD;
	size_t each = (size_t)(2 + !!(format & PERF_READ_LOST)) * WORD;

	if (!s->read || !(format & PERF_READ_ID))
		return false;
	if (!(format & PERF_READ_GROUP)) {
		sample_add_count(r, perfdata_u64(r, s->read + WORD + times), perfdata_u64(r, s->read), row);
		return true;
	}
	for (size_t at = WORD + times; at + each <= s->n_read; at += each)
		sample_add_count(r, perfdata_u64(r, s->read + at + WORD), perfdata_u64(r, s->read + at), row);
	return true;
}

static uint64_t sample_period(const struct perf_event *e, const struct perf_sample *s)
{
	return e->sample_type & PERF_HAS_PERIOD ? s->period : e->flags & FLAG_FREQ ? 1 : e->period;
}

/* Follow a mark of a chain. */
static void chain_mark(struct perf_chain *c, uint64_t mark)
{
	c->is_return = false;
	c->mode = mark == CHAIN_KERNEL         ? PERF_KERNEL
		  : mark == CHAIN_USER         ? PERF_USER
		  : mark == CHAIN_GUEST_KERNEL ? PERF_GUEST_KERNEL
		  : mark == CHAIN_GUEST_USER   ? PERF_GUEST_USER
		  : mark == CHAIN_HYPERVISOR   ? PERF_HYPERVISOR
					       : PERF_UNKNOWN_MODE;
}

/* Add the addresses of a chain to the stack. n_user_max: addresses of the user part to take. */
static int chain_add(struct perf_reader *r, struct perf_chain *c, const uint8_t *ips, uint64_t n, uint64_t n_user_max,
		     struct err *err)
{
	int rc = 0;

	for (uint64_t i = 0; rc == 0 && i < n; i++) {
		uint64_t ip = perfdata_u64(r, ips + i * WORD);

		if (ip == CHAIN_USER_DEFERRED) {
			c->is_deferred = i + 1 < n;
			c->cookie = c->is_deferred ? perfdata_u64(r, ips + (i + 1) * WORD) : 0;
			return 0;
		}
		if (ip >= CHAIN_MARK_MIN) {
			chain_mark(c, ip);
			continue;
		}
		if (c->mode == PERF_USER && n_user_max-- == 0)
			return 0;
		c->has_user |= c->mode == PERF_USER;
		rc = perfdata_frame_add(r, c->process, c->mode, ip, c->is_return, err);
		c->is_return = true;
	}
	return rc;
}

/* Add the calls that the processor recorded: the newest first; each begins with the address of the call. */
static int chain_add_branches(struct perf_reader *r, struct perf_chain *c, const struct perf_sample *s, struct err *err)
{
	int rc = 0;

	if (!c->has_user && s->n_branches)
		rc = perfdata_frame_add(r, c->process, PERF_USER, perfdata_u64(r, s->branch + WORD), false, err);
	for (uint64_t i = 0; rc == 0 && i < s->n_branches; i++)
		rc = perfdata_frame_add(r, c->process, PERF_USER, perfdata_u64(r, s->branch + i * BRANCH_BYTES), false,
					err);
	return rc;
}

/* Open the memory of a process for the unwinder, again if its mappings have changed. */
static void *sample_space(struct perf_reader *r, struct perf_process *process)
{
	const struct format_unwinder *u = r->options->unwinder;
	const struct perf_maps *maps = process->maps;
	struct mapping *map;
	size_t n = 0;

	if (process->space && process->space_version == maps->files_version)
		return process->space;
	if (process->space)
		u->close(u->arg, process->space);
	map = mem_alloc(maps->n, sizeof(*map));
	for (size_t i = 0; i < maps->n; i++) {
		const struct perf_map *from = &maps->map[i];
		const struct perf_module *m = &r->module[from->module];

		if (m->owner)
			continue;
		map[n++] = (struct mapping){ .start = from->start,
					     .limit = from->limit,
					     .offset = m->offset + (from->start - from->shift - m->start),
					     .file = m->file,
					     .build_id = m->build_id };
	}
	process->space = u->open(u->arg, builder_profile(r->b), map, n);
	process->space_version = maps->files_version;
	free(map);
	return process->space;
}

/* Unwind the copy of a stack. Returns the number of frames; 0 if that is not possible. */
static size_t sample_unwind(struct perf_reader *r, const struct perf_event *e, const struct perf_sample *s,
			    struct perf_process *process, uint64_t *pc, bool *is_whole)
{
	const struct format_unwinder *u = r->options->unwinder;
	unsigned n = (unsigned)__builtin_popcountll(e->regs_user);
	struct format_stack_copy copy = { .mask = e->regs_user, .stack = s->stack, .n_stack = (size_t)s->n_stack };
	enum { ABI_64 = 2 };
	uint64_t reg[REGS_MAX];
	void *space;

	if (!u || !r->is_own_machine || s->abi != ABI_64 || !process->maps)
		return 0;
	for (unsigned i = 0; i < n; i++)
		reg[i] = perfdata_u64(r, s->regs + i * WORD);
	copy.reg = reg;
	space = sample_space(r, process);
	return space ? u->walk(u->arg, space, &copy, pc, FRAMES_MAX, is_whole) : 0;
}

/* Add the user part of a sample that has a copy of the stack. */
static int sample_add_copied(struct perf_reader *r, const struct perf_event *e, const struct perf_sample *s,
			     struct perf_chain *c, struct err *err)
{
	uint64_t pc[FRAMES_MAX];
	bool is_whole = false;
	size_t n = sample_unwind(r, e, s, c->process, pc, &is_whole);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = perfdata_frame_add(r, c->process, PERF_USER, pc[i], false, err);
	if ((n && is_whole) || rc < 0)
		return rc;
	r->n_not_unwound++;
	if (r->n_stack == 0)
		rc = perfdata_frame_add(r, c->process, PERF_USER, s->ip, false, err);
	return rc < 0 ? rc : perfdata_frame_add_named(r, "[stack not unwound]", &r->not_unwound, err);
}

/* Put the stack of a sample together, leaf first. */
static int sample_add_stack(struct perf_reader *r, const struct perf_event *e, const struct perf_sample *s,
			    enum perf_mode mode, struct perf_chain *c, struct err *err)
{
	bool is_lbr = e->branch_type & BRANCH_CALL_STACK && s->n_branches;
	int rc;

	c->mode = mode;
	r->n_stack = 0;
	rc = chain_add(r, c, s->chain, s->n_chain, is_lbr ? 1 : UINT64_MAX, err);
	if (rc == 0 && is_lbr)
		rc = chain_add_branches(r, c, s, err);
	else if (rc == 0 && !c->has_user && !c->is_deferred && s->abi && s->stack)
		rc = sample_add_copied(r, e, s, c, err);
	if (rc == 0 && r->n_stack == 0 && !c->is_deferred && e->sample_type & PERF_HAS_IP)
		rc = perfdata_frame_add(r, c->process, mode, s->ip, false, err);
	if (s->n_branches && !(e->branch_type & BRANCH_CALL_STACK))
		skipped_add(&r->branches, 0);
	return rc;
}

/* The labels of a sample: those of its thread, and its time on request. */
static int sample_labels(struct perf_reader *r, struct perf_thread *t, uint64_t time, uint32_t *out, struct err *err)
{
	uint32_t id[4];
	int rc = perfdata_thread_labels(r, t, out, err);

	if (rc < 0 || !r->options->keeps_times)
		return rc;
	memcpy(id, t->label, sizeof(t->label));
	rc = builder_time_label(r->b, time > r->first_time ? sample_capped(time - r->first_time) : 0, &id[3], err);
	return rc < 0 ? rc : builder_label_set(r->b, id, 4, out, err);
}

/* Keep a sample until its user part comes. */
static int sample_wait(struct perf_reader *r, struct perf_thread *t, const struct perf_sample *s,
		       const struct perf_waiting *new, struct err *err)
{
	uint32_t i = r->unused_waiting;
	struct perf_waiting *w;

	if (i != PERF_NONE) {
		r->unused_waiting = r->waiting[i].next;
	} else {
		if (format_exceeds(r->n_waiting + 1, r->options->max_count))
			return err_set(err, ERR_LIMIT, "perf.data: too many samples without their user part");
		r->waiting = mem_grow(r->waiting, &r->cap_waiting, r->n_waiting + 1, sizeof(*r->waiting));
		i = (uint32_t)r->n_waiting++;
	}
	w = &r->waiting[i];
	*w = *new;
	w->n = (uint32_t)r->n_stack;
	w->loc = mem_alloc(r->n_stack + 1, sizeof(*w->loc));
	if (r->n_stack)
		memcpy(w->loc, r->stack, r->n_stack * sizeof(*w->loc));
	if (s->read) {
		w->n_read = s->n_read;
		w->read = mem_alloc(s->n_read + 1, 1);
		memcpy(w->read, s->read, s->n_read);
	}
	w->next = t->waiting;
	t->waiting = i;
	return 0;
}

/* Add a row of the current stack. s: only its counts are used. */
static int sample_emit(struct perf_reader *r, const struct perf_event *e, const struct perf_sample *s, uint64_t value,
		       uint32_t labels, struct err *err)
{
	uint32_t stack, row = 0;
	int rc = builder_stack(r->b, r->stack, r->n_stack, builder_stack_hash(r->stack, r->n_stack), &stack, err);

	rc = rc < 0 ? rc : merged_rows_find(r->rows, stack, labels, &row, err);
	if (rc < 0)
		return rc;
	sample_add_value(r, 0, row, 1);
	if (!(e->sample_type & PERF_HAS_READ) || !sample_add_counts(r, e, s, row))
		sample_add_event(r, e, row, value);
	return 0;
}

static void sample_count(struct perf_reader *r, struct perf_process *process, uint64_t time)
{
	r->n_samples++;
	process->n_samples++;
	if (time && (!r->first_time || time < r->first_time))
		r->first_time = time;
	if (time > r->last_time)
		r->last_time = time;
}

int perfdata_sample_add(struct perf_reader *r, const struct perf_record *rec, struct err *err)
{
	const struct perf_event *e = perfdata_event_of(r, rec);
	struct perf_chain chain = { 0 };
	struct perf_sample s;
	struct perf_thread *t;
	uint32_t labels;
	int rc;

	if (!e) {
		skipped_add(&r->unknown_event, 0);
		return 0;
	}
	if (!perfdata_sample_fields(r, e, rec, &s)) {
		skipped_add(&r->damaged, 0);
		return 0;
	}
	rc = perfdata_process_find(r, s.pid, &chain.process, err);
	rc = rc < 0 ? rc : perfdata_thread_find(r, s.pid, s.tid, &t, err);
	if (rc < 0)
		return rc;
	sample_count(r, chain.process, s.time);
	rc = sample_add_stack(r, e, &s, rec->misc & PERF_MISC_MODE, &chain, err);
	rc = rc < 0 ? rc : sample_labels(r, t, s.time, &labels, err);
	if (rc < 0)
		return rc;
	if (chain.is_deferred)
		return sample_wait(r, t, &s,
				   &(struct perf_waiting){ .cookie = chain.cookie,
							   .labels = labels,
							   .event = (uint32_t)(e - r->event),
							   .value = sample_period(e, &s) },
				   err);
	return sample_emit(r, e, &s, sample_period(e, &s), labels, err);
}

/* Add a sample that waited, with its user part, maybe empty. */
static int sample_emit_waiting(struct perf_reader *r, uint32_t i, const uint32_t *user, size_t n_user, struct err *err)
{
	struct perf_waiting *w = &r->waiting[i];
	const struct perf_sample s = { .read = w->read, .n_read = w->n_read };
	int rc;

	r->stack = mem_grow(r->stack, &r->cap_stack, n_user + w->n + 1, sizeof(*r->stack));
	memcpy(r->stack, w->loc, w->n * sizeof(*r->stack));
	if (n_user)
		memcpy(r->stack + w->n, user, n_user * sizeof(*r->stack));
	r->n_stack = n_user + w->n;
	rc = sample_emit(r, &r->event[w->event], &s, w->value, w->labels, err);
	free(w->loc);
	free(w->read);
	*w = (struct perf_waiting){ .next = r->unused_waiting };
	r->unused_waiting = i;
	return rc;
}

/* Add all samples of a thread that wait; those with another cookie have lost their user part. */
static int sample_emit_thread(struct perf_reader *r, struct perf_thread *t, uint64_t cookie, struct err *err)
{
	size_t n_user = r->n_stack;
	uint32_t *user = mem_alloc(n_user + 1, sizeof(*user)), i = t->waiting, next;
	int rc = 0;

	if (n_user)
		memcpy(user, r->stack, n_user * sizeof(*user));
	t->waiting = PERF_NONE;
	for (; rc == 0 && i != PERF_NONE; i = next) {
		next = r->waiting[i].next;
		rc = sample_emit_waiting(r, i, user, r->waiting[i].cookie == cookie ? n_user : 0, err);
	}
	free(user);
	return rc;
}

int perfdata_sample_add_deferred(struct perf_reader *r, const struct perf_record *rec, struct err *err)
{
	enum { AT_COOKIE = 8, AT_N = 16, AT_IPS = 24 };
	struct perf_chain chain = { .mode = PERF_USER };
	struct perf_task task = { UINT32_MAX, UINT32_MAX };
	struct perf_thread *t;
	uint64_t n;
	int rc;

	if (rec->n < AT_IPS || (n = perfdata_u64(r, rec->p + AT_N)) > (rec->n - AT_IPS) / WORD) {
		skipped_add(&r->damaged, 0);
		return 0;
	}
	perfdata_event_time(r, rec, &task);
	rc = perfdata_process_find(r, task.pid, &chain.process, err);
	rc = rc < 0 ? rc : perfdata_thread_find(r, task.pid, task.tid, &t, err);
	r->n_stack = 0;
	rc = rc < 0 ? rc : chain_add(r, &chain, rec->p + AT_IPS, n, UINT64_MAX, err);
	return rc < 0 ? rc : sample_emit_thread(r, t, perfdata_u64(r, rec->p + AT_COOKIE), err);
}

int perfdata_sample_end(struct perf_reader *r, struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < r->n_waiting; i++)
		if (r->waiting[i].loc)
			rc = sample_emit_waiting(r, i, NULL, 0, err);
	return rc;
}
