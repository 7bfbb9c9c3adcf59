/*
 * decode.h - threads that read the responses of targets
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SCRAPE_DECODE_H
#define SCRAPE_DECODE_H

#include "base/err.h"
#include "base/io.h"
#include "scrape/accept.h"
#include "scrape/scrape_config.h"
#include "scrape/target.h"

#include <stddef.h>
#include <stdint.h>

enum { SCRAPE_ERROR_MAX = 256, SCRAPE_BUILD_ID_MAX = 64 };

struct scrape_decoders;
struct scrape_collector;
struct scrape_state;

/* A response. References are owned. */
struct scrape_decode {
	struct scrape_collector *c;
	struct scrape_state *state;
	struct scrape_config *config;
	const struct scrape_job *job;
	const struct scrape_kind *kind;
	struct scrape_labels *labels;
	struct bytes bytes;
	size_t n_bytes; /* counted in the loop */
	int64_t begin_ns;
	char version[SCRAPE_VERSION_MAX + 1]; /* of the server; "" */
	struct scrape_decode *next;

	/* the result, for the loop */
	int rc;
	char build_id[SCRAPE_BUILD_ID_MAX], error[SCRAPE_ERROR_MAX];
};

/* Start n threads. Fails with ERR_IO. */
int scrape_decoders_new(unsigned n, struct scrape_decoders **out, struct err *err);

/* Add a response to the queue; takes ownership. */
void scrape_decoders_add(struct scrape_decoders *d, struct scrape_decode *x);

/* Take the results of responses that were stored or refused. The lock of the collector is held. */
void scrape_take_results(struct scrape_collector *c);

/* Read what was added, then end the threads. Takes NULL. */
void scrape_decoders_free(struct scrape_decoders *d);

#endif
