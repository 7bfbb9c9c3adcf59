/*
 * watch.h - the parts of the command watch
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_WATCH_WATCH_H
#define FRONT_CLI_WATCH_WATCH_H

#include "base/buf.h"
#include "base/err.h"
#include "base/stop.h"
#include "front/cli/http_options.h"
#include "watch/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The command line. Texts are borrowed from argv. */
struct cmd_watch_args {
	const char *store, *every, *settle, *false_alarms, *command, *webhook, *link;
	int64_t days;
	bool once, help;
	const char **source; /* [n_sources] */
	size_t n_sources;
	char **gate; /* [n_gate] options of cpa gate, after -- */
	size_t n_gate;
	struct http_options http;
	struct watch_rules rules;
};

/* A function that became slower. Owned texts. */
struct cmd_watch_function {
	char *name;
	double change; /* 0.41 is 41 % slower */
	double share_before, share_after;
};

enum cmd_watch_outcome { WATCH_PASS, WATCH_FAIL, WATCH_INCONCLUSIVE };

/* The verdict of a check. */
struct cmd_watch_verdict {
	enum cmd_watch_outcome outcome;
	struct cmd_watch_function *function; /* [n] with the verdict FAIL, as in the report of the gate */
	size_t n, cap;
};

/* A comparison that was made. Texts are borrowed. */
struct cmd_watch_result {
	const char *service, *kind;
	const char *key; /* the kind, and the matches of the source */
	const struct watch_check *check;
	const struct cmd_watch_verdict *verdict;
	const char *shell; /* the command line of the gate, to be pasted into a shell */
};

/*
 * Run the gate.
 *
 * argv    NULL-terminated command line of cpa gate without the options for its output
 * stop    ends it
 * out     released with cmd_watch_verdict_release, also after a failure
 * Fails   ERR_IO with the message of the gate; ERR_STOPPED
 */
int cmd_watch_judge(char *const *argv, const struct stop *stop, struct cmd_watch_verdict *out, struct err *err);
void cmd_watch_verdict_release(struct cmd_watch_verdict *v);

/* PASS, FAIL, INCONCLUSIVE. */
const char *cmd_watch_outcome_word(enum cmd_watch_outcome o);

/* Append a line for people, and for a FAIL a line per function and the command line of the gate. */
void cmd_watch_print(const struct cmd_watch_result *r, struct buf *out);

/*
 * Post a FAIL to the webhook and run the command, as the options ask for.
 *
 * Fails   ERR_IO: one of them failed, so the alarm may be unknown
 */
int cmd_watch_send(const struct cmd_watch_args *a, const struct cmd_watch_result *r, const struct stop *stop,
		   struct err *err);

#endif
