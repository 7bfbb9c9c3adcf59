/*
 * status.c - print the state of a running collector
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/collect/status.h"

#include "base/buf.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/http_options.h"
#include "cli/messages.h"
#include "fetch/fetch.h"
#include "fetch/url.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOCK_MAX = 64 << 10 };

/* Append the path of the socket from the lock file. Fails with ERR_IO if no collector runs. */
static int find_socket(const char *directory, struct buf *out, struct err *err)
{
	struct buf path = { 0 };
	struct bytes file = { 0 };
	const char *at;
	int rc;

	buf_addf(&path, "%s/lock", directory);
	rc = io_read_file(path.data, LOCK_MAX, NULL, &file, err);
	buf_release(&path);
	if (rc < 0)
		return err_set(err, ERR_IO, "%s: there is no store; cpa collect TARGET makes one", directory);
	at = memmem(file.data, file.n, "\nsocket ", strlen("\nsocket "));
	if (at) {
		const char *end = (const char *)file.data + file.n, *newline;

		at += strlen("\nsocket ");
		newline = memchr(at, '\n', (size_t)(end - at));
		buf_add(out, at, (size_t)((newline ? newline : end) - at));
	}
	free(file.data);
	if (!out->len || access(out->data, F_OK) != 0)
		return err_set(err, ERR_IO, "no collector runs on the store %s", directory);
	return 0;
}

static int fetch(const char *socket, bool json, struct bytes *out, struct err *err)
{
	struct http_options o;
	struct fetch_request request = { 0 };
	struct buf source = { 0 };
	struct url url;
	int rc;

	cmd_http_set_defaults(&o);
	buf_addf(&source, "unix:%s:/status.%s", socket, json ? "json" : "txt");
	rc = url_parse(source.data, 0, &url, err);
	buf_release(&source);
	if (rc < 0)
		return rc;
	request.url = &url;
	cmd_http_fetch(&o, &request, 1, "asking the collector");
	*err = request.err;
	*out = request.bytes;
	url_release(&url);
	return request.rc;
}

int cmd_collect_status(const char *store, bool json)
{
	struct buf directory = { 0 }, socket = { 0 };
	struct bytes text = { 0 };
	struct err err;
	int rc;

	store_directory(store, &directory);
	rc = find_socket(directory.data, &socket, &err);
	rc = rc < 0 ? rc : fetch(socket.data, json, &text, &err);
	rc = rc < 0 ? rc : io_write_fd(STDOUT_FILENO, text.data, text.n, &err);
	free(text.data);
	buf_release(&directory);
	buf_release(&socket);
	return rc < 0 ? say_error("%s", err.msg) : STATUS_FINE;
}
