/*
 * page.h - a page of the web UI: its request, its query and its content
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_WEB_PARTS_PAGE_H
#define FRONT_WEB_PARTS_PAGE_H

#include "answer/answer.h"
#include "answer/reports.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/http.h"
#include "base/stop.h"
#include "engine/query.h"
#include "report/labels.h"
#include "report/report.h"
#include "session/settings.h"
#include "session/url_params.h"
#include "session/workspace.h"

#include <stdbool.h>

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

struct web_page;

enum { WEB_VIEW_FILES_MAX = 9 };

enum web_view_flags {
	WEB_VIEW_IN_MENU = 1 << 0,       /* in the View menu */
	WEB_VIEW_TAKES_PATTERN = 1 << 1, /* f is also the argument of the report, as in pprof */
	WEB_VIEW_ALONE = 1 << 2,         /* needs no profile */
	WEB_VIEW_CACHED = 1 << 3,        /* depends only on the URL and the open profiles */
	WEB_VIEW_HAS_SIDES = 1 << 4,     /* compares the sides itself, so page->p is not their difference */
	WEB_VIEW_IN_COMPARE_MENU = 1 << 5,
	WEB_VIEW_SHARED = 1 << 8,  /* not cached, because files may change, but identical requests share a response */
	WEB_VIEW_BY_LINE = 1 << 6, /* -lines as in pprof, or -functions if the pattern matches nothing then */
	WEB_VIEW_HAS_SEARCH = 1 << 7,   /* has a search field of its own */
	WEB_VIEW_NEEDS_STORE = 1 << 10, /* only in the menu if there is a store */
	WEB_VIEW_HAS_NODES = 1 << 9,    /* the legend shows what part of the total its nodes account for */
};

/* Append the content of a page to page->main. Fails with the status of the response, see web_status. */
typedef int web_draw_fn(struct web_page *page, struct err *err);

/*
 * Fill in a response that is not a page, its type and body, with status 200: for /ui/PATH.EXT, and for all requests if the
 * view draws no page.
 *
 * ext     "" without an extension
 */
typedef int web_send_fn(struct web_page *page, const char *ext, struct http_response *out, struct err *err);

/* A view: /ui/PATH as a page, /ui/PATH.EXT as a file. */
struct web_view {
	const char *path;
	const char *title;  /* in menus */
	const char *help;   /* tooltip of the menu entry */
	const char *key;    /* key that opens it; NULL for none */
	const char *report; /* its row of the report table; NULL if there is none */
	unsigned flags;     /* enum web_view_flags */
	const char *empty;  /* the reason if the page has no rows although filters removed none; NULL: it has rows */
	/* Reports whose files (struct report_file) the view can be written to, besides the formats of its own report. */
	const char *files[WEB_VIEW_FILES_MAX];
	const char *sends;              /* extensions of files that send writes, separated by blanks; NULL: none */
	void (*adapt)(struct query *q); /* set options of the page, but not of its files; NULL: none */
	web_draw_fn *draw;
	web_send_fn *send;
};

/* The view with this path of n bytes; NULL if there is none. */
const struct web_view *web_view_find(const struct web *w, const char *path, size_t n);

/* Open profiles on one side of a comparison. */
struct web_side {
	struct open_profile *profile[WORKSPACE_PROFILES_MAX]; /* [n] one reference each */
	size_t n;
};

struct web_page {
	struct web *web;
	const struct web_options *options;
	const struct http_request *request;
	const struct web_view *view;
	const char *ext;               /* extension of the path, without dot; "" for a page */
	struct url_params *params;     /* of the URL */
	struct settings *settings;     /* options of the command line, changed by the parameters */
	struct query q;                /* settings_query(settings), with stop, and the pattern of views that take one */
	struct web_side side[N_SIDES]; /* the profiles that prof and base of the URL name */
	struct open_profile *open, *base; /* each side as one profile; base is NULL unless the URL names one */
	struct open_profile *difference;  /* open minus base; NULL without a base */
	const char *base_name;            /* q.base with a difference */
	const struct profile *p;          /* the profile of reports: of open, or the difference */
	const struct profile *sides;      /* with separate samples of the base, for flame graphs; NULL without a base */
	struct stop *stop;
	struct arena *mem;
	struct label_facts facts; /* of the stores of the open profiles, if the report of the view needs them */
	struct answer answer;     /* report of the view, once made; its head has the title and the legend */
	struct buf main;          /* HTML of the view */
	struct buf notes;         /* messages for the user, a line each */
	bool wants_profile;       /* the URL names no profile, none is open, and the view needs one */
	unsigned refresh_seconds; /* time after which a browser without scripts loads the page again; 0: never */
	const char *remedy;       /* HTML that the page of an error shows below the message, or NULL */
	int status;               /* 200 unless the view sets another one */
};

/* Ask the stores of the open profiles, if the report of the view needs it. Fails as stored_labels_read. */
int web_page_ask_stores(struct web_page *page, struct err *err);

/* Make the report of the view, or another report, into page->answer. Fails as answer_make. */
int web_page_make(struct web_page *page, const char *report, struct err *err);

/*
 * After a report with a pattern has failed: release the answer, and change the query such that the pattern can match.
 * By line, the name of a function is followed by its line, so ^main$ matches nothing. Returns false if it cannot be
 * changed.
 */
bool web_page_widen(struct web_page *page);

/* Append the whole page around page->main: head, menus, messages. */
void web_frame_draw(struct web_page *page, struct buf *out);

/*
 * Links to views. web_link_start copies the parameters of the page, except those that choose its rows; change them, then
 * append the URL, relative to /ui/, escaped for an attribute.
 */
struct url_params *web_link_start(const struct web_page *page);
void web_link_end(struct url_params *link, const char *path, struct buf *out);

/* Append the URL of a link that will be changed and used again. */
void web_link_add(const struct url_params *link, const char *path, struct buf *out);

/* Append text of a profile, escaped for HTML, with control characters visible and bidirectional text isolated. */
void web_add_name(struct buf *out, const char *name);

/* Append a value with its unit, which may come from the profile, escaped for HTML. */
void web_add_report_value(const struct head *h, int64_t value, struct buf *out);

#endif
