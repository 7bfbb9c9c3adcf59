/*
 * window_int.h - the times of a source store:, shared by window.c and window_time.c
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_WINDOW_INT_H
#define STORE_WINDOW_INT_H

#include "base/arena.h"
#include "base/err.h"
#include "store/window/window.h"

#include <stdbool.h>
#include <stdint.h>

/* A position in the text of a source. */
struct window_cursor {
	const char *text, *at;
	struct arena *memory; /* of parsed words */
	struct err *err;
};

/* Set an error at a position of the text: "TEXT: character N: ...". Returns ERR_USAGE. */
int window_fail(const struct window_cursor *c, const char *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Parse a word that ends before one of the characters in stops, or a word in double quotes. what is for messages. */
int window_parse_word(struct window_cursor *c, const char *stops, const char *what, const char **out);

enum moment_kind { MOMENT_DATE, MOMENT_CLOCK, MOMENT_NOW, MOMENT_DEPLOY, MOMENT_AGO, MOMENT_EPOCH };

struct moment {
	enum moment_kind kind;
	int year, month, day, hour, minute, second; /* month 1 to 12 */
	int64_t fraction_ns;
	int64_t precision_ns; /* of a date or clock: a day, an hour, a minute, a second */
	bool has_zone;
	int zone_s;          /* east of UTC */
	int days_ago;        /* MOMENT_CLOCK: 0 is today */
	int64_t ago_ns;      /* MOMENT_AGO */
	int64_t epoch_ns;    /* MOMENT_EPOCH */
	int64_t offset_ns;   /* added to the time */
	const char *version; /* MOMENT_DEPLOY; "" for any */
};

enum window_form { FORM_NONE, FORM_ALL, FORM_RANGE, FORM_OF, FORM_LAST, FORM_AFTER, FORM_BEFORE, FORM_AROUND };

/* A WINDOW. */
struct window_time {
	enum window_form form;
	struct moment from, to; /* to: FORM_RANGE */
	int64_t duration_ns;    /* FORM_LAST, FORM_AFTER, FORM_BEFORE, FORM_AROUND */
	const char *pin;        /* "" if none */
};

/* Parse a WINDOW. */
int window_time_parse(struct window_cursor *c, struct window_time *out);

/* The time of a moment that is the whole text. */
int window_time_moment(struct window_cursor *c, const struct window_clock *clock, int64_t *out);

/* The times of a window with a form other than FORM_NONE. text and service are for messages and marks. */
int window_time_resolve(const struct window_time *t, const char *text, const char *service,
			const struct window_clock *clock, int64_t *t0, int64_t *t1, struct err *err);

#endif
