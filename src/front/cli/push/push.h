/*
 * push.h - the parts of the command push
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_PUSH_PUSH_H
#define FRONT_CLI_PUSH_PUSH_H

#include "base/opt.h"
#include "front/cli/http_options.h"
#include "sinks/increase.h"
#include "sinks/request.h"
#include "sinks/sink.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PUSH_LABELS = 64 };

/* The command line. Texts are borrowed. */
struct push_args {
	const char *to, *store, *service, *kind, *input_format;
	struct opt_list label, set;
	struct http_options http;
	bool dry_run, help;
	const char **word; /* [n_words] sources */
	size_t n_words;
};

/* A profile to send. */
struct pushed {
	struct sink_waiting w;
	char *name; /* of the source, for messages */
};

/* A running push. */
struct push_run {
	const struct push_args *a;
	struct sink *sink; /* NULL in a dry run */
	const struct sink_kind *kind;
	struct stop *stop;
	struct sink_increases *increases;
	struct store *store;    /* of the profiles that are read now; NULL: files */
	struct pushed *waiting; /* [n_waiting] of batch_max at most */
	size_t n_waiting, batch_max;
	uint64_t n, n_sent, n_refused, n_failed; /* profiles; failed: they could not be sent, or read */
	uint64_t n_first;                        /* profiles with counters of 0 */
	uint64_t n_cut;                          /* profiles with labels that were cut */
	uint64_t n_bytes;
	bool is_down; /* the system did not answer: nothing more is tried */
};

/*
 * Read the profiles of a source and pass them to cmd_push_add.
 *
 * Fails  the message names the source; ERR_STOPPED
 */
int cmd_push_read(struct push_run *p, const char *word, struct err *err);

/* Add a profile, which is consumed. Sends when enough wait. Fails with ERR_STOPPED. */
int cmd_push_add(struct push_run *p, const struct sink_item *item, const char *name, struct profile *profile,
		 struct err *err);

#endif
