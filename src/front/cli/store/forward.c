/*
 * forward.c - send a command line to the collector that holds the store
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The file DIR/lock of a store that is open for writing has a line "socket PATH" if the writer accepts commands. The
 * body of the request is the arguments, separated by NUL; the query is the current folder, to which names of files are
 * relative. The response is the output; if the command fails, it is the message, NUL, and the output.
 */
#include "config.h"

#include "front/cli/store/forward.h"

#include "base/mem.h"
#include "base/time.h"
#include "base/url_escape.h"
#include "front/cli/http_options.h"
#include "fetch/fetch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATUS_OK = 200, STATUS_CONFLICT = 409, WAIT_SECONDS = 7 * S_PER_DAY };

static void forward_add_folder(struct buf *query)
{
	char *folder = getcwd(NULL, 0);

	if (!folder)
		return;
	buf_addz(query, "folder=");
	url_escape(folder, strlen(folder), URL_QUERY, query);
	free(folder);
}

/* Take the output and the exit status, or the message, from a response. */
static int take_response(const struct fetch_request *r, const char *socket, struct buf *out, struct err *err)
{
	const char *text = (const char *)r->bytes.data, *end;

	if (r->status == STATUS_OK || r->status == STATUS_CONFLICT) {
		buf_add(out, text, r->bytes.n);
		return r->status == STATUS_CONFLICT;
	}
	if (!r->status || !r->bytes.n) {
		*err = r->err;
		return err_wrap(err, "collector at unix:%s", socket);
	}
	end = memchr(text, '\0', r->bytes.n);
	if (end)
		buf_add(out, end + 1, r->bytes.n - (size_t)(end + 1 - text));
	for (end = end ? end : text + r->bytes.n; end > text && end[-1] == '\n';)
		end--;
	return err_set(err, ERR_IO, "%.*s",
		       (int)(end - text < (ptrdiff_t)sizeof(err->msg) ? end - text : (ptrdiff_t)sizeof(err->msg)),
		       text);
}

int cmd_store_forward(const char *socket, int argc, char **argv, struct buf *out, struct err *err)
{
	struct buf body = { 0 }, query = { 0 };
	struct http_options http;
	struct url url = { .socket = (char *)(uintptr_t)socket,
			   .scheme = (char *)(uintptr_t) "http",
			   .host = (char *)(uintptr_t) "localhost",
			   .path = (char *)(uintptr_t) "/api/v1/store" };
	struct fetch_request r = { .url = &url, .keeps_refusal = true };
	int rc;

	forward_add_folder(&query);
	for (int i = 0; i < argc; i++)
		buf_add(&body, argv[i], strlen(argv[i]) + 1);
	url.query = (char *)(uintptr_t)buf_text(&query);
	r.body = buf_text(&body);
	r.n_body = body.len;
	cmd_http_set_defaults(&http);
	http.timeout = WAIT_SECONDS; /* an import takes its time; Ctrl-C stops waiting */
	cmd_http_fetch(&http, &r, 1, "waiting for the collector");
	rc = take_response(&r, socket, out, err);
	free(r.bytes.data);
	buf_release(&body);
	buf_release(&query);
	return rc;
}
