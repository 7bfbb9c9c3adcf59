/*
 * workspace.h - the open profiles of a server
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Any thread may call these functions. A profile that is closed stays in memory until the last request that uses it
 * has released it.
 */
#ifndef SESSION_WORKSPACE_H
#define SESSION_WORKSPACE_H

#include "base/err.h"
#include "base/stop.h"
#include "profile/profile.h"
#include "sources/load.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WORKSPACE_PROFILES_MAX = 16, WORKSPACE_ID_LENGTH = 8 };

enum open_origin { OPEN_COMMAND_LINE, OPEN_FOLDER, OPEN_UPLOAD, OPEN_CAPTURE, OPEN_MERGE, OPEN_STORE, OPEN_SOURCE };

/* An open profile. Everything is constant while a reference is held. */
struct open_profile {
	uint64_t number;  /* no other profile of the process has it */
	const char *name; /* shown to users: the file, the URL, or the name of the uploaded file; untrusted */
	enum open_origin origin;
	bool is_uploaded;          /* is it, or one of the profiles that it was made of, an upload? */
	int64_t opened_ns;         /* time of day when it was opened */
	struct load_result loaded; /* loaded.profile is not NULL */
	const struct profile *p;   /* the profile of reports: loaded.profile */
};

/* A difference to compute. */
struct workspace_difference {
	struct open_profile *base, *new;
	const char *normalize; /* as -normalize; "" for none */
	bool intersect_types;  /* as -intersect_types */
};

struct workspace;

struct workspace *workspace_new(void);
/* Free a workspace without references to its profiles. NULL is allowed. */
void workspace_free(struct workspace *w);

/*
 * Open a profile: take over l. If a profile with the same content is open, l is released and that one is returned; with
 * OPEN_SOURCE only if it has the same name.
 * When WORKSPACE_PROFILES_MAX are open, the least recently used one that is not from the command line is closed.
 *
 * name    copied
 * out     one reference
 * Fails   ERR_LIMIT if too many profiles of the command line are open
 */
int workspace_open(struct workspace *w, struct load_result *l, const char *name, enum open_origin origin,
		   struct open_profile **out, struct err *err);

/* The profile with this id, or the first one of the command line for NULL or ""; one reference. NULL if there is none. */
struct open_profile *workspace_get(struct workspace *w, const char *id);

/*
 * The id of a profile: WORKSPACE_ID_LENGTH hexadecimal digits of a hash of its content, stable over restarts. It is
 * computed when it is needed for the first time, because all columns are read for it, and a single profile often needs none.
 *
 * Returns  a text that is valid while a reference is held
 */
const char *workspace_id(const struct open_profile *o);

/* The profile_fingerprint of a profile; 0 for differences and sums that are not in the list. */
uint64_t workspace_fingerprint(const struct open_profile *o);

/* Take another reference. */
void workspace_ref(struct workspace *w, struct open_profile *o);

/* Release a reference. NULL is allowed. */
void workspace_put(struct workspace *w, struct open_profile *o);

/* References to all open profiles, in the order they were opened. Returns their number. */
size_t workspace_list(struct workspace *w, struct open_profile *out[WORKSPACE_PROFILES_MAX]);

/*
 * The difference of two open profiles, as loaded with -base: p is the difference, loaded.sides has the samples of both.
 * It is computed once and kept while both are open.
 *
 * stop    cancels the computation
 * out     one reference
 * Fails   as sides_make, sides_join
 */
int workspace_get_difference(struct workspace *w, const struct workspace_difference *d, struct stop *stop,
			     struct open_profile **out, struct err *err);

/*
 * The sum of n open profiles. It is computed once and kept while all are open.
 *
 * out     one reference; the profile itself if n is 1
 * Fails   as profile_merge; ERR_STOPPED
 */
int workspace_get_sum(struct workspace *w, struct open_profile *const *part, size_t n, struct stop *stop,
		      struct open_profile **out, struct err *err);

/* Does the profile have a base, from the command line? */
bool workspace_has_base(const struct open_profile *o);

/*
 * One side of a profile with a base, as sides_split. It is computed once and kept while the profile is open.
 *
 * out     one reference
 * Fails   ERR_STOPPED
 */
int workspace_get_side(struct workspace *w, struct open_profile *o, enum side side, struct stop *stop,
		       struct open_profile **out, struct err *err);

/* Open the sum of n >= 2 profiles as a profile of its own. Fails as profile_merge, workspace_open. */
int workspace_open_sum(struct workspace *w, struct open_profile *const *part, size_t n, struct stop *stop,
		       struct open_profile **out, struct err *err);

/* A number that changes whenever a profile is opened or closed. */
uint64_t workspace_generation(struct workspace *w);

/* Close a profile. Returns false if the id is unknown or the profile is from the command line. */
bool workspace_close(struct workspace *w, const char *id);

#endif
