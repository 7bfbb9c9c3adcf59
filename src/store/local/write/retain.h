/*
 * retain.h - the time for which profiles are kept in each tier
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_WRITE_RETAIN_H
#define STORE_LOCAL_WRITE_RETAIN_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "store/local/format/segment.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The rules of a new store. */
#define RETAIN_DEFAULT "raw=14d 10m=90d 1h=400d 1d=3y"

/* A line: "{env=dev} raw=2d 1h=30d". */
struct retain_rule {
	struct store_label *label; /* [n_labels] all must be equal; none: the rule of all other series */
	size_t n_labels;
	int64_t keep_ns[N_TIERS]; /* the age up to which a tier is kept; 0: it is not used; INT64_MAX: for ever */
};

/* Zero-initialised, everything is kept as it is. */
struct retain {
	struct retain_rule *rule; /* [n] the first one that fits applies; the last one fits all */
	size_t n;
	struct arena *memory;
};

/*
 * Parse lines. A line without labels is needed once; without one, RETAIN_DEFAULT is added.
 *
 * Fails  ERR_USAGE, with what is wrong
 */
int retain_parse(const char *text, struct retain *out, struct err *err);
void retain_release(struct retain *r);

/* The rule of a series. */
const struct retain_rule *retain_find(const struct retain *r, const struct chapter *c, uint32_t series);

/* The tier for data of a tier and an age: itself, or a coarser one, or N_TIERS: it is not kept. */
enum store_tier retain_target(const struct retain_rule *rule, enum store_tier tier, int64_t age_ns);

/* Does a rule keep data of a tier and an age as it is? Does any rule keep it at all? */
bool retain_all_keep(const struct retain *r, enum store_tier tier, int64_t age_ns);
bool retain_none_keeps(const struct retain *r, enum store_tier tier, int64_t age_ns);

#endif
