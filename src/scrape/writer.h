/*
 * writer.h - the threads that write to the store
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One thread adds profiles to the journal and syncs it every 200 ms; then profiles are acknowledged. Another thread, at a lower
 * priority, writes segments, merges them and removes what is too old, and runs the commands of cpa store.
 */
#ifndef SCRAPE_WRITER_H
#define SCRAPE_WRITER_H

#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"
#include "scrape/stats.h"
#include "store/local/write/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scrape_writer;
struct scrape_write;

/*
 * A profile is durable (w->rc 0), or could not be stored: ERR_LIMIT without room, ERR_RANGE for a sum that overflows, ERR_IO.
 * Called by the writer thread; w is freed afterwards.
 */
typedef void scrape_written_fn(void *arg, const struct scrape_write *w);

/* Called by the writer thread when the profile has been copied into the batch, long before it is durable. May be NULL. */
typedef void scrape_copied_fn(void *arg);

/* A profile to store. All strings are owned. */
struct scrape_write {
	char *service, *kind;
	struct store_label *label; /* [n_labels] sorted by name; one block of memory with the strings after it */
	size_t n_labels;
	struct profile *profile; /* freed when it is in the batch */
	int64_t start_ns, duration_ns;
	char *version, *env; /* of a deploy mark to add; NULL: none */
	bool kind_is_unsure; /* the sample types are those of several kinds */
	scrape_copied_fn *copied;
	scrape_written_fn *written;
	void *arg;

	/* filled in */
	int rc;
	struct err err;
	bool is_duplicate;
	int64_t queued_ns; /* monotonic */
	struct scrape_write *next;
};

/* Copy labels into one block of memory, for scrape_write.label. Sorted labels stay so. */
struct store_label *scrape_writer_copy_labels(const struct store_label *label, size_t n);

/*
 * Run a command of cpa store in the maintenance thread.
 *
 * folder  the current folder of the client; NULL: it did not say
 * argv    [argc] the arguments
 * out     the text for the client; if the result is 2, a message and NUL before it
 * Returns its exit status
 */
typedef int scrape_command_fn(void *arg, struct store_writer *w, const char *directory, const char *folder, int argc,
			      char **argv, struct buf *out);

/* A change of state for the log: one line of key=value pairs. Any thread calls it. */
typedef void scrape_log_fn(void *arg, const char *line);

struct scrape_writer_options {
	struct store_writer *store; /* borrowed */
	const char *directory;
	struct scrape_stats *stats;
	scrape_command_fn *command; /* NULL: refuse commands */
	void *command_arg;
	scrape_log_fn *log;
	void *log_arg;
};

/* Start the threads. Fails with ERR_IO. */
int scrape_writer_new(const struct scrape_writer_options *o, struct scrape_writer **out, struct err *err);

/* Add a profile to the queue; waits while it is full. Takes ownership. */
void scrape_writer_add(struct scrape_writer *w, struct scrape_write *x);

/* Run a command in the maintenance thread, and wait for it. Returns its exit status; 2 with a sentence if it cannot run. */
int scrape_writer_command(struct scrape_writer *w, const char *folder, int argc, char **argv, struct buf *out);

/* Does the store accept profiles? If not, why gets the last problem. */
bool scrape_writer_is_ready(struct scrape_writer *w, struct buf *why);

/* Write and acknowledge what was added, then end the threads. Takes NULL. */
void scrape_writer_free(struct scrape_writer *w);

#endif
