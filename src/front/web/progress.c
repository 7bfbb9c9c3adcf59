/*
 * progress.c - the progress of the load and of running requests
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/web_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool web_is_loading(struct web *w)
{
	bool is;

	pthread_mutex_lock(&w->lock);
	is = w->state == WEB_LOADING;
	pthread_mutex_unlock(&w->lock);
	return is;
}

void web_draw_loading(struct web *w, struct http_response *out)
{
	const char *activity;
	int percent = stop_percent(&w->load_stop, &activity);

	out->status = 200;
	out->type = "text/html; charset=utf-8";
	web_add_head(&out->body, "Loading", 1);
	buf_addz(&out->body, "<main id=\"main\"><h1>Loading</h1><p role=\"status\"><span id=\"loading\">");
	web_add_name(&out->body, activity ? activity : "starting");
	if (percent >= 0)
		buf_addf(&out->body, ", %d&nbsp;%%", percent);
	buf_addf(&out->body, "</span></p><p><progress max=\"100\" value=\"%d\"></progress></p></main></body></html>\n",
		 percent > 0 ? percent : 0);
	http_response_add(out, "Cache-Control", "no-store");
}

static void add_json(const char *state, const struct jobs_progress *progress, struct buf *out)
{
	/* activities are texts of this program without characters that JSON escapes */
	buf_addf(out, "{\"state\":\"%s\"", state);
	if (progress)
		buf_addf(out, ",\"activity\":\"%s\",\"percent\":%d,\"ms\":%" PRIu64,
			 progress->activity ? progress->activity : "waiting", progress->percent, progress->elapsed_ms);
	buf_addz(out, "}\n");
}

void web_send_progress(struct web *w, const struct http_request *request, struct http_response *out)
{
	struct jobs_progress progress = { 0 };
	struct url_params *params;
	struct err err;

	if (url_params_parse(request->query, strlen(request->query), &params, &err) < 0) {
		web_refuse(w, request, web_status(&err), err.msg, out);
		return;
	}
	out->status = 200;
	out->type = "application/json";
	http_response_add(out, "Cache-Control", "no-store");
	if (*url_params_get(params, "capture")) {
		web_send_capture(w, (unsigned)strtoul(url_params_get(params, "capture"), NULL, 10), out);
	} else if (web_is_loading(w)) {
		progress.percent = stop_percent(&w->load_stop, &progress.activity);
		add_json("loading", &progress, &out->body);
	} else if (jobs_find_progress(w->jobs, url_params_get(params, "tab"), &progress)) {
		add_json("running", &progress, &out->body);
	} else {
		add_json("idle", NULL, &out->body);
	}
	url_params_free(params);
}
