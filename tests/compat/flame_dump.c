/*
 * flame_dump.c - print the boxes of a flame graph
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: flame_dump [-i] TYPE FILE [BASE]     TYPE: number of the sample type; -i: from the leaves
 *
 * Prints a line for each box but the root: before, after, self before, self after, width, then the names
 * from the root to it, with tabs between. Bytes that are not plain characters are printed as \xNN. No box is omitted.
 */
#include "config.h"

#include "engine/query.h"
#include "report/flame.h"
#include "sources/sides.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_name(const char *name)
{
	putchar('\t');
	for (; *name; name++) {
		if (*name > ' ' && *name < 0x7f && *name != '\\')
			putchar(*name);
		else
			printf("\\x%02x", (unsigned char)*name);
	}
}

static void print_way(const struct flame *f, uint32_t box)
{
	if (f->parent[box] == FLAME_NONE)
		return;
	print_way(f, f->parent[box]);
	print_name(f->frame[box] == FLAME_NONE ? "(rest)" : f->frames[f->frame[box]].name);
}

static void print_boxes(const struct flame *f)
{
	for (uint32_t i = 1; i < f->n; i++) {
		printf("%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64,
		       f->has_base ? f->total[SIDE_BASE][i] : 0, f->total[SIDE_NEW][i],
		       f->has_base ? f->self[SIDE_BASE][i] : 0, f->self[SIDE_NEW][i], f->width[i]);
		print_way(f, i);
		putchar('\n');
	}
}

static int dump(const struct query *q, struct source_set *target, struct source_set *base, struct err *err)
{
	const struct flame_options ask = { .max_levels = 1000000 };
	struct arena *mem = arena_new();
	struct profile *p = NULL;
	struct buf notes = { 0 };
	struct report r;
	struct view v;
	int rc = sides_read(target, base, &p, NULL, err);

	if (rc == 0)
		rc = view_make(p, &q->filter, mem, &v, &notes, err);
	if (rc == 0)
		rc = report_flame_make(&v, q, &ask, &r, err);
	if (rc == 0) {
		print_boxes(r.flame);
		report_release(&r);
	}
	buf_release(&notes);
	arena_free(mem);
	profile_free(p);
	return rc;
}

int main(int argc, char **argv)
{
	bool inverted = argc > 1 && strcmp(argv[1], "-i") == 0;
	const char *const *word = (const char *const *)argv + 1 + inverted;
	int n = argc - 1 - inverted;
	struct query q;
	struct source_set target = { .kind = "source", .q = &q }, base = { .kind = "base", .q = &q };
	struct err err;
	int rc;

	if (n < 2 || n > 3) {
		fputs("usage: flame_dump [-i] TYPE FILE [BASE]\n", stderr);
		return 2;
	}
	query_init(&q);
	q.sample_index = word[0];
	q.symbolize = "none";
	q.inverted = inverted;
	q.keep_base = true;
	q.trim = false;
	query_apply_defaults(&q, &(struct query_defaults){ .trims_by_width = true });
	target.source = word + 1;
	base.source = word + 2;
	target.n = 1;
	base.n = n == 3;
	rc = dump(&q, &target, &base, &err);
	if (rc < 0)
		fprintf(stderr, "%s\n", err.msg);
	buf_release(&target.notes);
	buf_release(&target.info);
	buf_release(&base.notes);
	buf_release(&base.info);
	query_release(&q);
	return rc < 0 ? 2 : 0;
}
