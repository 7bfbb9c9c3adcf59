/*
 * epoch.h - the dictionaries of a store in ClickHouse, as far as they are needed
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_CLICKHOUSE_EPOCH_H
#define STORE_CLICKHOUSE_EPOCH_H

#include "base/err.h"
#include "base/stop.h"
#include "profile/keys.h"
#include "store/clickhouse/server.h"
#include "store/local/format/dict.h"

#include <stddef.h>
#include <stdint.h>

/* Numbers of the server, by which an entry of the dictionary is found; PROFILE_NONE: it is not known. */
struct click_ids {
	uint32_t *id; /* [n] */
	size_t n, cap;
};

/* An epoch: entries of a service, which never change. */
struct click_dictionary {
	char *service;
	uint64_t epoch;
	struct dict d;
	struct click_ids rows, locs, maps, metas;
	struct keys funcs, nodes, labels, sets;
};

struct click_dictionary *click_dictionary_new(const char *service, uint64_t epoch);
void click_dictionary_free(struct click_dictionary *e);

/*
 * Read the metas and mappings, and those of the rows that are not known yet.
 *
 * row    [n] ascending, distinct
 * meta   the largest that is needed
 * Fails  ERR_FORMAT when an entry does not exist, or is damaged; ERR_IO, ERR_LIMIT, ERR_STOPPED
 */
int click_dictionary_load(struct click_dictionary *e, struct click_server *s, const uint32_t *row, size_t n,
			  uint32_t meta, struct stop *stop, struct err *err);

/* The entry of a number; PROFILE_NONE if it is not known. */
static inline uint32_t click_ids_get(const struct click_ids *x, uint32_t number)
{
	return number < x->n ? x->id[number] : PROFILE_NONE;
}

#endif
