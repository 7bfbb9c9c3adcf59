/*
 * gcp_int.h - the parts of the sink of Google's Cloud Profiler
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * From google/devtools/cloudprofiler/v2/profiler.proto of googleapis, and the reference of the REST API.
 */
#ifndef SINKS_GCP_GCP_INT_H
#define SINKS_GCP_GCP_INT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/io.h"
#include "base/stop.h"
#include "fetch/fetch.h"
#include "sinks/sink.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- bodies ---- */

enum { GCP_PARTS_MAX = 2 };

/* A profile of an item for one type of Cloud Profiler: a heap has two, its gauges and its allocations. */
struct gcp_part {
	const char *type; /* "CPU" */
	bool gauges;      /* has the sample types that are gauges, else the others */
	bool all;         /* has all sample types */
};

/* The parts of an item. Returns their number, 0 if Cloud Profiler has no such kind. */
size_t gcp_parts(const struct sink_item *item, struct gcp_part part[GCP_PARTS_MAX]);

/*
 * Append the deployment of an item as JSON: the project, the service as target, and the labels.
 *
 * result   its why gets the number of labels that are left out
 * Returns  false if the service has no letter and no digit
 */
bool gcp_add_deployment(const struct sink_item *item, const char *project, const char *language, struct buf *out,
			struct sink_result *result);

/* Append the fields profileType, duration and profileBytes, with a comma before each. Fails as pprof_write. */
int gcp_add_profile(const struct sink_item *item, const struct gcp_part *part, struct buf *out, struct err *err);

/* ---- responses ---- */

/* Replace the reason by the message of an error, and read the delay of its google.rpc.RetryInfo. 409 ABORTED is SINK_LATER. */
void gcp_read_error(const struct fetch_request *r, struct sink_result *out);

/* Append the string with this key of the outermost object. Returns false if there is none. */
bool gcp_read_string(const struct bytes *body, const char *key, struct buf *out);

/* The seconds with this key of the outermost object, at most a day; 0 if there are none. */
int64_t gcp_read_seconds(const struct bytes *body, const char *key);

/* ---- access tokens ---- */

/* A token of the metadata server of a machine in Google's cloud. */
struct gcp_token {
	struct url url;   /* of the token; host is NULL if there is none */
	struct buf line;  /* "Authorization: Bearer TOKEN"; secret, empty until there is one */
	int64_t until_ns; /* of clock_boot_ns */
	bool is_new;      /* it was read for this request */
};

/* where  "yes", or the URL of another metadata server. Fails with ERR_USAGE. */
int gcp_token_init(const char *where, struct gcp_token *t, struct err *err);
void gcp_token_release(struct gcp_token *t);

/* Read a token if there is none, or if it ends within a minute. Fails with ERR_STOPPED; other failures are in out. */
int gcp_token_read(struct gcp_token *t, struct stop *stop, struct sink_result *out, struct err *err);
void gcp_token_forget(struct gcp_token *t);

#endif
