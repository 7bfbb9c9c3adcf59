/*
 * names.h - the names of Pyroscope: kinds of profiles, profile types, label selectors
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A series of Pyroscope has the label __name__ and one sample type; a series of ours has a kind and all sample types of its
 * profiles. The id of a profile type is NAME:TYPE:UNIT:PERIOD_TYPE:PERIOD_UNIT, "process_cpu:cpu:nanoseconds:cpu:nanoseconds".
 */
#ifndef STORE_PYROSCOPE_NAMES_H
#define STORE_PYROSCOPE_NAMES_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- kinds and profile types ---- */

/* The kind of profiles with a label __name__; NULL for names that Pyroscope's clients do not use. */
const char *pyro_kind_of_name(const char *name);

/* The label __name__ of a kind: "process_cpu" of "cpu"; the kind itself if Pyroscope has no other name. */
const char *pyro_name_of_kind(const char *kind);

/* The names that clients of Pyroscope use for a kind, by number from 0; NULL after the last one. */
const char *pyro_name_at(const char *kind, size_t i);

/* A profile type. */
struct pyro_type {
	const char *name, *type, *unit, *period_type, *period_unit;
};

/* The profile type of a sample type of a kind. The strings are those passed, and constants; the period is "" if none is known. */
struct pyro_type pyro_make_type(const char *kind, const char *type, const char *unit);

/* Append the id of a profile type. */
void pyro_add_id(const struct pyro_type *t, struct buf *out);

/* Parse an id, with or without ":delta" at its end. Fails with ERR_USAGE. */
int pyro_parse_id(const char *id, struct arena *mem, struct pyro_type *out, struct err *err);

/* ---- selectors ---- */

/*
 * Parse a selector, {service_name="shop",route=~"/a.*"}; "" has no conditions. The expressions are not compiled.
 *
 * mem     owns the strings and the array
 * match   out: [*n]
 * Fails   ERR_USAGE: "character 17: ..."
 * Like    Prometheus promql/parser, ParseMetricSelector; names may have dots
 */
int pyro_parse_selector(const char *text, struct arena *mem, struct label_match **match, size_t *n, struct err *err);

/* Append a pattern with * and ? as an expression. */
void pyro_add_pattern(const char *pattern, struct buf *out);

/* Append NAME, OPERATOR and VALUE of a condition, quoted as Prometheus reads it. */
void pyro_add_match(const char *name, enum match_op op, const char *value, struct buf *out);

#endif
