/*
 * legacy.c - CPU profiles as gperftools writes them, for its clients
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Labels are lost, as are frames that are no code; a stack that has no other has the address 0, which readers show as
 * such. The first address is where the thread was, the others are behind the calls: readers subtract one from those.
 */
#include "config.h"

#include "libcpaprof/collector/legacy.h"

#include "libcpaprof/collector/collect_int.h"

#include <inttypes.h>
#include <stdio.h>

/* NO_CODE: what stands for a stack that begins nowhere. With 0 there google-pprof takes it for the end of all. */
enum { CHUNK = 512, LINE_MAX_SIZE = 64, NO_CODE = 1 };

struct writing {
	snap_sink_fn *sink;
	void *arg;
	int rc;
	size_t n;
	uint64_t word[CHUNK];
};

static void flush(struct writing *x)
{
	if (x->rc == 0 && x->n)
		x->rc = x->sink(x->arg, x->word, x->n * sizeof(*x->word));
	x->n = 0;
}

static void put(struct writing *x, uint64_t word)
{
	x->word[x->n++] = word;
	if (x->n == CHUNK)
		flush(x);
}

static void put_row(struct writing *x, const struct snap *s, const struct snap_row *row)
{
	struct snap_frame f;
	uint64_t n = 0;

	for (uint32_t k = 0; k < row->n; k++) {
		snap_frame(s, row, k, &f);
		n += !f.place;
	}
	put(x, (uint64_t)row->value[0]);
	put(x, n ? n : 1);
	if (n == 0)
		put(x, NO_CODE);
	n = 0;
	for (uint32_t k = 0; k < row->n; k++) {
		snap_frame(s, row, k, &f);
		if (!f.place)
			put(x, n++ ? f.addr + 1 : f.addr ? f.addr : NO_CODE);
	}
}

/* In the form of /proc/PID/maps, which all readers know. */
static void put_mappings(struct writing *x, const struct snap *s)
{
	const struct maps *maps = &s->p->maps;
	const struct map *m = maps->map.data;
	char line[LINE_MAX_SIZE];

	for (size_t i = 0; i < maps->map.n && x->rc == 0; i++, m++) {
		int n = snprintf(line, sizeof(line), "%" PRIx64 "-%" PRIx64 " r-xp %08" PRIx64 " 00:00 0 ", m->start,
				 m->limit, m->offset);

		x->rc = x->sink(x->arg, line, (size_t)n);
		if (x->rc == 0)
			x->rc = x->sink(x->arg, (const char *)maps->texts.data + m->path, m->n_path);
		if (x->rc == 0)
			x->rc = x->sink(x->arg, "\n", 1);
	}
}

int snap_legacy_write(const struct snap *s, snap_sink_fn *sink, void *arg)
{
	const struct snap_row *row = s->row.data;
	struct writing x = { .sink = sink, .arg = arg };

	put(&x, 0);
	put(&x, 3);
	put(&x, 0);
	put(&x, s->period / 1000);
	put(&x, 0);
	for (size_t i = 0; i < s->row.n; i++)
		if (row[i].value[0] > 0)
			put_row(&x, s, &row[i]);
	put(&x, 0);
	put(&x, 1);
	put(&x, 0);
	flush(&x);
	put_mappings(&x, s);
	return x.rc;
}
