/*
 * fuzz_layout.c - any bytes as the output of dot -Tplain
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fuzz.h"

#include "viewers/graph/layout.h"

#include <math.h>

enum { LIMIT = 100000 * 72 }; /* points */

static void check_point(const struct layout_point *p, double height)
{
	if (!(fabs(p->x) <= LIMIT && fabs(height - p->y) <= LIMIT + 1))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct layout_box box[3] = { { .width = 72, .height = 36 } };
	struct layout_arrow arrow[] = { { .from = 0, .to = 1, .columns = 3, .lines = 1 },
					{ .from = 0, .to = 1, .columns = 3, .lines = 1 },
					{ .from = 1, .to = 2 },
					{ .from = 2, .to = 2, .columns = 2, .lines = 2 } };
	struct layout l = { .box = box, .n_boxes = 3, .arrow = arrow, .n_arrows = sizeof(arrow) / sizeof(arrow[0]) };
	struct bytes text = fuzz_bytes(data, size);
	struct arena *mem = arena_new();
	struct err err = { 0 };
	int rc = layout_read(&l, (const char *)text.data, size, mem, &err);

	if (rc < 0 && (rc != ERR_FORMAT || !*err.msg))
		abort();
	for (uint32_t i = 0; rc == 0 && i < l.n_boxes; i++)
		check_point(&box[i].at, l.height);
	for (uint32_t i = 0; rc == 0 && i < l.n_arrows; i++) {
		if (arrow[i].n_points < 4 || arrow[i].n_points % 3 != 1)
			abort();
		for (uint32_t k = 0; k < arrow[i].n_points; k++)
			check_point(&arrow[i].point[k], l.height);
	}
	arena_free(mem);
	free(text.data);
	return 0;
}
