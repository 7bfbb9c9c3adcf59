/*
 * reported.h - earlier alarms of cpa watch, as marks of a store
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A mark has the kind "watch" and the time at which the window of the check ended. Its text is
 *
 *	KIND FAIL +41% FUNCTION        a function that became slower
 *	KIND VERDICT deploy TEXT       the check of a deploy is done; VERDICT is PASS, FAIL or INCONCLUSIVE
 *
 * so a chart shows it, and a second check does not repeat it.
 */
#ifndef WATCH_REPORTED_H
#define WATCH_REPORTED_H

#include "base/buf.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WATCH_MARK "watch" /* kind of the marks */

/* Marks of a service and kind. Released with watch_reported_release. */
struct watch_reported {
	const char *kind;                 /* and the matches of the source: "cpu{env=prod}"; borrowed */
	struct watch_reported_mark *mark; /* [n] */
	size_t n, cap;
};

/* Read the marks of a service. Fails as store_each_mark. */
int watch_reported_read(struct store *s, const char *service, const char *kind, struct watch_reported *out,
			struct err *err);
void watch_reported_release(struct watch_reported *t);

/* Was this function reported for a window that ended at this time or later? */
bool watch_reported_function(const struct watch_reported *t, const char *function, int64_t since);

/* Was the check of a deploy done, whose window ends at this time? */
bool watch_reported_deploy(const struct watch_reported *t, const char *deploy, int64_t end);

/* Remember a mark that was added. text as of watch_reported_add_function or watch_reported_add_deploy */
void watch_reported_note(struct watch_reported *t, const char *text, int64_t time_ns);

/* Append the text of a mark. percent: how much slower */
void watch_reported_add_function(const char *kind, double percent, const char *function, struct buf *out);
void watch_reported_add_deploy(const char *kind, const char *verdict, const char *deploy, struct buf *out);

#endif
