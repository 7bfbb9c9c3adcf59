/*
 * request.h - requests of sinks: URLs, compressed bodies, the outcome of a response
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SINKS_REQUEST_H
#define SINKS_REQUEST_H

#include "sinks/sink.h"

/*
 * Parse the URL of a sink.
 *
 * url     as given: "pyroscope+https://HOST/PATH"
 * scheme  "pyroscope+", which is left out
 * path    appended to the path of the URL: "/push.v1.PusherService/Push"
 * out     released with url_release
 * Fails   ERR_USAGE; the message contains no secrets
 */
int sink_parse_url(const char *url, const char *scheme, const char *path, struct url *out, struct err *err);

/* Refuse settings that the kind does not have. Fails with ERR_USAGE if there is a word. kind: its name */
int sink_refuse_words(const struct sink_options *o, const char *kind, struct err *err);

/* A profile that waits to be sent, with what its item borrows. */
struct sink_waiting {
	struct sink_item item;
	struct profile *profile;
	struct store_label *label; /* in one block with all strings of the item */
};

/* Copy the strings of an item. The profile is owned by out. */
void sink_waiting_init(struct sink_waiting *out, const struct sink_item *item, struct profile *p);
void sink_waiting_release(struct sink_waiting *x);

/* Append n bytes compressed with gzip. */
void sink_gzip(const void *data, size_t n, struct buf *out);

/*
 * Run a request. Its response is released with sink_release_response, also after a failure.
 *
 * r       url, body, header and so on
 * out     unchanged if the request succeeds: SINK_SENT, perhaps with a note
 * Fails   ERR_STOPPED
 */
int sink_send(struct fetch_request *r, const struct fetch_options *o, struct stop *stop, struct sink_result *out,
	      struct err *err);
void sink_release_response(struct fetch_request *r);

/*
 * Run a request, and release its response.
 *
 * r       url, body, header and so on
 * out     the outcome
 * status  the HTTP status; 0 without a response; may be NULL
 * Fails   ERR_STOPPED
 */
int sink_request(struct fetch_request *r, const struct fetch_options *o, struct stop *stop, struct sink_result *out,
		 long *status, struct err *err);

/* Append the id as text: "01234567-89ab-cdef-0123-456789abcdef". part replaces the last two bytes if it is not 0. */
void sink_add_id(struct buf *out, const uint8_t id[16], unsigned part);

/* A copy of a profile whose changes leave the original as it is, except that strings may be added. The copy is freed with
   profile_free, before the original. first, n: its rows. Entries that they do not use are left out. */
struct profile *sink_copy_rows(const struct profile *p, uint32_t first, uint32_t n);

/* Keep only the sample types that are gauges, or only the others. p: a copy */
void sink_select_types(struct profile *p, bool gauges);

/* Leave out the rows whose values are all 0. p: a copy */
void sink_drop_zeros(struct profile *p);

/* Append a parameter to the query of a URL, escaped. */
void sink_add_parameter(struct buf *query, const char *name, const char *value);

#endif
