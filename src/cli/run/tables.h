/*
 * tables.h - the tables of the options of cpa run and cpa record
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_RUN_TABLES_H
#define CLI_RUN_TABLES_H

#include "cli/run/options.h"

#include <stddef.h>

/* The option of this name (n bytes), NULL when the command has none. */
const struct opt *run_tables_find(enum run_command which, const char *name, size_t n);

/* Set all fields to what they are without options. */
void run_tables_preset(enum run_command which, struct run_asked *to);

/* Is this an option of the server of cpa run? */
bool run_tables_is_profile(const char *name, size_t n);

/* Keep in mind that an option was given, where that alone says something. */
void run_tables_note(const struct opt *o, struct run_asked *to);

/* "run", "record" */
const char *run_tables_command(enum run_command which);

#endif
