/*
 * workspace_int.h - entries of a workspace, shared by its files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SESSION_WORKSPACE_INT_H
#define SESSION_WORKSPACE_INT_H

#include "session/workspace.h"

#include <pthread.h>

enum { WORKSPACE_DERIVED_MAX = 8 };

struct workspace_entry {
	struct open_profile o; /* first member, so a pointer to it is a pointer to the entry */
	struct workspace *workspace;
	char id[WORKSPACE_ID_LENGTH + 1]; /* empty until it is needed, then constant */
	bool has_fingerprint;
	uint64_t fingerprint;
	unsigned n_refs; /* the list has one while the profile is open */
	uint64_t used;   /* number of the last use */
	/* profiles that it was computed from; one reference each */
	struct workspace_entry *part[WORKSPACE_PROFILES_MAX];
	size_t n_parts;
	struct workspace_entry *next; /* in a list of entries to free */
};

/* A difference or a sum. */
struct workspace_derived {
	char *key;
	struct workspace_entry *e; /* NULL while a thread computes it */
};

struct workspace {
	pthread_mutex_t lock; /* guards everything below, and id, fingerprint, n_refs and used of the entries */
	pthread_cond_t derived_changed;
	struct workspace_entry *entry[WORKSPACE_PROFILES_MAX];
	size_t n;
	struct workspace_derived derived[WORKSPACE_DERIVED_MAX];
	size_t n_derived;
	uint64_t n_uses;
	uint64_t generation; /* changes with the list */
};

/* An entry with one reference, without id and fingerprint. Takes over l. */
struct workspace_entry *workspace_entry_new(struct workspace *w, struct load_result *l, const char *name,
					    enum open_origin origin);

/* Take a reference. The lock is held. */
struct open_profile *workspace_take(struct workspace *w, struct workspace_entry *e);

/* Release a reference. The lock is held. An entry without references is moved to the list, to be freed after unlocking. */
void workspace_unref(struct workspace_entry *e, struct workspace_entry **unused);
void workspace_free_entries(struct workspace_entry *unused);

/* Remove the differences and sums that were computed from e; all of them for NULL. The lock is held. */
void workspace_drop_derived(struct workspace *w, const struct workspace_entry *e, struct workspace_entry **unused);

#endif
