/*
 * status.c - print the state of a running collector
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/collect/status.h"

#include "base/buf.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/cli/http_options.h"
#include "front/cli/messages.h"
#include "fetch/fetch.h"
#include "fetch/url.h"
#include "store/local/layout.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Append the path of the socket of the collector. Fails with ERR_IO if none runs. */
static int collect_status_find_socket(const char *directory, struct buf *out, struct err *err)
{
	struct store_holder holder;
	struct buf path = { 0 };
	bool is_held = holder_find(directory, &holder), is_store;
	int rc = 0;

	buf_addf(&path, "%s/STORE", directory);
	is_store = access(path.data, F_OK) == 0;
	buf_release(&path);
	if (is_held && holder.socket.len)
		buf_addz(out, buf_text(&holder.socket));
	else if (is_held)
		rc = err_set(err, ERR_IO, "no collector runs on the store %s; process %s writes it (%s)", directory,
			     buf_text(&holder.pid), buf_text(&holder.command));
	else if (is_store)
		rc = err_set(err, ERR_IO, "no collector runs on the store %s", directory);
	else
		rc = err_set(err, ERR_IO, "%s: there is no store; cpa collect TARGET makes one", directory);
	holder_release(&holder);
	return rc;
}

static int collect_status_fetch(const char *socket, bool json, struct bytes *out, struct err *err)
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
	rc = collect_status_find_socket(directory.data, &socket, &err);
	rc = rc < 0 ? rc : collect_status_fetch(socket.data, json, &text, &err);
	rc = rc < 0 ? rc : io_write_fd(STDOUT_FILENO, text.data, text.n, &err);
	free(text.data);
	buf_release(&directory);
	buf_release(&socket);
	return rc < 0 ? say_error("%s", err.msg) : STATUS_FINE;
}
