/*
 * grafana.h - the read API of Pyroscope on the listener of the collector, for Grafana
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Answers querier.v1.QuerierService by the Connect protocol and gRPC-web, with JSON or protobuf, and the older requests below
 * /pyroscope/. All numbers come from the functions that make the reports of cpa.
 */
#ifndef FRONT_GRAFANA_GRAFANA_H
#define FRONT_GRAFANA_GRAFANA_H

#include "base/http.h"
#include "base/stop.h"
#include "scrape/collector.h"

#include <stdbool.h>

/* A scrape_answer_fn. arg is not used. */
bool grafana_answer(void *arg, const struct scrape_reader *reader, const struct http_request *q, struct stop *stop,
		    struct http_response *out);

#endif
