/*
 * web.h - the web UI: from an HTTP request to its response
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * web_answer uses no sockets and prints nothing; src/cli/web connects it to a server. Any number of threads may call it.
 */
#ifndef VIEWERS_WEB_H
#define VIEWERS_WEB_H

#include "answer/loaded.h"
#include "base/http.h"
#include "base/stop.h"

#include <stdbool.h>
#include <stddef.h>

struct web;

enum { WEB_TOKEN_LENGTH = 32 };

struct web_options {
	const struct query *q;             /* options of the command line; borrowed */
	const struct load_request *reload; /* request that loads the sources again; NULL if no source is a server */
	uint64_t cache_bytes;              /* memory for responses that are kept; 0: none */
	uint64_t memory_bytes;     /* memory of the process above which a running request is stopped; 0: no limit */
	const char *settings_path; /* settings.json of pprof; borrowed; NULL: no saved configs */
	char token[WEB_TOKEN_LENGTH + 1]; /* hexadecimal digits, random per start, required for changes of state */
	const char *const *server;        /* [n_servers] sources on servers that may be captured; others are ignored */
	size_t n_servers;
	const char *const *folder; /* [n_folders] folders whose files can be opened */
	size_t n_folders;
	/* the store whose windows can be opened, NULL for none; and the service and kind to show first, "" for any; borrowed */
	const char *store, *store_service, *store_kind;
	/* Called with an error message of a request, for the terminal; by any thread. NULL: not reported. */
	void (*report)(void *arg, const char *line);
	void *report_arg;
};

/* A web UI whose profile is not loaded yet. Freed with web_free. */
struct web *web_new(const struct web_options *options);

/* Free a web UI that answers no request any more. NULL is allowed. */
void web_free(struct web *w);

/* The stop of the load, whose progress the loading page shows. */
struct stop *web_load_stop(struct web *w);

/*
 * The profile of the command line is loaded: take over l, which is emptied. Waiting requests continue.
 *
 * Fails   ERR_USAGE for an unknown -sample_index; as workspace_open
 */
int web_set_loaded(struct web *w, struct loaded *l, const char *name, struct err *err);

/* Load the sources of the command line, with the stop of web_load_stop. Fails as answer_load; ERR_MEMORY above memory_bytes. */
int web_load(struct web *w, const struct load_request *request, struct loaded *out, struct err *err);

/*
 * The sources of the command line cannot be merged, for this reason, or need too much memory; l has their names. Waiting
 * requests continue. Each file can be opened alone.
 */
void web_set_unmerged(struct web *w, const struct loaded *l, const struct err *reason);

/* The command line names no profile. Waiting requests continue; pages that need one lead to the page that opens files. */
void web_set_empty(struct web *w);

/* The profile could not be loaded. Waiting requests fail with this message. */
void web_fail(struct web *w, const char *sentence);

/* Is the body of a request an upload, to be passed as a file? */
bool web_is_upload(const struct http_request *request);

/* Header lines of every response, each ending in \r\n. */
extern const char web_security_headers[];

/* The page where a browser enters the secret of the server. */
struct web_enter {
	const struct http_request *request; /* request that was refused, or the form of this page */
	const char *sentence;               /* the reason, for programs; static */
	bool is_wrong;                      /* was a secret sent? */
	const char *to;                     /* page to open after that, relative to /ui/; untrusted */
};

/*
 * Refuse a request with an error page, or with the page to enter a secret. Like web_answer.
 *
 * status  401 shows the field for the secret to browsers
 */
void web_answer_refused(const struct web_enter *enter, int status, struct http_response *out);

/* The secret was right: set a cookie and open a page. */
void web_answer_entered(const char *to, const char *cookie, const char *value, struct http_response *out);

/*
 * Compute the response to a request.
 *
 * web     a struct web
 * stop    set when the client is gone; the response is then ignored
 * out     zero-initialised; released with http_response_release
 */
void web_answer(void *web, const struct http_request *request, struct stop *stop, struct http_response *out);

#endif
