/*
 * trace_names.c - the functions of the stacks of a timeline
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each location is looked up once. Two of one function have the same number of its name, so that a slice goes
 * on while the function is at different places.
 */
#include "config.h"

#include "libcpaprof/collector/trace_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { INLINED_MOST = 64, FRAMES_MOST = 1 << 24, PLACE_TEXT = 1100 };

/* Those of a location, outermost first: frames [at - 1, at - 1 + n). at 0: not looked up yet. */
struct trace_known {
	uint32_t at, n;
};

static void add(struct trace_names *x, uint32_t name, uint32_t file)
{
	struct trace_frame *f = vec_room(&x->frame, 1, sizeof(*f), FRAMES_MOST);

	if (!f) {
		x->failed = true;
		return;
	}
	*f = (struct trace_frame){ .name = name, .file = file };
	x->frame.n++;
}

/* Of an address without a name: where it is in its file. */
static uint32_t place_name(struct trace_names *x, const struct table_loc *loc)
{
	const struct maps *maps = &x->p->maps;
	char text[PLACE_TEXT];
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

static void add_functions(struct trace_names *x, const struct table_loc *loc)
{
	struct snap_name name = { 0 };

	for (uint32_t i = 0; x->names && i < INLINED_MOST; i++) {
		uint32_t number;

		if (!x->names(x->names_arg, x->p, loc->addr, loc->map, i, &name) || !name.function)
			return;
		number = strings_put(&x->strings, name.function);
		add(x, number, strings_put(&x->strings, name.file));
	}
}

static struct trace_known know(struct trace_names *x, uint32_t id)
{
	const struct table_loc *loc = (const struct table_loc *)x->p->table.loc.data + id;
	struct trace_known *k = &x->known[id];
	uint32_t at = (uint32_t)x->frame.n, n;
	struct trace_frame *f;

	if (k->at)
		return *k;
	if (id < N_PLACES)
		add(x, strings_put(&x->strings, table_place_name[id]), 0);
	else
		add_functions(x, loc);
	if (x->frame.n == at)
		add(x, place_name(x, loc), 0);
	n = (uint32_t)x->frame.n - at;
	*k = (struct trace_known){ .at = at + 1, .n = n };
	/* the innermost came first */
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
	if (x->n < TRACE_STACK_MOST)
		x->stack[x->n++] = (struct slice_frame){ .id = trace_names_frame(x, frame)->name, .at = frame };
}

void trace_names_stack(struct trace_names *x, uint32_t at, uint32_t n)
{
	const uint32_t *frames = x->p->table.frames.data;

	x->n = 0;
	for (uint32_t i = n; i-- > 0;) {
		struct trace_known k = know(x, frames[at + i]);

		for (uint32_t f = 0; f < k.n; f++)
			trace_names_push(x, k.at - 1 + f);
	}
}

int trace_names_init(struct trace_names *x, const struct trace *t, snap_names_fn *names, void *names_arg)
{
	const char(*word)[TRACE_WORD_MAX] = t->word.data;

	*x = (struct trace_names){ .p = t->p, .names = names, .names_arg = names_arg };
	x->n_known = t->p->table.loc.n;
	x->known = memory_map((x->n_known + 1) * sizeof(*x->known));
	for (size_t i = 0; i < t->word.n; i++) {
		char text[TRACE_WORD_MAX + 8];

		snprintf(text, sizeof(text), "wait: %s", word[i]);
		add(x, strings_put(&x->strings, text), 0);
	}
	return x->known && !x->failed ? 0 : -ENOMEM;
}

void trace_names_release(struct trace_names *x)
{
	strings_release(&x->strings);
	vec_release(&x->frame, sizeof(struct trace_frame));
	memory_unmap(x->known, (x->n_known + 1) * sizeof(*x->known));
}
