/*
 * gate.h - the parts of the command gate
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_GATE_GATE_H
#define FRONT_CLI_GATE_GATE_H

#include "base/buf.h"
#include "base/err.h"
#include "front/cli/args.h"
#include "report/gate/gate.h"
#include "report/side.h"
#include "sources/load.h"

#include <stddef.h>

/* Check the options, before sources are read. Fails ERR_USAGE. */
int cmd_gate_check(const struct args *a, struct err *err);

/* Fail with ERR_USAGE if an output would overwrite one of the n sources. */
int cmd_gate_check_sources(const struct args *a, const char *const *source, size_t n, struct err *err);

/* Write the result to standard output or -o, and to all output files. Returns STATUS_FINE if everything was
   written. */
int cmd_gate_write(const struct gate *g, const struct args *a);

/*
 * Write the outcome ERROR to every output file, so that no result of an earlier run remains. The picture cannot show
 * an error, so it is removed. Profiles are never modified.
 *
 * from      the sources of the command line; empty sides if they are not known
 * why       the error message
 * is_final  also write to pipes, and to standard output if its format is for programs
 */
void cmd_gate_write_error(const struct args *a, const struct side_sources from[N_SIDES], const char *why,
			  bool is_final);

/* Remove a file that looks like a result of gate. */
void cmd_gate_discard_file(const char *file);

/* Do both names refer to the same regular file? */
bool cmd_gate_is_same_file(const char *a, const char *b);

/* Is the file the step summary of GitHub Actions, to which steps append? */
bool cmd_gate_is_summary(const char *file);

/* Is --flame given? Then the profiles of both sides must be retained until the picture is written. */
bool cmd_gate_wants_flame(const struct args *a);

/*
 * Write the picture of the difference.
 *
 * l       [from[SIDE_BASE].n + from[SIDE_NEW].n] the loaded profiles, the base first; only for sources_run_release
 *         afterwards
 * factor  factor of the new side that makes unchanged code equal on both sides; shown in the title
 * verdict verdict of the gate, for the title
 * Returns the exit status
 */
int cmd_gate_flame(struct source_run *l, const struct side_sources from[N_SIDES], double factor, const char *verdict,
		   const struct args *a);

/* Run a made-up case that must fail and one that must pass. Returns STATUS_FINE if they do, else STATUS_TROUBLE. */
int cmd_gate_self_test(const struct args *a);

#endif
