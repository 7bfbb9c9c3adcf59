/*
 * options.h - the command line of cpa collect
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_COLLECT_OPTIONS_H
#define FRONT_CLI_COLLECT_OPTIONS_H

#include "base/err.h"
#include "base/opt.h"
#include "scrape/scrape_config.h"

#include <stdbool.h>
#include <stdint.h>

/* The options as given. Texts are borrowed from argv. */
struct collect_args {
	struct scrape_arguments arguments;
	const char *file; /* collect.cpa; NULL: none */
	struct opt_list label, keep_label, listen, target;
	const char *grace;
	int64_t grace_ns;
	bool once, check, status, json, help;
};

/*
 * Parse the arguments, which begin with the name of the command.
 *
 * out    released with cmd_collect_options_release, even on failure
 * Fails  ERR_USAGE
 */
int cmd_collect_options_parse(int argc, char **argv, struct collect_args *out, struct err *err);
void cmd_collect_options_release(struct collect_args *a);

#endif
