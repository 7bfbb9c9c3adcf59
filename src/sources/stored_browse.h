/*
 * stored_browse.h - the content of a store, for front ends in which a user chooses a window
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SOURCES_STORED_BROWSE_H
#define SOURCES_STORED_BROWSE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/stop.h"
#include "sources/stored_totals.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct query;

enum { STORED_VALUES_MAX = 500, STORED_CHOICE_LABELS_MAX = 32 };

/* A store. Strings are borrowed. */
struct stored_place {
	const char *where;     /* as in store:WHERE#...; "" for the default */
	const struct query *q; /* --store */
};

/* A label of the series of a service, with its values, sorted; at most STORED_VALUES_MAX. */
struct stored_label {
	const char *name;
	const char **value; /* [n] */
	size_t n;
	bool has_more;
};

struct stored_service {
	const char *name;
	const char **kind; /* [n_kinds] sorted */
	size_t n_kinds;
	struct stored_label *label; /* [n_labels] sorted by name */
	size_t n_labels;
	int64_t first_ns, last_ns; /* starts of its first and last profile */
	uint64_t profiles;
};

struct stored_catalogue {
	struct arena *memory;
	struct stored_service *service; /* [n] sorted by name */
	size_t n;
};

/* List what a store contains. out is released with stored_catalogue_release, also after a failure. Fails as store_open. */
int stored_catalogue_read(const struct stored_place *place, struct stored_catalogue *out, struct err *err);
void stored_catalogue_release(struct stored_catalogue *c);

/* The service with this name, NULL if there is none; for "" the service with the newest profile. */
const struct stored_service *stored_catalogue_find(const struct stored_catalogue *c, const char *name);

/* The kind to show first: cpu if the service has it. */
const char *stored_service_kind(const struct stored_service *s);

/* Profiles of a service, in a window. Strings are borrowed. */
struct stored_choice {
	const char *service, *kind;
	struct {
		const char *name, *value;
	} label[STORED_CHOICE_LABELS_MAX]; /* [n_labels] values that series must have */
	size_t n_labels;
	int64_t t0, t1; /* [t0, t1) */
};

/* Append the source of a choice: store:shop/cpu{env=prod}@2026-11-22T14:00:00Z..2026-11-22T15:00:00Z. */
void stored_choice_print(const struct stored_place *place, const struct stored_choice *c, struct buf *out);

/* Add up the profiles of a choice in steps; those of a cumulative type only if it is the chosen one, see stored_totals_find.
   Fails as stored_totals_read. */
int stored_choice_totals(const struct stored_place *place, const struct stored_choice *c, int64_t step_ns,
			 const char *type, struct stop *stop, struct stored_totals *out, struct err *err);

/* Call fn for the marks of a service in a window, oldest first; of all services if the choice has none. */
typedef void stored_mark_fn(void *arg, const char *service, int64_t time_ns, const char *kind, const char *text);
int stored_choice_marks(const struct stored_place *place, const struct stored_choice *c, stored_mark_fn *fn, void *arg,
			struct err *err);

/* The start of a program that shows a store. Released with stored_start_release. */
struct stored_start {
	struct buf where;  /* for struct stored_place */
	struct buf source; /* the source to load first */
	struct buf service, kind;
	bool has_window; /* did the argument name a window? */
};

/*
 * Does an argument name a store of this machine? "store:" and "store:DIR#" alone do, too.
 *
 * Returns false if not; there is no error then
 */
bool stored_start_is_store(const char *argument);

/*
 * Choose the source to load first: the argument; but if it names no service, that of the newest profile, and if it names
 * no window and the last hour has no profile, the hour up to the last one.
 *
 * out    released with stored_start_release, also after a failure
 * Fails  ERR_USAGE; as store_open; ERR_IO when the store is empty
 */
int stored_start_find(const char *argument, const struct query *q, struct stored_start *out, struct err *err);
void stored_start_release(struct stored_start *s);

#endif
