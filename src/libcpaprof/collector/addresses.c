/*
 * addresses.c - snaps of bare addresses
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/addresses.h"

#include "libcpaprof/collector/process.h"

#include <errno.h>
#include <stdio.h>

enum { ROWS_MAX = 1 << 24 };

struct address_snap {
	struct snap s; /* first */
	struct process p;
};

int addresses_open(const struct process *p, const uint64_t *addr, size_t n, struct snap **out)
{
	struct address_snap *a = memory_map(sizeof(*a));
	struct snap_row *row;

	if (!a)
		return -ENOMEM;
	a->p = (struct process){
		.is_used = true, .is_verified = p->is_verified, .has_ended = p->has_ended, .pid = p->pid, .pidfd = -1
	};
	maps_copy(&a->p.maps, &p->maps);
	a->s = (struct snap){ .kind = SNAP_CUSTOM, .p = &a->p, .period = 1 };
	snprintf(a->s.name, sizeof(a->s.name), "addresses");
	row = vec_reserve(&a->s.row, n, sizeof(*row), ROWS_MAX);
	for (size_t i = 0; row && i < n; i++) {
		row[i] = (struct snap_row){ .n = 1, .value = { 1 } };
		if (!table_add_frames(&a->p.table, &addr[i], 1, &row[i].at))
			row = NULL;
	}
	if (n && !row) {
		addresses_close(&a->s);
		return -ENOMEM;
	}
	a->s.row.n = n;
	collect_find_mappings(&a->p, true);
	*out = &a->s;
	return 0;
}

void addresses_close(struct snap *s)
{
	struct address_snap *a = (struct address_snap *)s;

	if (!a)
		return;
	vec_release(&a->s.row, sizeof(struct snap_row));
	table_release(&a->p.table);
	maps_release(&a->p.maps);
	memory_unmap(a, sizeof(*a));
}
