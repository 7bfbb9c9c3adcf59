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

#include "libcpaprof/collector/write/write.h"

#include "libcpaprof/collector/process.h"
#include "libcpaprof/collector/write/stream.h"

#include <inttypes.h>

/* NO_CODE: the address written for a stack without code. google-pprof would take 0 for the end of the profile. */
enum { NO_CODE = 1 };

static void collector_legacy_put(struct stream *x, uint64_t word)
{
	stream_put(x, &word, sizeof(word));
}

static void put_row(struct stream *x, const struct snap *s, const struct snap_row *row)
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
static void put_mappings(struct stream *x, const struct snap *s)
{
	const struct maps *maps = &s->p->maps;
	const struct map *m = maps->map.data;

	for (size_t i = 0; i < maps->map.n; i++, m++) {
		stream_add(x, "%" PRIx64 "-%" PRIx64 " r-xp %08" PRIx64 " 00:00 0 ", m->start, m->limit, m->offset);
		stream_put(x, (const char *)maps->texts.data + m->path, m->n_path);
		stream_put(x, "\n", 1);
	}
}

int write_snap_legacy(const struct snap *s, snap_sink_fn *sink, void *arg)
{
	const struct snap_row *row = s->row.data;
	struct stream x = { .sink = sink, .arg = arg };

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
	put_mappings(&x, s);
	stream_flush(&x);
	return x.error;
}
