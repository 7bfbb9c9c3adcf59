/*
 * writer.h - writes profiles to a store in ClickHouse, in batches
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rows of profiles refer to stacks by the numbers of an epoch: the dictionary of a writer, a service and a week. A batch is written in
 * this order: a row in batches, what its profiles refer to, the profiles, and a row in batches that says that it is complete. A try that
 * fails is repeated with the same bytes. Until it succeeds, readers of its days remove repeated rows (FINAL), and also afterwards if it
 * took more than one try.
 */
#ifndef STORE_CLICKHOUSE_WRITER_H
#define STORE_CLICKHOUSE_WRITER_H

#include "base/err.h"
#include "base/stop.h"
#include "profile/profile.h"
#include "store/clickhouse/server.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct click_writer;

/* A profile to write. Borrowed during the call. */
struct click_input {
	const char *service, *kind;
	const struct store_label *label; /* [n_labels] sorted by name, without service and kind */
	size_t n_labels;
	const struct profile *profile; /* counters and gauges as they were scraped */
	int64_t start_ns, duration_ns;
};

/* The results of batches. */
struct click_counts {
	uint64_t n_written, n_known; /* profiles; those that the server had already */
};

/* Connects to nothing yet. The server must outlive the writer. name: of the program, for the table batches */
struct click_writer *click_writer_new(struct click_server *server, const char *name);

/* Takes NULL. A batch that is not written is lost. */
void click_writer_free(struct click_writer *w);

/*
 * Add a profile to the batch. It is stored after click_writer_flush.
 *
 * Fails  ERR_RANGE when a sum of equal samples overflows, or the time is not in 1970 to 2149; ERR_LIMIT. Nothing was added
 */
int click_writer_add(struct click_writer *w, const struct click_input *in, struct err *err);

/* Is the batch large enough to be written? */
bool click_writer_is_full(const struct click_writer *w);

/*
 * Write the batch, but for profiles that the server has. After a failure it stays for the next call.
 *
 * Fails  ERR_IO, ERR_STOPPED; server->is_later is set if another try may succeed
 */
int click_writer_flush(struct click_writer *w, struct stop *stop, struct click_counts *counts, struct err *err);

/* Append a mark to rows; and write rows, at once. A repeated mark is not stored again. */
void click_put_mark(struct buf *rows, const char *service, const struct store_mark *m);
int click_writer_marks(struct click_writer *w, const struct buf *rows, struct stop *stop, struct err *err);

#endif
