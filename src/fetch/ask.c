/*
 * ask.c - one request to the API of a server of profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fetch/ask.h"

#include "base/str.h"
#include "base/time.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	ASK_TRIES = 3,
	ASK_WAIT_MAX_S = 10,
	ASK_TEXT_MAX = 300,
	OK = 200,
	TOO_MANY = 429,
	BAD_GATEWAY = 502,
	TIMEOUT = 504
};

static bool ask_is_busy(long status)
{
	return status == TOO_MANY || (status >= BAD_GATEWAY && status <= TIMEOUT);
}

/* Wait as long as the server asked, else 1 s, then 2 s. Returns false if the stop is set. */
static bool ask_wait(const struct fetch_request *r, int tries, struct stop *stop)
{
	int64_t s = r->retry_after > 0 ? r->retry_after : 1 << tries;
	int64_t end = clock_mono_ns() + (s < ASK_WAIT_MAX_S ? s : ASK_WAIT_MAX_S) * NS_PER_S;
	const struct timespec slice = { .tv_nsec = 50 * NS_PER_MS };

	while (!stop_is_set(stop) && clock_mono_ns() < end)
		nanosleep(&slice, NULL);
	return !stop_is_set(stop);
}

/* The part of a response that explains it: the message of JSON of several lines, as Google's APIs have it, else the first line. */
static const char *ask_find_message(char *text)
{
	static const char key[] = "\"message\": \"";
	char *message = starts_with(text, "{\n") ? strstr(text, key) : NULL;

	if (message)
		message += strlen(key);
	else
		message = text;
	message[strcspn(message, message == text ? "\r\n" : "\"\r\n")] = 0;
	return message;
}

/* Set the error of a response that is no success: its status, and the text that explains it. */
static void ask_explain(const struct fetch_request *r, struct err *err)
{
	char buffer[ASK_TEXT_MAX + 1];
	const char *text;
	size_t n = r->bytes.n < ASK_TEXT_MAX ? r->bytes.n : ASK_TEXT_MAX;

	*err = r->err;
	if (!r->bytes.data || n == 0)
		return;
	memcpy(buffer, r->bytes.data, n);
	buffer[n] = 0;
	text = ask_find_message(buffer);
	if (*text && !strstr(err->msg, text))
		err_set(err, r->err.code, "%.600s: %s", r->err.msg, text);
}

static int ask_once(const struct fetch_ask *a, const struct url *url, const struct fetch_options *options,
		    struct stop *stop, struct fetch_request *r)
{
	struct buf notes = { 0 };

	*r = (struct fetch_request){ .url = url,
				     .body = a->body,
				     .n_body = a->n_body,
				     .content_type = a->content_type,
				     .header = a->header,
				     .n_headers = a->n_headers,
				     .takes_any = true,
				     .keeps_refusal = true };
	fetch_all(r, 1, options, NULL, stop, &notes);
	buf_release(&notes);
	return r->rc;
}

int fetch_ask(const struct fetch_ask *a, const struct fetch_options *options, struct stop *stop, struct bytes *out,
	      long *status, struct err *err)
{
	size_t n = strlen(a->server);
	struct fetch_request r = { 0 };
	struct buf text = { 0 }, name = { 0 };
	struct err own = { 0 };
	struct url url;
	int rc;

	*out = (struct bytes){ 0 };
	*status = 0;
	while (n && a->server[n - 1] == '/')
		n--;
	buf_addf(&text, "%.*s%s", (int)n, a->server, a->path);
	rc = url_parse(buf_text(&text), 0, &url, err);
	if (rc < 0) {
		buf_release(&text);
		return rc;
	}
	for (int tries = 0; tries < ASK_TRIES; tries++) {
		free(r.bytes.data);
		rc = ask_once(a, &url, options, stop, &r);
		if (rc == 0 || !ask_is_busy(r.status) || tries + 1 == ASK_TRIES || !ask_wait(&r, tries, stop))
			break;
	}
	*status = r.status;
	if (rc == 0) {
		*out = r.bytes;
	} else {
		ask_explain(&r, &own);
		url_redact(a->server, &name);
		if (!strstr(own.msg, buf_text(&name)))
			err_wrap(&own, "%.200s", buf_text(&name));
		free(r.bytes.data);
		if (err)
			*err = own;
	}
	url_release(&url);
	buf_release(&name);
	buf_release(&text);
	return rc;
}
