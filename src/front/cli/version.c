/*
 * version.c - cpa version
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/opt.h"
#include "base/component.h"
#include "front/cli/cmd.h"
#include "front/cli/messages.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct opt options[] = {
	{ "verbose", OPT_BOOL, 0, 0, "false", NULL, 0, true, "also print which parts were built" },
	{ "help", OPT_BOOL, 0, 0, "false", NULL, 0, true, "print this help" },
};
enum { N_OPTIONS = sizeof(options) / sizeof(options[0]) };

const struct opt *cmd_version_option_at(size_t i)
{
	return i < N_OPTIONS ? &options[i] : NULL;
}

static void print_parts(void)
{
	for (size_t i = 0; i < n_components; i++) {
		const struct component *p = &components[i];

		printf("%-8s  %-7s  %s%s%s\n", p->name, *p->lacks ? "missing" : "built", p->text, *p->lacks ? ": " : "",
		       p->lacks);
	}
}

int cmd_version_print(void)
{
	puts(PACKAGE_STRING);
	puts("Follows google/pprof " PPROF_VERSION " of " PPROF_DATE ": its reports print the same.");
	return STATUS_FINE;
}

int cmd_version(int argc, char **argv)
{
	bool is_verbose = false;

	for (int i = 1; i < argc; i++) {
		const char *name = argv[i] + strspn(argv[i], "-");
		const struct opt *o = *argv[i] == '-' ? opt_find(options, N_OPTIONS, name, strlen(name)) : NULL;

		if (!o)
			return say_error("%s: cpa version takes only --verbose", argv[i]);
		if (o == &options[1]) {
			cmd_help_command("version");
			return STATUS_FINE;
		}
		is_verbose = true;
	}
	cmd_version_print();
	if (is_verbose)
		print_parts();
	return fflush(stdout) == 0 ? STATUS_FINE : say_error("standard output: %s", strerror(errno));
}
