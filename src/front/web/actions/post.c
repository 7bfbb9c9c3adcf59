/*
 * post.c - actions: requests that change the state of the server
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/actions/post.h"

#include "base/jsonw.h"
#include "base/webpage.h"

#include <assert.h>
#include <string.h>

struct action {
	const char *name;
	web_post_fn *run;
	bool is_upload; /* accepts files; it checks the token of a multipart body itself */
	bool is_job;    /* computes for long: only a few run at the same time */
};

static const struct action actions[] = {
	{ .name = "save", .run = web_post_save },
	{ .name = "delete", .run = web_post_delete },
	{ .name = "open", .run = web_post_open, .is_upload = true, .is_job = true },
	{ .name = "folder", .run = web_post_folder, .is_job = true },
	{ .name = "close", .run = web_post_close },
	{ .name = "capture", .run = web_post_capture },
	{ .name = "stop", .run = web_post_stop },
	{ .name = "reload", .run = web_post_reload },
	{ .name = "merge", .run = web_post_merge, .is_job = true },
	{ .name = "store", .run = web_post_store, .is_job = true },
};

static bool has_token(const struct web *w, const struct http_request *request, const struct url_params *form)
{
	const char *header = http_request_header(request, "X-Cpa-Token");

	return web_is_token(w, header ? header : form ? url_params_get(form, "token") : "");
}

static bool check_method(const struct web *w, const struct http_request *request, const char *method,
			 struct http_response *out)
{
	struct buf allow = { 0 };
	bool is_allowed = strcmp(request->method, "POST") == 0 || (method && strcmp(request->method, method) == 0);

	if (is_allowed)
		return true;
	buf_addf(&allow, "POST%s%s", method ? ", " : "", method ? method : "");
	http_response_add(out, "Allow", buf_text(&allow));
	buf_release(&allow);
	web_refuse(w, request, 405, "this changes the state of cpa; send a POST from a page of cpa", out);
	return false;
}

static const char no_token[] =
	"the token of the page is missing or from an earlier start; reload the page and try again";

bool web_post_check(const struct web *w, const struct http_request *request, const char *method,
		    const struct url_params *form, struct http_response *out)
{
	if (!check_method(w, request, method, out))
		return false;
	if (has_token(w, request, form))
		return true;
	web_refuse(w, request, 403, no_token, out);
	return false;
}

/* A browser is redirected to the page; a script gets its address. */
static void send_location(const struct web_post *post, struct http_response *out)
{
	struct buf to = { 0 };

	http_response_add(out, "Cache-Control", "no-store");
	if (web_wants_html(post->request)) {
		buf_addf(&to, "../%s", buf_text(&post->location));
		http_response_add(out, "Location", buf_text(&to));
		out->status = 303;
		buf_release(&to);
	} else {
		struct json j = { .out = &out->body, .is_one_line = true };

		out->status = 200;
		out->type = "application/json";
		jsonw_open(&j, '{');
		jsonw_add_text(&j, "location", buf_text(&post->location));
		buf_addz(&out->body, buf_text(&post->json));
		jsonw_close(&j, '}');
		buf_addz(&out->body, "\n");
	}
}

/* Read the fields of a request: of the body, or of the query of an upload. */
static int read_form(struct web_post *post, struct err *err)
{
	const struct http_request *r = post->request;

	if (r->upload >= 0)
		return url_params_parse(r->query, strlen(r->query), &post->form, err);
	return url_params_parse(r->body, r->n_body, &post->form, err);
}

struct post_running {
	const struct action *action;
	struct web_post *post;
};

static void perform(void *arg, struct stop *stop, struct http_response *out)
{
	const struct post_running *r = arg;
	struct web_post *post = r->post;
	struct err err;
	int rc;

	post->stop = stop;
	rc = r->action->run(post, &err);
	if (post->is_denied)
		web_refuse(post->web, post->request, 403, no_token, out);
	else if (rc < 0)
		web_refuse(post->web, post->request, web_status(&err), err.msg, out);
	else
		send_location(post, out);
}

static void post_run(const struct action *a, struct web_post *post, struct http_response *out)
{
	const struct jobs_client client = { .tab = "", .slot = "", .stop = post->stop };
	struct post_running running = { a, post };
	struct err err;
	int rc = read_form(post, &err);
	bool checks_itself = a->is_upload && post->request->upload >= 0;

	if (rc == 0 && !(checks_itself ? check_method(post->web, post->request, NULL, out)
				       : web_post_check(post->web, post->request, NULL, post->form, out)))
		return;
	if (rc == 0)
		rc = web_wait_loaded(post->web, post->stop, &err);
	if (rc == 0 && a->is_job)
		rc = jobs_run(post->web->jobs, &client, NULL, perform, &running, out, &err);
	else if (rc == 0)
		perform(&running, post->stop, out);
	if (rc < 0)
		web_refuse(post->web, post->request, web_status(&err), err.msg, out);
}

void web_post_answer(struct web *w, const char *name, const struct http_request *request, struct stop *stop,
		     struct http_response *out)
{
	struct web_post post = { .web = w, .request = request, .stop = stop };

	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (strcmp(actions[i].name, name) != 0)
			continue;
		if (check_method(w, request, NULL, out))
			post_run(&actions[i], &post, out);
		url_params_free(post.form);
		buf_release(&post.location);
		buf_release(&post.json);
		return;
	}
	web_refuse(w, request, 404, "404 page not found", out);
}
