/*
 * post.h - actions: requests that change the state of the server
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * An action is a POST to /ui/do/NAME with the token of web_options, in the form field "token" or in the header
 * X-Cpa-Token. A browser is redirected to a page; a script gets JSON.
 */
#ifndef FRONT_WEB_ACTIONS_POST_H
#define FRONT_WEB_ACTIONS_POST_H

#include "front/web/parts/state.h"

struct web_post {
	struct web *web;
	const struct http_request *request;
	struct url_params *form; /* fields of the body; parameters of the query for an upload */
	struct stop *stop;
	bool is_denied;      /* the action failed because the token is missing */
	struct buf location; /* page to show next, relative to /ui/; set by the action */
	struct buf json;     /* members of the JSON object for scripts, each after a comma; may remain empty */
};

/*
 * Check that a request is a POST, or of another method, with the token. If not, fill in the response: 405 or 403.
 *
 * method  allowed besides POST; NULL for none
 * form    fields of the body
 */
bool web_post_check(const struct web *w, const struct http_request *request, const char *method,
		    const struct url_params *form, struct http_response *out);

/* Answer a request to /ui/do/NAME. */
void web_post_answer(struct web *w, const char *name, const struct http_request *request, struct stop *stop,
		     struct http_response *out);

/* Answer a request to pprof's /ui/saveconfig or /ui/deleteconfig, whose query contains the config and the options. */
void web_post_answer_config(struct web *w, bool is_save, const struct http_request *request, struct http_response *out);

/* Give back n opened profiles, and unless rc is an error show them next: the first, the difference of two, or the list. */
void web_post_show_opened(struct web_post *post, int rc, struct open_profile *const *o, size_t n);

/* The actions: save and delete configs; open uploads, files of folders, windows of the store and sums; close profiles; start
   and stop captures. */
typedef int web_post_fn(struct web_post *post, struct err *err);
web_post_fn web_post_save, web_post_delete, web_post_open, web_post_folder, web_post_store, web_post_merge,
	web_post_close, web_post_capture, web_post_reload, web_post_stop;

#endif
