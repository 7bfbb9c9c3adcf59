/*
 * legacy.c - CPU profiles in the format of gperftools, for its clients
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The format has one value, a number of periods, which readers multiply by the period. It has neither numbers of
 * samples nor labels nor pseudo frames; a stack of only pseudo frames is written with the address NO_CODE. The first
 * address is that of the thread, the others are return addresses, from which readers subtract one.
 */
#include "config.h"

#include "libcpaprof/collector/legacy.h"

#include "libcpaprof/collector/collect_int.h"

#include <inttypes.h>
#include <stdio.h>

/* NO_CODE: the address written for a stack without code. google-pprof would take 0 for the end of the profile. */
enum { CHUNK = 512, LINE_MAX_SIZE = 64, NO_CODE = 1 };

struct legacy_writer {
	snap_sink_fn *sink;
	void *arg;
	int rc;
	size_t n;
	uint64_t word[CHUNK];
};

static void collector_legacy_flush(struct legacy_writer *x)
{
	if (x->rc == 0 && x->n)
		x->rc = x->sink(x->arg, x->word, x->n * sizeof(*x->word));
	x->n = 0;
}

static void collector_legacy_put(struct legacy_writer *x, uint64_t word)
{
	x->word[x->n++] = word;
	if (x->n == CHUNK)
		collector_legacy_flush(x);
}

static void put_row(struct legacy_writer *x, const struct snap *s, const struct snap_row *row)
{
	struct snap_frame f;
	uint64_t n = 0;

	for (uint32_t k = 0; k < row->n; k++) {
		snap_frame(s, row, k, &f);
		n += !f.pseudo;
	}
	collector_legacy_put(x, (uint64_t)row->value[1] / s->period);
	collector_legacy_put(x, n ? n : 1);
	if (n == 0)
		collector_legacy_put(x, NO_CODE);
	n = 0;
	for (uint32_t k = 0; k < row->n; k++) {
		snap_frame(s, row, k, &f);
		if (!f.pseudo)
			collector_legacy_put(x, n++ ? f.addr + 1 : f.addr ? f.addr : NO_CODE);
	}
}

/* Write the mappings in the format of /proc/PID/maps, which all readers support. */
static void put_mappings(struct legacy_writer *x, const struct snap *s)
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
	struct legacy_writer x = { .sink = sink, .arg = arg };

	collector_legacy_put(&x, 0);
	collector_legacy_put(&x, 3);
	collector_legacy_put(&x, 0);
	collector_legacy_put(&x, s->period / 1000);
	collector_legacy_put(&x, 0);
	for (size_t i = 0; i < s->row.n; i++)
		if (row[i].value[1] > 0)
			put_row(&x, s, &row[i]);
	collector_legacy_put(&x, 0);
	collector_legacy_put(&x, 1);
	collector_legacy_put(&x, 0);
	collector_legacy_flush(&x);
	put_mappings(&x, s);
	return x.rc;
}
