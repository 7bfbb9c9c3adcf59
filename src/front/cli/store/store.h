/*
 * store.h - the parts of the command store
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A subcommand writes its output to a buffer and its errors to a struct err, since a collector that holds the store runs
 * it on behalf of another process.
 */
#ifndef FRONT_CLI_STORE_STORE_H
#define FRONT_CLI_STORE_STORE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/opt.h"
#include "front/cli/http_options.h"
#include "store/store.h"
#include "store/window/window.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The command line. Borrowed from argv. */
struct cmd_store_args {
	const char *name;  /* the subcommand */
	const char **word; /* [n_words] its arguments */
	size_t n_words;
	const char *store, *output, *service, *kind, *cap, *input_format, *time, *pods, *every, *kinds, *measure;
	const char *cluster, *retain;
	struct opt_list label;
	bool json, labels, marks, pins, releases, profiles, dry_run, deep, partial, print, replicated, help;
	struct http_options http;
};

/* A running subcommand. */
struct store_command {
	const struct cmd_store_args *a;
	const char *directory;       /* or the URL of a server, if the subcommand takes it */
	struct fetch_options fetch;  /* of requests to it */
	const char *folder;          /* names of files are relative to it; NULL: the current folder */
	struct store_writer *writer; /* NULL: the subcommand opens one if it needs it */
	bool is_forwarded;           /* does it run in a collector, for another process? */
	struct buf *out;
	struct buf missing; /* messages about damage, whose profiles the output lacks, a line each */
	struct stop *stop;
};

/* Run a subcommand. Returns 0, 1 if the answer is no, or ERR_*. */
typedef int cmd_store_fn(struct store_command *c, struct err *err);
cmd_store_fn cmd_store_ls, cmd_store_stat, cmd_store_get, cmd_store_export, cmd_store_import, cmd_store_pin,
	cmd_store_unpin, cmd_store_release, cmd_store_mark, cmd_store_rm, cmd_store_gc, cmd_store_verify,
	cmd_store_repair, cmd_store_plan, cmd_store_init, cmd_store_copy;

/* The same for stores in ClickHouse. */
int cmd_store_mark_cluster(struct store_command *c, const struct store_mark *m, struct err *err);
int cmd_store_gc_cluster(struct store_command *c, struct err *err);

/*
 * Open the store for writing, if the command has no writer.
 *
 * create  create a store that does not exist
 * Fails   as upkeep_open_writer
 */
int cmd_store_open_writer(struct store_command *c, bool create, struct err *err);

/* Open the store of the command for reading: a directory, a collector, or ClickHouse. Fails as backends_open. */
int cmd_store_open(struct store_command *c, struct store **out, struct err *err);

/* Close a store that was read, and keep its messages about damage. s may be NULL. */
void cmd_store_close(struct store_command *c, struct store *s);

/*
 * Parse a selector, a source with or without "store:".
 *
 * s       for marks and times of versions
 * query   all kinds and all times unless the selector names them; borrows from *window
 * window  freed with window_free, also after a failure
 */
int cmd_store_select(const char *text, struct store *s, struct window **window, struct store_query *query,
		     struct err *err);

/* The same for commands about whole profiles: fails with ERR_USAGE if the selector has a label of samples. */
int cmd_store_select_whole(const char *text, struct store *s, struct window **window, struct store_query *query,
			   struct err *err);

/*
 * Run a command line of cpa store with a writer that is open already, for a collector.
 *
 * folder  names of files are relative to it; NULL: they are absolute
 * argv    the arguments after "store"
 * out     the output; if the result is 2, the error message and NUL before it
 * Returns the exit status
 */
int cmd_store_run_in(struct store_writer *w, const char *directory, const char *folder, int argc, char **argv,
		     struct buf *out);

/* --- tables of text --- */

struct listing_column {
	const char *key, *title;
	bool is_number; /* aligned to the right, and a number in JSON */
};

struct listing_cell {
	char *text, *json; /* json: NULL for that of text */
};

/* A table, printed with aligned columns or as JSON. Zero-initialised except for col and n_cols. */
struct listing {
	const struct listing_column *col; /* [n_cols] */
	size_t n_cols, n_cells, cap;
	struct listing_cell *cell; /* [n_cells] in row order */
};

/* Add a cell: text is shown, json the raw number if the column is a number; NULL: text. */
void listing_add(struct listing *l, const char *text, const char *json);
void listing_addf(struct listing *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void listing_add_bytes(struct listing *l, uint64_t bytes);
void listing_add_time(struct listing *l, int64_t ns);

/* Append the table. Untrusted text is escaped. */
void listing_print(const struct listing *l, bool json, struct buf *out);
void listing_release(struct listing *l);

/* List the releases of a store; count them. */
int cmd_store_list_releases(struct store *s, struct listing *l, struct err *err);
int cmd_store_count_releases(struct store *s, size_t *n, struct err *err);

#endif
