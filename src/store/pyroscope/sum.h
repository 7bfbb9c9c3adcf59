/*
 * sum.h - one profile of the sums that servers of profiles return, which have one sample type each
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_PYROSCOPE_SUM_H
#define STORE_PYROSCOPE_SUM_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/stop.h"
#include "base/strtab.h"
#include "profile/profile.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A window in ms; both ends are included. */
struct pyro_span {
	int64_t start_ms, end_ms;
};

/* ---- series ---- */

/* A profile type. Strings are owned by the memory of the sets. */
struct pyro_column {
	const char *id, *type, *unit;
	bool is_delta; /* the server has the duration of these profiles */
};

struct pyro_set {
	const char *service, *kind;
	const struct store_label *label; /* [n_labels] sorted, without the service and names that begin with __ */
	size_t n_labels;
};

/* The series of a query, and their profile types. */
struct pyro_sets {
	struct arena *memory;
	struct pyro_column
		*column; /* [n_columns] distinct; those of one sample type are adjacent; "samples" is the first type */
	size_t n_columns, cap_columns;
	struct pyro_set *set; /* [n_sets] distinct */
	size_t n_sets, cap_sets;
	struct strtab *seen;
};

void pyro_sets_init(struct pyro_sets *s);
void pyro_sets_release(struct pyro_sets *s); /* also zero-initialised */

/* Add a profile type, or a series, if it is new. Strings are borrowed until pyro_sets_release. */
void pyro_sets_add_column(struct pyro_sets *s, const char *id, const char *type, const char *unit, bool is_delta);
void pyro_sets_add(struct pyro_sets *s, const char *kind, const char *service_label, const struct store_label *label,
		   size_t n);

/* Order the profile types. */
void pyro_sets_sort(struct pyro_sets *s);

/* The values of the labels to keep of a series: [q->n_keep]; "" for those it lacks. */
const struct store_label *pyro_keep_of(const struct store_query *q, const struct pyro_set *set, struct arena *mem);

/* Is a sample type a gauge, by its name? */
bool pyro_is_gauge(const char *type, const char *unit);

/* ---- sums ---- */

/* Refuse queries that need single profiles. system: "Pyroscope". Fails with ERR_USAGE. */
int pyro_check_query(const struct store_query *q, const char *system, struct err *err);

struct pyro_sum {
	const struct store_query *q;
	const char *system, *server; /* for messages */
	struct stop *stop;
	struct merger *merger; /* of a sample type; NULL: no profile yet, or only first */
	struct profile *first; /* the only profile of it so far */
	struct profile **part; /* [n_parts] a profile per sample type */
	size_t n_parts, cap_parts;
	struct buf snapshots; /* names of sample types that are left out */
};

void pyro_sum_init(struct pyro_sum *s, const struct store_query *q, const char *system, const char *server,
		   struct stop *stop);
void pyro_sum_release(struct pyro_sum *s);

/*
 * Add a profile with one sample type to its sum. Takes it over, also after a failure.
 *
 * keep   [q->n_keep] labels that its samples get; NULL: none
 * Fails  ERR_FORMAT for another number of sample types; as merger_add
 */
int pyro_sum_add(struct pyro_sum *s, struct profile *p, const struct store_label *keep, struct err *err);

/* End the sum of a sample type. It is left out if it is a sum of snapshots, or of a gauge, unless the query wants such sums. */
void pyro_sum_end(struct pyro_sum *s, const char *type, bool is_snapshots);

/* Make one profile of all sample types. Fails with ERR_IO if there is none, ERR_USAGE if all were left out. */
int pyro_sum_finish(struct pyro_sum *s, struct profile **out, struct err *err);

/* Describe what was read. */
void pyro_sum_describe(const struct pyro_sum *s, const struct pyro_sets *sets, const struct pyro_span *span,
		       struct store_sum *out);

#endif
