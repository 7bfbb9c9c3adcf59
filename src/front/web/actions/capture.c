/*
 * capture.c - start and stop captures
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/actions/post.h"

#include "front/web/jobs/capture.h"

#include <stdlib.h>
#include <string.h>

/* Read a number of a form; "" is 0. */
static int web_capture_read_number(const struct web_post *post, const char *key, unsigned *out, struct err *err)
{
	const char *text = url_params_get(post->form, key);
	unsigned long n;
	char *end;

	n = strtoul(text, &end, 10);
	if (strlen(text) > 9 || *end || strchr(text, '-'))
		return err_set(err, ERR_USAGE, "%s: expected a number, not %.20s", key, text);
	*out = (unsigned)n;
	return 0;
}

int web_post_capture(struct web_post *post, struct err *err)
{
	struct capture_options o = { .kind = url_params_get(post->form, "kind"),
				     .compare = strcmp(url_params_get(post->form, "then"), "show") != 0 };
	unsigned server = 0, number;
	int rc = web_capture_read_number(post, "server", &server, err);

	rc = rc ? rc : web_capture_read_number(post, "seconds", &o.seconds, err);
	rc = rc ? rc : web_capture_read_number(post, "hz", &o.hz, err);
	rc = rc ? rc : web_capture_read_number(post, "repeat", &o.repeat_minutes, err);
	o.server = server;
	if (rc == 0 && server >= captures_n_servers(post->web->captures))
		rc = err_set(err, ERR_USAGE, "no such server; servers are given on the command line of cpa -http");
	if (rc == 0 && strcmp(o.kind, "profile") != 0 && strcmp(url_params_get(post->form, "delta"), "t") != 0)
		o.seconds = 0; /* the current state, unless the change during the seconds is wanted */
	if (rc == 0)
		rc = captures_start(post->web->captures, &o, &number, err);
	if (rc == 0)
		buf_addf(&post->location, "capture?capture=%u", number);
	return rc;
}

int web_post_reload(struct web_post *post, struct err *err)
{
	struct captures *c = post->web->captures;
	struct capture_options o = { .server = captures_n_servers(c), .kind = "profile", .compare = true };
	unsigned number;
	int rc = captures_start(c, &o, &number, err);

	if (rc == 0)
		buf_addf(&post->location, "capture?capture=%u", number);
	return rc;
}

int web_post_stop(struct web_post *post, struct err *err)
{
	unsigned number = 0;
	int rc = web_capture_read_number(post, "capture", &number, err);

	if (rc == 0 &&
	    !captures_stop(post->web->captures, number, strcmp(url_params_get(post->form, "keep"), "t") == 0))
		rc = err_set(err, ERR_USAGE, "capture %u is not running", number);
	if (rc == 0)
		buf_addf(&post->location, "capture?capture=%u", number);
	return rc;
}
