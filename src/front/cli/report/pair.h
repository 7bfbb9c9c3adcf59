/*
 * pair.h - split the sources of a command line into base and new
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_REPORT_PAIR_H
#define FRONT_CLI_REPORT_PAIR_H

#include "front/cli/args.h"
#include "profile/profile.h"
#include "report/side.h"
#include "sources/sources.h"

struct pair {
	struct sources source[N_SIDES];
	struct side_sources from[N_SIDES]; /* the sources of each side, borrowed from source */
	struct side_traffic traffic[N_SIDES];
	struct arena *mem;
};

/*
 * Find the sides of "-base=OLD NEW...", of "OLD NEW" and of "OLD... -- NEW...", and expand patterns.
 * Prints errors.
 *
 * usage   end of the message about a missing side
 * out     released with cmd_report_pair_release, also after a failure
 * Returns the exit status
 */
int cmd_report_pair_find(const struct args *a, const char *usage, struct pair *out);
void cmd_report_pair_release(struct pair *p);

#endif
