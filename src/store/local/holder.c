/*
 * holder.c - the process that writes a store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/holder.h"

#include "base/io.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOCK_TEXT_MAX = 64 << 10 };

/* Does another process hold the lock? */
static bool holder_is_locked(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* Append the rest of the line "KEY REST". */
static void holder_add_field(const struct bytes *text, const char *key, struct buf *out)
{
	const char *at = (const char *)text->data, *end = at + text->n;
	size_t n_key = strlen(key);

	while (at < end) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));
		size_t n = (size_t)((line_end ? line_end : end) - at);

		if (n > n_key && memcmp(at, key, n_key) == 0 && at[n_key] == ' ') {
			buf_add(out, at + n_key + 1, n - n_key - 1);
			return;
		}
		at += n + 1;
	}
}

bool holder_find(const char *directory, struct store_holder *out)
{
	struct buf path = { 0 };
	struct bytes text = { 0 };
	bool is_held;
	int fd;

	*out = (struct store_holder){ 0 };
	buf_addf(&path, "%s/lock", directory);
	fd = open(buf_text(&path), O_RDONLY | O_CLOEXEC);
	buf_release(&path);
	if (fd < 0)
		return false;
	is_held = holder_is_locked(fd);
	if (is_held && io_read_fd(fd, LOCK_TEXT_MAX, NULL, &text, NULL) == 0) {
		holder_add_field(&text, "pid", &out->pid);
		holder_add_field(&text, "command", &out->command);
		holder_add_field(&text, "socket", &out->socket);
	}
	close(fd);
	free(text.data);
	return is_held;
}

void holder_release(struct store_holder *h)
{
	buf_release(&h->pid);
	buf_release(&h->command);
	buf_release(&h->socket);
}
