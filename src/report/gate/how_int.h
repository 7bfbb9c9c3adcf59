/*
 * how_int.h - between the options of a gate and its file
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_GATE_HOW_INT_H
#define REPORT_GATE_HOW_INT_H

#include "report/gate/how.h"

/*
 * Set what an option and a line of the file can both set: threshold, confidence, ...
 *
 * name    as in the table of options, with - for _
 * what    what sentences begin with: "--threshold=" or "threshold "
 * Fails   ERR_USAGE; ERR_UNKNOWN without a sentence when a file cannot set that
 */
int gate_how_set(struct gate_how *how, const char *name, const char *what, const char *value, struct err *err);

/*
 * Add a rule whose expression is compiled here; of GATE_RENAME it has to match the whole name.
 *
 * rule    all but regex; texts are copied
 * Fails   ERR_USAGE in the words of the expression
 */
int gate_how_rule(struct gate_how *how, struct gate_rule rule, struct err *err);

/* Add the rules of options: --limit=REGEX=50%, parted at the last "=", and --rename=OLD=NEW, at the first. */
int gate_how_rules(const struct query *q, struct gate_how *how, struct err *err);

/* The amount of a limit, budget or noise. Fails as gate_percent, or when the kind cannot have so much. */
int gate_how_amount(enum gate_rule_kind kind, const char *text, const char *what, double *out, struct err *err);

/*
 * Read the lines of a gate.cpa.
 *
 * text    n bytes
 * name    what sentences call the file
 * today   "2026-11-22"
 * Fails   ERR_USAGE, naming file and line; ERR_LIMIT
 */
int gate_config_read(struct gate_how *how, const char *text, size_t n, const char *name, const char *today,
		     struct err *err);

#endif
