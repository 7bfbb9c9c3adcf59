/*
 * progress.c - the load of the command line: waiting for it, and its progress
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/parts/state.h"

#include "base/cond.h"

bool web_is_loading(struct web *w)
{
	bool is;

	pthread_mutex_lock(&w->lock);
	is = w->state == WEB_LOADING;
	pthread_mutex_unlock(&w->lock);
	return is;
}

void web_loading_draw(struct web *w, struct http_response *out)
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

int web_wait_loaded(struct web *w, struct stop *stop, struct err *err)
{
	enum { POLL_MS = 50 };
	int rc = 0;

	pthread_mutex_lock(&w->lock);
	while (w->state == WEB_LOADING && !stop_is_set(stop))
		cond_wait_ms(&w->loaded, &w->lock, POLL_MS);
	if (w->state == WEB_FAILED)
		rc = err_set(err, ERR_IO, "%s", buf_text(&w->failure));
	pthread_mutex_unlock(&w->lock);
	return rc < 0 ? rc : stop_check(stop, err);
}
