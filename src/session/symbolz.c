/*
 * symbolz.c - names from the server that a profile was fetched from
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "session/symbolz.h"

bool symbolz_can(const struct load *target, const struct load *base)
{
	(void)target;
	(void)base;
	return false;
}

int symbolz_run(struct profile *p, const struct load *target, const struct load *base, bool force, struct buf *notes,
		struct err *err)
{
	(void)p;
	(void)target;
	(void)base;
	(void)force;
	(void)notes;
	(void)err;
	return 0;
}
