/*
 * loaded.h - the profile that a command line is about
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_REPORT_LOADED_H
#define CLI_REPORT_LOADED_H

#include "answer/load.h"
#include "answer/sources.h"
#include "cli/args.h"
#include "profile/profile.h"
#include "report/side.h"

#include <stdbool.h>

struct subject {
	struct profile *profile; /* NULL when it could not be read, or nothing was named */
	struct profile *apart;   /* samples of the base keep apart, for flame graphs; NULL without a base */
	struct side_sources from[N_SIDES];
	struct load load[N_SIDES];
	struct sources side[N_SIDES];
	struct remote *remote;
};

/*
 * Read the sources and bases of a command line and say what there is to say about them.
 *
 * apart   whether apart is wanted
 * out     released with cmd_report_release, also after a failure
 * Gives   a status; STATUS_FINE with no profile when no source was named
 */
int cmd_report_load(const struct args *a, bool apart, struct subject *out);
void cmd_report_release(struct subject *s);

#endif
