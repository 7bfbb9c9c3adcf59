/*
 * export.h - reports and profiles in the formats of other tools
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_EXPORT_H
#define VIEWERS_EXPORT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/stop.h"
#include "engine/query.h"
#include "engine/view.h"
#include "profile/profile.h"
#include "report/report.h"
#include "report/traces.h"

struct net; /* engine/net.h */

/* Append the rows as CSV (RFC 4180, but lines end in LF): one line of keys, values as integers in
   the unit of the last column, percentages as numbers. What rows are to each other is the first
   column, where it differs. */
void csv_draw(const struct report *r, struct buf *out);

/* Append a text in quotes, on one line. */
void csv_add_quoted(struct buf *out, const char *s);

/* Traces as CSV: a line per frame, with the number of its sample from 1, the value of the sample, and
   its depth, 0 at the leaf. */
extern const struct traces_viewer csv_traces;

/* Append what the report says and a Markdown table, or a list when there is one column; names are
   code spans and stay text. */
void markdown_draw(const struct report *r, struct buf *out);

/*
 * Append a profile as text, names made harmless. Its values are those of the profile: neither
 * divide_by nor mean count.
 *
 * stop    ends it; may be NULL
 * Fails   ERR_STOPPED
 * Like    pprof profile/profile.go, String
 */
int raw_draw(const struct profile *p, struct stop *stop, struct buf *out, struct err *err);

/*
 * Append a profile as profile.proto, packed with gzip.
 *
 * ratio   what values are multiplied by, toward zero
 * Fails   ERR_LIMIT as profile_encode
 * Like    pprof internal/report printProto
 */
int export_proto(const struct profile *p, double ratio, struct buf *out, struct err *err);

/*
 * Append the rows of top as a profile, packed with gzip: types cum and flat in the unit of the
 * report, a sample of one location per row, in their order.
 *
 * q       as query_apply_defaults left it
 * Fails   ERR_LIMIT as places_make and profile_encode
 * Like    pprof internal/report printTopProto
 */
int topproto_draw(const struct view *v, const struct query *q, struct buf *out, struct err *err);

/*
 * Append each distinct stack as a line: frames from the root (inverted: from the leaf), parted by ;, a
 * blank, and the sum of its values in the unit of the samples. Lines are sorted by the bytes of their stacks; those of 0
 * are left out. A ; in a name is \x3b, a tab \x09, a blank before a
 * number at its end \x20, and other controls are spelt as in text. In a
 * comparison (a base in the question, rows labelled pprof::base, or negative sums) two columns
 * follow the stack: before and after. Where only the change is known, it is what one side has more.
 *
 * Fails   ERR_LIMIT as places_make, or when all lines would take half of the memory of this machine
 */
int folded_draw(const struct view *v, const struct query *q, struct buf *out, struct err *err);

/*
 * Append a profile as JSON for speedscope.app: all sample types, that of the question to be shown
 * first; inverted as folded_draw.
 *
 * Fails   ERR_USAGE when a stack has a negative sum, which the format has no place for; ERR_RANGE,
 *         ERR_LIMIT as folded_draw. What was appended is then to be thrown away
 */
int speedscope_draw(const struct view *v, const struct query *q, struct buf *out, struct err *err);

/*
 * Append a net of addresses in callgrind's format.
 *
 * net     of places that tell binaries apart (query.by_object), not made for a picture
 * r       its head counts
 * Like    pprof internal/report printCallgrind, but that a function has one name in all places
 */
void callgrind_draw(const struct net *net, const struct report *r, struct buf *out);

/*
 * Append a call graph in the language of dot.
 *
 * net     made for a picture
 * r       its head counts; the table is not looked at
 * Like    pprof internal/graph ComposeDot, but that everything from the profile is escaped
 */
void dot_draw(const struct net *net, const struct report *r, struct buf *out);

#endif
