/*
 * exchange.h - URLs, settings, and requests with their outcome, for the kinds of sinks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SINKS_EXCHANGE_H
#define SINKS_EXCHANGE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/stop.h"
#include "fetch/fetch.h"
#include "fetch/url.h"
#include "sinks/sink.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The URL of requests to a sink: url without its kind ("parca+"), with a path appended unless it ends with it.
 *
 * path   "/v1development/profiles"
 * out    released with url_release
 * Fails  ERR_USAGE; the message names the URL without its secrets
 */
int sink_url(const char *url, const char *path, struct url *out, struct err *err);

/* A setting of a kind. */
struct sink_word {
	const char *key;
	const char **value; /* filled in with the text after "KEY=", borrowed; unchanged without the word */
};

/* Read the settings of a sink. Fails with ERR_USAGE for a word that is none of word [n]; the message lists these. */
int sink_words(const struct sink_options *o, const struct sink_word *word, size_t n, struct err *err);

/* Read the value of a setting, "yes" or "no". Fails with ERR_USAGE. */
int sink_flag(const char *key, const char *value, bool *out, struct err *err);

/*
 * Send a request and fill in the outcome. Each status from 200 to 299 is SINK_SENT, all else is as sink_judge says.
 *
 * r      with url, body and header; bytes of the response are freed by the caller
 * Fails  ERR_STOPPED
 */
int sink_send(struct fetch_request *r, const struct fetch_options *o, struct stop *stop, struct sink_result *out,
	      struct err *err);

/* Append a body compressed with gzip, for Content-Encoding. */
void sink_gzip(const struct buf *body, struct buf *out);

/* Fill in an outcome with a reason: its first line, cut to fit, without bytes that are not text. */
void sink_set(struct sink_result *out, enum sink_outcome outcome, const char *why, size_t n);
void sink_setf(struct sink_result *out, enum sink_outcome outcome, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Append to the reason of a profile that was sent: "2 of 32 labels are left out". Ignored if it does not fit. */
void sink_add_note(struct sink_result *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
