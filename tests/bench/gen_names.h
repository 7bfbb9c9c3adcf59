/*
 * gen_names.h - names for the functions of a synthetic program
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_BENCH_GEN_NAMES_H
#define TESTS_BENCH_GEN_NAMES_H

#include "gen_world.h"

enum { NAME_BYTES = 256 };

/*
 * Make the name of a function, unique in the program.
 *
 * name     demangled
 * mangled  empty if it is the same
 */
void name_function(char name[NAME_BYTES], char mangled[NAME_BYTES], const struct world *w, uint32_t f);

/* Make the name of the source file of a function. */
void name_file(char out[NAME_BYTES], const struct world *w, uint32_t f);

/* Make the name of an HTTP route. */
void name_route(char out[NAME_BYTES], uint32_t i);

#endif
