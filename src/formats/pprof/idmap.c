/*
 * idmap.c - map the ids of a file to indices of a column
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/pprof/proto_int.h"

#include "base/hash.h"
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

static bool direct_init(struct idmap *m, uint64_t *duplicate)
{
	m->direct = mem_zalloc((size_t)m->direct_end, sizeof(*m->direct));
	for (size_t i = 0; i < m->n; i++) {
		uint32_t *slot = &m->direct[m->id[i]];

		if (*slot) {
			*duplicate = m->id[i];
			return false;
		}
		*slot = (uint32_t)i + 1;
	}
	return true;
}

static bool sparse_init(struct idmap *m, uint64_t *duplicate)
{
	idtab_init(&m->sparse, m->n);
	for (size_t i = 0; i < m->n; i++) {
		if (idmap_find(m, m->id[i]) != IDMAP_NONE) {
			*duplicate = m->id[i];
			return false;
		}
		idtab_put(&m->sparse, hash_u64(m->id[i]), (uint32_t)i);
	}
	return true;
}

bool idmap_init(struct idmap *m, const uint64_t *id, size_t n, uint64_t *duplicate)
{
	uint64_t max = 0;

	assert(duplicate && (id || n == 0));
	*m = (struct idmap){ .n = n, .id = id, .sequential = true };
	for (size_t i = 0; i < n; i++) {
		if (id[i] == 0) {
			*duplicate = 0;
			return false;
		}
		if (id[i] != i + 1)
			m->sequential = false;
		if (id[i] > max)
			max = id[i];
	}
	if (m->sequential)
		return true;
	if (max < 4 * (uint64_t)n + 1024) {
		m->direct_end = max + 1;
		return direct_init(m, duplicate);
	}
	return sparse_init(m, duplicate);
}

void idmap_release(struct idmap *m)
{
	free(m->direct);
	idtab_release(&m->sparse);
}

uint32_t idmap_find(const struct idmap *m, uint64_t id)
{
	uint64_t h = hash_u64(id);
	uint32_t i;

	if (m->direct)
		return id < m->direct_end ? m->direct[id] - 1 : IDMAP_NONE;
	for (size_t pos = idtab_start(&m->sparse, h); idtab_next(&m->sparse, h, &pos, &i);)
		if (m->id[i] == id)
			return i;
	return IDMAP_NONE;
}
