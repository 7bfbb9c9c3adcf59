/*
 * request.c - properties of requests, redirects, and refusals
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/parts/state.h"

#include <stdio.h>
#include <string.h>

void web_add_up(const struct http_request *request, struct buf *out)
{
	static const char prefix[] = "/ui/";
	bool is_below = strncmp(request->path, prefix, strlen(prefix)) == 0;
	const char *rest = request->path + (is_below ? strlen(prefix) : 1);

	for (const char *slash = strchr(rest, '/'); slash; slash = strchr(slash + 1, '/'))
		buf_addz(out, "../");
	if (!is_below)
		buf_addz(out, prefix + 1);
}

void web_redirect(const struct http_request *request, int status, const char *location, struct http_response *out)
{
	struct buf to = { 0 };

	buf_addz(&to, location);
	if (*request->query)
		buf_addf(&to, "?%s", request->query);
	http_response_add(out, "Location", buf_text(&to));
	out->status = status;
	buf_release(&to);
}

bool web_wants_html(const struct http_request *request)
{
	const char *accept = http_request_header(request, "Accept");

	return accept && strstr(accept, "text/html");
}

bool web_wants_text(const struct http_request *request)
{
	const char *accept = http_request_header(request, "Accept");

	return accept && strstr(accept, "text/plain") && !strstr(accept, "text/html");
}

int web_status(const struct err *err)
{
	switch (err->code) {
	case ERR_USAGE:
	case ERR_FORMAT:
	case ERR_RANGE:
	case ERR_LIMIT:
		return 400;
	case ERR_UNKNOWN: /* a program is missing */
		return 501;
	case ERR_STOPPED:
		return 503;
	case ERR_MEMORY:
		return 507;
	default:
		return 500;
	}
}

void web_report_error(const struct web *w, const char *sentence)
{
	if (w->options.report)
		w->options.report(w->options.report_arg, sentence);
}

void web_refuse(const struct web *w, const struct http_request *request, int status, const char *sentence,
		struct http_response *out)
{
	struct buf up = { 0 };
	char title[32];

	if (status != 503) /* the client is gone, or sent a newer request */
		web_report_error(w, sentence);
	out->status = status;
	http_response_add(out, "Cache-Control", "no-store");
	if (!web_wants_html(request)) {
		out->type = "text/plain; charset=utf-8";
		buf_addf(&out->body, "%s\n", sentence);
		return;
	}
	out->type = "text/html; charset=utf-8";
	snprintf(title, sizeof(title), "Error %d", status);
	web_add_up(request, &up);
	web_add_head_below(&out->body, buf_text(&up), title, 0);
	buf_addf(&out->body, "<main id=\"main\"><h1>%s</h1><p class=\"error\">", title);
	web_add_name(&out->body, sentence);
	buf_addf(&out->body, "</p><p><a href=\"%s\">Show the whole profile</a></p></main></body></html>\n",
		 up.len ? buf_text(&up) : "./");
	buf_release(&up);
}

bool web_is_token(const struct web *w, const char *given)
{
	unsigned char difference = 0;

	if (strlen(given) != WEB_TOKEN_LENGTH)
		return false;
	for (int i = 0; i < WEB_TOKEN_LENGTH; i++)
		difference |= (unsigned char)(given[i] ^ w->options.token[i]);
	return !difference;
}
