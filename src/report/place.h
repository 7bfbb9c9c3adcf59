/*
 * place.h - function, file, line or address of report rows
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_PLACE_H
#define REPORT_PLACE_H

#include "engine/places.h"
#include "report/report.h"

/* Makes the struct row_place of rows. A file name that many places share is copied once. */
struct row_places {
	const struct places *places;
	struct arena *mem;
	const char **file; /* [files] NULL until used */
};

/* The results refer to mem and to the profile, not to the places. */
void row_places_init(struct row_places *r, const struct places *pl, struct arena *mem);

struct row_place row_places_of(struct row_places *r, uint32_t place);

#endif
