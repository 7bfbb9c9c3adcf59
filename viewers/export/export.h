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
#include "engine/places.h"
#include "engine/view.h"
#include "profile/profile.h"
#include "report/report.h"
#include "report/traces.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct net; /* engine/net.h */

/*
 * Append the rows as CSV (RFC 4180, but lines end in LF): a line of keys, then rows with values as integers and
 * percentages as numbers. The last column names the unit of the values. If rows have roles (as in peek), the first
 * column is the role.
 */
void csv_draw(const struct report *r, struct buf *out);

/* Traces as CSV: a line per frame, with the number of its sample (from 1), the value of the sample, and its depth (0 is
   the leaf). */
extern const struct traces_viewer csv_traces;

/* Append a summary and a Markdown table, or a list if there is one column. Names are code spans, so that Markdown in
 * them has no effect. */
void markdown_draw(const struct report *r, struct buf *out);

/*
 * Append a profile as text, with control characters in names escaped. Values are those of the profile: divide_by and
 * mean are ignored.
 *
 * stop    cancels it; may be NULL
 * Fails   ERR_STOPPED
 * Like    pprof profile/profile.go, String
 */
int raw_draw(const struct profile *p, struct stop *stop, struct buf *out, struct err *err);

/*
 * Append the rows of top as a profile, compressed with gzip: sample types cum and flat in the unit of the report, and
 * for each row, in order, a sample with one location.
 *
 * q       after query_apply_defaults
 * Fails   ERR_LIMIT as places_make and profile_encode
 * Like    pprof internal/report printTopProto
 */
int topproto_draw(const struct view *v, const struct query *q, struct buf *out, struct err *err);

/* Append a profile as compressed profile.proto; the ratio of q is that of its values. */
int export_proto(const struct profile *p, const struct query *q, struct buf *out, struct err *err);

/* Append a profile as an OTLP message; the same. */
int export_otlp(const struct profile *p, const struct query *q, struct buf *out, struct err *err);

/*
 * Append each distinct stack as a line: frames from the root (inverted: from the leaf) separated by ;, a blank, and the
 * sum of its values in the unit of the samples. Lines are sorted by the bytes of their stacks; sums of 0 are left out.
 * In a name ; is \x3b, a tab \x09, a blank before a number at its end \x20, and other control characters are escaped as
 * in text. In a comparison (a base in the query, rows labelled pprof::base, or negative sums) two columns follow the
 * stack: before and after. If only the change is known, one of them is 0.
 *
 * Fails   ERR_LIMIT as places_make, or when all lines would take half of the memory of this machine
 */
int export_folded(const struct view *v, const struct query *q, struct buf *out, struct err *err);

/*
 * Append a profile as JSON for speedscope.app: all sample types, of which the query's is the active one; inverted as in
 * export_folded. On failure out contains an incomplete document.
 *
 * Fails   ERR_USAGE when a stack has a negative sum, which the format does not support; ERR_RANGE when a sum exceeds 64
 *         bits; ERR_LIMIT as export_folded
 */
int export_speedscope(const struct view *v, const struct query *q, struct buf *out, struct err *err);

/*
 * Append a net of addresses in callgrind's format.
 *
 * net     of places with binaries (query.by_object), which was not made for a picture
 * r       only its head is used
 * Like    pprof internal/report printCallgrind, except that a function has one name everywhere
 */
void callgrind_draw(const struct net *net, const struct report *r, struct buf *out);

/*
 * Append a call graph in the language of dot.
 *
 * net     made for a picture
 * r       only its head is used
 * Like    pprof internal/graph ComposeDot, except that all text of the profile is escaped
 */
void dot_draw(const struct net *net, const struct report *r, struct buf *out);

/*
 * Append the selected sample type, which must be of time, as a .cpuprofile of V8: a node per distinct stack prefix, and a
 * sample per distinct stack, which lasts for the sum of its values.
 *
 * Fails   as export_speedscope; ERR_USAGE if the type is not of time
 */
int export_cpuprofile(const struct view *v, const struct query *q, struct buf *out, struct err *err);

/*
 * Append the selected sample type as a processed profile of the Firefox Profiler, version 49, which it upgrades: a sample
 * per distinct stack, with the sum of its values as weight in samples, ms or bytes.
 *
 * Fails   as export_speedscope
 */
int export_firefox(const struct view *v, const struct query *q, struct buf *out, struct err *err);

/* Append v / 10^digits as a decimal number without a loss. */
void export_add_decimal(struct buf *out, int64_t v, unsigned digits);

/* The number of places on a stack, including inlined ones. */
size_t export_stacks_depth(const struct places *pl, uint32_t stack);

/* Copy the places of a stack to at, root first, or leaf first if inverted. Returns the end of the copy. */
uint32_t *export_stacks_copy(const struct places *pl, uint32_t stack, bool inverted, uint32_t *at);

/*
 * Sum the values of a sample type by stack, times the ratio of the query, and in total.
 *
 * sum     [stacks of the profile] of equal stacks the first one has the sum, and the others 0
 * tool    the tool that cannot show negative values
 * Fails   ERR_USAGE if the sum of a stack is negative; ERR_RANGE if a sum exceeds 64 bits
 */
int export_stacks_sum(const struct view *v, const struct query *q, uint32_t type, const char *tool, int64_t *sum,
		      int64_t *total, struct err *err);

/* The places of all stacks as a tree of calls. */
struct stack_prefixes {
	uint32_t n;
	uint32_t *place, *parent; /* [n] parent: its number; UINT32_MAX for none */
	uint32_t *of_stack;       /* [stacks of the profile] node; UINT32_MAX for an empty stack */
	size_t cap_place, cap_parent;
};

/* The tree of the stacks whose sum is not 0. Fails with ERR_LIMIT as export_stacks_check_bytes. */
int export_prefixes_make(const struct view *v, const struct query *q, const struct places *pl, const int64_t *sum,
			 struct stack_prefixes *out, struct err *err);
void export_prefixes_release(struct stack_prefixes *t);

/* A place for formats in which name, file and line are separate. */
struct export_frame {
	struct buf name, file;
	int64_t line, col; /* 0: not known */
};

/* The first function of each name with a file, [strings of the profile] function + 1, for export_frame_set. */
uint32_t *export_function_files(const struct profile *p);

/* Set a frame to a place; zero-initialized the first time. */
void export_frame_set(struct export_frame *f, const struct places *pl, uint32_t place, const uint32_t *func,
		      const struct query *q);
void export_frame_release(struct export_frame *f);

/*
 * Check the size of the output in advance: a small file can repeat long stacks of long names.
 *
 * Fails   ERR_LIMIT past half of the memory of this machine
 */
int export_stacks_check_bytes(uint64_t bytes, struct err *err);

#endif
