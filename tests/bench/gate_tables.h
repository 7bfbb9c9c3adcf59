/*
 * gate_tables.h - what gate_sim prints
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BENCH_GATE_TABLES_H
#define BENCH_GATE_TABLES_H

#include "tests/bench/gate_world.h"

/* Draw all trials of a scene on all processors. */
struct tally scene_run(const struct scene *s, unsigned trials);

double percent(unsigned n, unsigned of);

/* Say whether a goal is met; gives 1 when it is missed. */
int say_goal(const char *goal, double is, double at_most);

/* Each prints its table; gives 1 when a goal is missed. */
int table_alarms(unsigned trials);
int table_composition(unsigned trials);
int table_detection(unsigned trials);
int table_replicates(unsigned trials);

#endif
