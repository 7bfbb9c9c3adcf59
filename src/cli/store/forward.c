/*
 * forward.c - send a command line to the collector that holds the store
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The file DIR/lock of a store that is open for writing has a line "socket PATH" if the writer accepts commands. The
 * body of the request is the arguments, separated by NUL.
 */
#include "config.h"

#include "cli/store/forward.h"

#include "base/io.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"
#include "cli/http_options.h"
#include "fetch/fetch.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOCK_TEXT_MAX = 65536, STATUS_OK = 200, STATUS_CONFLICT = 409 };

/* Does another process hold the lock of the store? */
static bool is_locked(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* Append the socket of the process that holds the store. Returns false if there is none. */
static bool find_socket(const char *directory, struct buf *out)
{
	static const char key[] = "socket ";
	struct buf path = { 0 };
	struct bytes text = { 0 };
	bool is_found = false;
	struct err err;
	int fd;

	buf_addf(&path, "%s/lock", directory);
	fd = open(buf_text(&path), O_RDWR | O_CLOEXEC);
	if (fd >= 0 && is_locked(fd) && io_read_fd(fd, LOCK_TEXT_MAX, NULL, &text, &err) == 0) {
		const char *at = (const char *)text.data, *end = at + text.n;

		while (at < end && !is_found) {
			const char *line_end = memchr(at, '\n', (size_t)(end - at));
			size_t n = (size_t)((line_end ? line_end : end) - at);

			is_found = n > strlen(key) && memcmp(at, key, strlen(key)) == 0;
			if (is_found)
				buf_add(out, at + strlen(key), n - strlen(key));
			at += n + 1;
		}
	}
	if (fd >= 0)
		close(fd);
	free(text.data);
	buf_release(&path);
	return is_found;
}

/* Append an argument and a NUL. Names of files are made absolute, since the collector has another current folder. */
static void add_argument(const char *word, bool can_be_file, struct buf *out)
{
	char *path = can_be_file && *word != '-' ? realpath(word, NULL) : NULL;

	buf_addz(out, path ? path : word);
	buf_add(out, "", 1);
	free(path);
}

int cmd_store_forward(const char *directory, bool has_files, int argc, char **argv, struct buf *out, struct err *err)
{
	struct buf path = { 0 }, body = { 0 };
	struct http_options http;
	struct url url = { .scheme = (char *)(uintptr_t) "http",
			   .host = (char *)(uintptr_t) "localhost",
			   .path = (char *)(uintptr_t) "/api/v1/store",
			   .query = (char *)(uintptr_t) "" };
	struct fetch_request r = { .url = &url };
	int rc;

	if (!find_socket(directory, &path)) {
		buf_release(&path);
		return err_set(err, ERR_UNKNOWN, "no collector holds %s", directory);
	}
	for (int i = 0, is_after_name = 0; i < argc; i++) {
		add_argument(argv[i], has_files && is_after_name, &body);
		is_after_name |= *argv[i] != '-';
	}
	url.socket = path.data;
	r.body = buf_text(&body);
	r.n_body = body.len;
	cmd_http_set_defaults(&http);
	cmd_http_fetch(&http, &r, 1, "waiting for the collector");
	rc = r.rc;
	if (r.status == STATUS_OK || r.status == STATUS_CONFLICT) {
		buf_add(out, r.bytes.data, r.bytes.n);
		rc = r.status == STATUS_CONFLICT;
	} else if (r.status && r.bytes.n) {
		rc = err_set(err, ERR_IO, "%.*s", (int)(r.bytes.n < INT_MAX ? r.bytes.n : INT_MAX),
			     (const char *)r.bytes.data);
	} else if (rc < 0) {
		*err = r.err;
		err_wrap(err, "collector at unix:%s", path.data);
	}
	free(r.bytes.data);
	buf_release(&body);
	buf_release(&path);
	return rc;
}
