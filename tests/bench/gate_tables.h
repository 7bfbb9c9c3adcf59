/*
 * gate_tables.h - tables of gate_sim
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BENCH_GATE_TABLES_H
#define BENCH_GATE_TABLES_H

#include "tests/bench/gate_world.h"

/* Run all trials of a scene on all processors. */
struct tally scene_run(const struct scene *s, unsigned trials);

double percent(unsigned n, unsigned of);

/* Print whether a goal is met. Returns 1 if it is missed. */
int print_goal(const char *goal, double is, double at_most);

/* Print a table. Returns 1 if a goal is missed. */
int table_alarms(unsigned trials);
int table_composition(unsigned trials);
int table_detection(unsigned trials);
int table_replicates(unsigned trials);
int table_lengths(unsigned trials);
int table_weights(unsigned trials);
int table_added(unsigned trials);
int table_renamed(unsigned trials);
int table_load(unsigned trials);

#endif
