/*
 * location_table.h - mappings and locations of formats whose frames have addresses, each once
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_COMMON_LOCATION_TABLE_H
#define FORMATS_COMMON_LOCATION_TABLE_H

#include "formats/common/format.h"
#include "profile/builder.h"

struct location_table;

/* b: borrowed. Freed with location_table_free, which takes NULL. */
struct location_table *location_table_new(struct builder *b, const struct format_options *options);
void location_table_free(struct location_table *t);

/*
 * The id of a mapping, and of a location. Mappings with equal ranges, offset, file and build id are one; m->id is ignored.
 *
 * map     id of a mapping, or PROFILE_NONE
 * lines   [n] innermost first
 * Fails   ERR_LIMIT for more than options->max_count mappings or locations
 */
int location_table_mapping(struct location_table *t, const struct mapping *m, uint32_t *out, struct err *err);
int location_table_location(struct location_table *t, uint32_t map, uint64_t addr, const struct builder_line *lines,
			    size_t n, uint32_t *out, struct err *err);

#endif
