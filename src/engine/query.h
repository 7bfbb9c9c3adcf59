/*
 * query.h - the query of a command line: a field per option
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_QUERY_H
#define ENGINE_QUERY_H

#include "base/err.h"
#include "engine/query_draw.h"
#include "engine/query_filter.h"
#include "engine/query_load.h"
#include "engine/query_report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One field per option; the texts are borrowed from the command line. The fields of a part can be read without its name:
 * q->focus is q->filter.focus. A module that needs one part takes that part, and includes only its header.
 */
struct query {
#define QUERY_PART(part, fields)                                                                                       \
	union {                                                                                                        \
		struct query_##part part;                                                                              \
		struct {                                                                                               \
			fields                                                                                         \
		};                                                                                                     \
	};
	QUERY_PART(filter, QUERY_FILTER_FIELDS)
	QUERY_PART(load, QUERY_LOAD_FIELDS)
	QUERY_PART(report, QUERY_REPORT_FIELDS)
	QUERY_PART(draw, QUERY_DRAW_FIELDS)
#undef QUERY_PART
};

/* A setting made by several options: -flat and -cum are the choice sort. */
struct query_choice {
	const char *name;
	size_t offset; /* see struct opt */
};

/* A parameter in URLs of the web UI. */
enum query_param_kind {
	PARAM_SAVED,     /* of pprof, also in saved configs */
	PARAM_PPROF,     /* of pprof, not in saved configs */
	PARAM_SAVED_OWN, /* in saved configs of pprof, but not in its URLs */
	PARAM_OWN,       /* of cpa only */
};

struct query_param {
	const char *name;  /* of an option or a choice, as in saved configs */
	const char *param; /* "f" for focus */
	enum query_param_kind kind;
};

extern const struct query_param query_params[];
extern const size_t query_n_params;
extern const struct query_choice query_choices[];
extern const size_t query_n_choices;
extern const struct opt query_options[];
extern const size_t query_n_options;
extern const char *const query_group_title[N_GROUPS];

/* A query with all options at their defaults; query_release frees its lists. */
void query_init(struct query *q);
void query_release(struct query *q);

/* Set an option, like opt_set, and record that it was given where this matters. */
int query_set(struct query *q, const struct opt *o, const char *value, struct err *err);

/*
 * Validate the options common to all reports.
 *
 * Fails   ERR_USAGE
 */
int query_check(const struct query *q, struct err *err);

/*
 * Combine options and check their ranges: sample type flags become sample_index, and without trimming the fractions are
 * 0.
 *
 * ignored  set to a sample type flag that another option overrides, or NULL
 * Fails    ERR_USAGE
 */
int query_finish(struct query *q, const char **ignored, struct err *err);

/*
 * Apply the defaults of a report to the options of q.
 *
 * Like    pprof internal/driver/commands.go and driver.go, applyCommandOverrides
 */
void query_apply_defaults(struct query *q, const struct query_defaults *d);

/* The ratio for divide_by: 1 / divide_by, or 1 if that is not a positive number. */
double query_ratio(const struct query *q);

#endif
