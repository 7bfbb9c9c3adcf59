/*
 * field_order.h - check the order of the fields of a written profile.proto
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef UNIT_FIELD_ORDER_H
#define UNIT_FIELD_ORDER_H

#include "formats/pprof/cursor.h"
#include "wire/profile_fields.h"

/* Fail if a field of data [n], except source texts, follows the first sample. */
static inline void assert_tables_precede_samples(const void *data, size_t n)
{
	struct cursor c = { .at = data, .end = (const uint8_t *)data + n };
	struct field f;
	bool any = false;

	while (cursor_field(&c, &f)) {
		any |= f.number == PROFILE_SAMPLE;
		if (any && f.number != PROFILE_SAMPLE && f.number < PROFILE_SOURCE_FILE)
			fail_msg("field %u after a sample", (unsigned)f.number);
	}
	assert_null(c.error);
}

#endif
