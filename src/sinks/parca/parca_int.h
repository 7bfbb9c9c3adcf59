/*
 * parca_int.h - the parts of the sink of Parca
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SINKS_PARCA_PARCA_INT_H
#define SINKS_PARCA_PARCA_INT_H

#include "base/buf.h"
#include "fetch/fetch.h"
#include "sinks/sink.h"

/*
 * Append the message WriteRawRequest with a profile.
 *
 * result  its why names parts that are left out, or the reason of a refusal
 * Returns false if the profile was refused
 */
bool writeraw_add_request(const struct sink_item *item, struct buf *out, struct sink_result *result);

/* Call a method with one message and one empty response, as gRPC over HTTP/2, or as gRPC-web. */
struct grpc_call {
	const struct url *url;
	bool is_web;
	const struct fetch_options *fetch;
	const struct buf *message;
};

/* Fill in the outcome of a call. Fails with ERR_STOPPED. */
int grpc_run(const struct grpc_call *c, struct stop *stop, struct sink_result *out, struct err *err);

#endif
