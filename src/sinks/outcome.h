/*
 * outcome.h - the outcome of a request, settings and labels of the kinds of sinks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SINKS_OUTCOME_H
#define SINKS_OUTCOME_H

#include "base/buf.h"
#include "base/err.h"
#include "sinks/sink.h"

#include <stdbool.h>
#include <stddef.h>

/* Fill in an outcome with a reason: its first line, cut to fit, without bytes that are not text. */
void sink_set(struct sink_result *out, enum sink_outcome outcome, const char *why, size_t n);
void sink_setf(struct sink_result *out, enum sink_outcome outcome, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Append to the reason: "2 of 32 labels are left out". Ignored if it does not fit. */
void sink_add_note(struct sink_result *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A setting of a kind. */
struct sink_word {
	const char *key;
	const char **value; /* filled in with the text after "KEY=", borrowed; unchanged without the word */
};

/* Read the settings of a sink. Fails with ERR_USAGE for a word that is none of word [n]; the message lists these. */
int sink_words(const struct sink_options *o, const struct sink_word *word, size_t n, struct err *err);

/* Read the value of a setting, "yes" or "no". Fails with ERR_USAGE. */
int sink_flag(const char *key, const char *value, bool *out, struct err *err);

/* Append a text with each byte replaced by _ that is not a letter, a digit or one of allowed, and _ before a first digit. */
void sink_add_name(struct buf *out, const char *text, const char *allowed);

/* The value of a label of an item; NULL if it has none. */
const char *sink_label(const struct sink_item *item, const char *name);

#endif
