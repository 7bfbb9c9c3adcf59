/*
 * state.h - state of the web UI, shared by its files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_WEB_PARTS_STATE_H
#define FRONT_WEB_PARTS_STATE_H

#include "front/web/parts/page.h"

#include "front/web/jobs/jobs.h"
#include "front/web/jobs/response_cache.h"

#include <pthread.h>

enum web_state { WEB_LOADING, WEB_READY, WEB_FAILED };

/* A file of the command line, see src/front/web/parts/sources.h. */
struct web_source {
	char id[WORKSPACE_ID_LENGTH + 1]; /* in URLs: the same after a restart */
	char *name;
	bool is_base;
	char open[WORKSPACE_ID_LENGTH + 1]; /* id of its profile when it was last read, or ""; guarded by the lock */
};

struct web_sources {
	struct web_source *item; /* [n] none if the command line has a single source */
	size_t n;
	size_t n_others;    /* sources that are only in the merged profile: of servers, standard input */
	char *binary;       /* the program, if the command line names one; else NULL */
	struct buf missing; /* messages about sources that could not be read, a line each */
	struct buf reason;  /* why they could not be merged; empty if they were */
	int reason_code;    /* ERR_* */
};

struct web {
	struct web_options options;
	struct arena *views;
	const struct web_view *view; /* [n_views] all views, in views */
	size_t n_views;
	struct settings *settings; /* options of the command line */
	struct workspace *workspace;
	struct jobs *jobs;
	struct response_cache *cache;
	struct web_verdicts *verdicts;
	struct web_sources sources; /* set before the state is WEB_READY */
	struct captures *captures;
	struct stop load_stop; /* stops the load of the command line's sources */
	pthread_mutex_t lock;  /* guards the fields below */
	pthread_cond_t loaded;
	enum web_state state;
	struct buf failure; /* WEB_FAILED: the message */
};

/*
 * Wait until the profile of the command line is loaded.
 *
 * Fails   ERR_IO with the message of a failed load; ERR_STOPPED
 */
int web_wait_loaded(struct web *w, struct stop *stop, struct err *err);

/* Answer a request for a view, /ui/PATH or /ui/PATH.EXT. */
void web_page_answer(struct web *w, const struct web_view *view, const char *ext, const struct http_request *request,
		     struct stop *stop, struct http_response *out);

/*
 * Read prof and base, lists of ids separated by commas, into the side, open, base and p of a page.
 *
 * Fails   ERR_USAGE for an id that is not open; as workspace_get_sum
 */
int web_open_profiles(struct web_page *page, struct err *err);

/* Make p and sides of a page with a base, with the options of its query. Fails as workspace_get_difference. */
int web_open_difference(struct web_page *page, struct err *err);

/* The scale of a comparison: the parameter scale, else as on the command line. */
const char *web_scale(const struct web_page *page);

/* Make the link name the profiles of a side, in prof or base. */
void web_link_set_side(struct url_params *link, const char *key, const struct web_side *side);

/* Release the profiles of a page. */
void web_put_profiles(struct web_page *page);

/* Draw a page whose URL was read, or take the response from the cache or from a request that computes the same. */
void web_respond(struct web_page *page, struct http_response *out);

/* Is the profile of the command line being loaded? */
bool web_is_loading(struct web *w);

/* The page that is shown while the profile loads. It refreshes itself. */
void web_loading_draw(struct web *w, struct http_response *out);

/* Print an error message of a request on the terminal, like pprof. */
void web_report_error(const struct web *w, const char *sentence);

/* Answer with an error: one line of text, or a page for a browser. */
void web_refuse(const struct web *w, const struct http_request *request, int status, const char *sentence,
		struct http_response *out);

/* Answer a request for a view with an error. A page keeps its menus and filters, so that a click leads back to values. */
void web_page_refuse(struct web_page *page, const struct err *err, struct http_response *out);

/* Append the path from the URL of a request to /ui/, such as "../" or "ui/": a proxy may serve the pages below a path. */
void web_add_up(const struct http_request *request, struct buf *out);

/* Answer with a redirect that keeps the query. location is relative to the URL of the request. */
void web_redirect(const struct http_request *request, int status, const char *location, struct http_response *out);

/* Is this the token of the web UI? Compares in constant time. */
bool web_is_token(const struct web *w, const char *given);

/* Does the client ask for HTML, as browsers do when they open a page? */
bool web_wants_html(const struct http_request *request);

/* Does the client ask for text instead of HTML? */
bool web_wants_text(const struct http_request *request);

/* The HTTP status of an error: 400 for an error in the request, 501 for a missing program, 503 if stopped, 507 without memory, else
   500. */
int web_status(const struct err *err);

/* Start a page: doctype, head with title (escaped) and assets, up to <body>. */
void web_add_head(struct buf *out, const char *title, unsigned refresh_seconds);

/* Like web_add_head; up is the path to /ui/, see web_add_up. */
void web_add_head_below(struct buf *out, const char *up, const char *title, unsigned refresh_seconds);

#endif
