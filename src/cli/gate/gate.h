/*
 * gate.h - the parts of the command gate
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_GATE_GATE_H
#define CLI_GATE_GATE_H

#include "answer/load_each.h"
#include "base/buf.h"
#include "base/err.h"
#include "cli/args.h"
#include "report/gate/gate.h"
#include "report/side.h"

#include <stddef.h>

/* Do the options ask for what a gate can give? To be asked before anything is read. Fails ERR_USAGE. */
int cmd_gate_check(const struct args *a, struct err *err);

/* Would an output be written over one of the n sources? Fails ERR_USAGE. */
int cmd_gate_check_sources(const struct args *a, const char *const *source, size_t n, struct err *err);

/* Write the answer to standard output or -o, and to all the files that were asked for. Gives the exit status of
   writing: STATUS_FINE when all is written. */
int cmd_gate_write(const struct gate *g, const struct args *a);

/* Is a picture wanted, too? Then the profiles of both sides must stay until it is written. */
bool cmd_gate_wants_flame(const struct args *a);

/*
 * Write the picture of the difference.
 *
 * l       [from[SIDE_BASE].n + from[SIDE_TARGET].n] the loaded profiles, the base first; good only for
 *         load_item_release afterwards
 * factor  what the new side is multiplied by, so that what did not change has the same size; told in the title
 * verdict of the gate, for the title
 * Gives   the exit status
 */
int cmd_gate_flame(struct load_item *l, const struct side_sources from[N_SIDES], double factor, const char *verdict,
		   const struct args *a);

/* Make a case that must fail and one that must pass; gives STATUS_FINE when they do, else STATUS_TROUBLE. */
int cmd_gate_self_test(const struct args *a);

#endif
