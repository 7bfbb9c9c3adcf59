/*
 * trace_names.c - names of the functions in a timeline
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each location is looked up once. Locations of one function share the index of its name, so a slice continues while
 * the function moves from line to line.
 */
#include "config.h"

#include "libcpaprof/collector/trace/trace_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { INLINED_MAX = 64, FUNCTIONS_MAX = 1 << 24, ADDRESS_NAME_SIZE = 1100 };

static void trace_names_add(struct trace_names *x, uint32_t name, uint32_t file)
{
	x->failed |=
		!vec_add(&x->frame, &(struct trace_frame){ name, file }, 1, sizeof(struct trace_frame), FUNCTIONS_MAX);
}

/* Name an address without a symbol: FILE+OFFSET. */
static uint32_t address_name(struct trace_names *x, const struct table_loc *loc)
{
	const struct maps *maps = &x->p->maps;
	char text[ADDRESS_NAME_SIZE];
	int n;

	if (loc->map && loc->map <= maps->map.n) {
		const struct map *m = (const struct map *)maps->map.data + loc->map - 1;
		const char *path = (const char *)maps->texts.data + m->path;
		const char *slash = m->n_path ? memrchr(path, '/', m->n_path) : NULL, *base = slash ? slash + 1 : path;

		n = snprintf(text, sizeof(text), "%.*s+0x%" PRIx64, (int)(path + m->n_path - base), base,
			     loc->addr - m->start + m->offset);
	} else {
		n = snprintf(text, sizeof(text), "0x%" PRIx64, loc->addr);
	}
	return strings_add(&x->strings, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

static void trace_names_add_functions(struct trace_names *x, const struct table_loc *loc)
{
	struct snap_name name = { 0 };

	for (uint32_t i = 0; x->names && i < INLINED_MAX; i++) {
		uint32_t number;

		if (!x->names(x->names_arg, x->p, loc->addr, loc->map, i, &name) || !name.function)
			return;
		number = strings_add_text(&x->strings, name.function);
		trace_names_add(x, number, strings_add_text(&x->strings, name.file));
	}
}

static struct trace_location look_up_location(struct trace_names *x, uint32_t id)
{
	const struct table_loc *loc = (const struct table_loc *)x->p->table.loc.data + id;
	struct trace_location *k = &x->location[id];
	uint32_t at = (uint32_t)x->frame.n, n;
	struct trace_frame *f;

	if (k->at)
		return *k;
	if (id < N_PSEUDO_FRAMES)
		trace_names_add(x, strings_add_text(&x->strings, pseudo_frame_name[id]), 0);
	else
		trace_names_add_functions(x, loc);
	if (x->frame.n == at)
		trace_names_add(x, address_name(x, loc), 0);
	n = (uint32_t)x->frame.n - at;
	*k = (struct trace_location){ .at = at + 1, .n = n };
	/* add_functions adds the innermost first: reverse them */
	f = (struct trace_frame *)x->frame.data + at;
	for (uint32_t i = 0; i < n / 2; i++) {
		struct trace_frame t = f[i];

		f[i] = f[n - 1 - i];
		f[n - 1 - i] = t;
	}
	return *k;
}

void trace_names_push(struct trace_names *x, uint32_t frame)
{
	if (x->n < TRACE_STACK_MAX)
		x->stack[x->n++] = (struct slice_frame){ .id = trace_names_frame(x, frame)->name, .at = frame };
}

void trace_names_stack(struct trace_names *x, uint32_t at, uint32_t n)
{
	const uint32_t *frames = x->p->table.frames.data;

	x->n = 0;
	for (uint32_t i = n; i-- > 0;) {
		struct trace_location k = look_up_location(x, frames[at + i]);

		for (uint32_t f = 0; f < k.n; f++)
			trace_names_push(x, k.at - 1 + f);
	}
}

int trace_names_init(struct trace_names *x, const struct trace *t, snap_names_fn *names, void *names_arg)
{
	const char(*word)[TRACE_REASON_MAX] = t->reason.data, (*why)[KERNEL_NAME_MAX] = t->sched.why.data;

	*x = (struct trace_names){ .p = t->p, .names = names, .names_arg = names_arg };
	x->n_locations = t->p->table.loc.n;
	x->location = memory_map((x->n_locations + 1) * sizeof(*x->location));
	for (size_t i = 0; i < t->reason.n; i++) {
		char text[TRACE_REASON_MAX + 8];

		snprintf(text, sizeof(text), "wait: %s", word[i]);
		trace_names_add(x, strings_add_text(&x->strings, text), 0);
	}
	trace_names_add(x, strings_add_text(&x->strings, "ready (no CPU)"), 0);
	trace_names_add(x, strings_add_text(&x->strings, "wait"), 0);
	for (size_t i = 0; i < t->sched.why.n; i++) {
		char text[KERNEL_NAME_MAX + 8];

		snprintf(text, sizeof(text), "wait: %s", why[i]);
		trace_names_add(x, strings_add_text(&x->strings, text), 0);
	}
	return x->location && !x->failed ? 0 : -ENOMEM;
}

void trace_names_release(struct trace_names *x)
{
	strings_release(&x->strings);
	vec_release(&x->frame, sizeof(struct trace_frame));
	memory_unmap(x->location, (x->n_locations + 1) * sizeof(*x->location));
}
