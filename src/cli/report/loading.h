/*
 * loading.h - several profiles that stay apart, read side by side
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_REPORT_LOADING_H
#define CLI_REPORT_LOADING_H

#include "answer/load.h"
#include "base/err.h"

#include <stddef.h>

/* One profile, of one source or of several merged ones. */
struct loading {
	struct load load;
	struct profile *profile; /* NULL when it could not be read */
	struct err err;          /* why */
};

/* Load each of n, at most as many at once as there are threads. Those that were fetched are saved. */
void cmd_report_loading_run(struct loading *l, size_t n);

/*
 * Say what went wrong with one, if anything.
 *
 * Gives   the exit status
 */
int cmd_report_loading_tell(const struct loading *l);

/* Free the profile and the notes. */
void cmd_report_loading_release(struct loading *l);

#endif
