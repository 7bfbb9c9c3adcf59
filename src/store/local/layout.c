/*
 * layout.c - the directory of a store: its name, the files STORE and lock, folders
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/layout.h"

#include "base/io.h"
#include "base/str.h"
#include "base/time.h"
#include "store/local/os.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static int store_layout_hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool parse_uuid(const char *text, uint8_t uuid[16])
{
	for (int i = 0; i < 32; i++) {
		int digit = store_layout_hex_digit(text[i]);

		if (digit < 0)
			return false;
		uuid[i / 2] = (uint8_t)(i % 2 ? uuid[i / 2] | digit : digit << 4);
	}
	return text[32] == '\n';
}

int os_read_header(int dir, const char *directory, uint8_t uuid[16], struct err *err)
{
	char text[512];
	int fd = openat(dir, "STORE", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);
	int saved = errno;
	const char *line;
	unsigned major;

	if (fd >= 0)
		close(fd);
	if (n < 0 && saved == ENOENT)
		return err_set(err, ERR_IO, "%s: is not a store; \"cpa store import\" or \"cpa collect\" makes one",
			       directory);
	if (n < 0)
		return err_set(err, ERR_IO, "%s/STORE: %s", directory, strerror(saved));
	text[n] = 0;
	if (sscanf(text, "cpa store %u", &major) != 1)
		return err_set(err, ERR_FORMAT, "%s/STORE: is damaged; make it again with: cpa store repair",
			       directory);
	if (major != STORE_MAJOR)
		return err_set(err, ERR_UNKNOWN, "%s: has format %u; this cpa reads format %d, a newer cpa is needed",
			       directory, major, STORE_MAJOR);
	line = strstr(text, "\nuuid ");
	if (!line || !parse_uuid(line + 6, uuid))
		return err_set(err, ERR_FORMAT, "%s/STORE: has no uuid; make it again with: cpa store repair",
			       directory);
	return 0;
}

void os_random(void *out, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t got = getrandom((char *)out + done, n - done, 0);

		if (got > 0)
			done += (size_t)got;
	}
}

/* The value of a line "KEY VALUE" of the lock file, up to max bytes; "" if there is none. */
static void lock_field(const char *text, const char *key, char *out, size_t max)
{
	size_t n = strlen(key);

	*out = 0;
	for (const char *line = text; *line; line += *line == '\n') {
		size_t length = strcspn(line, "\n");

		if (length > n && strncmp(line, key, n) == 0 && line[n] == ' ') {
			snprintf(out, max, "%.*s", (int)(length - n - 1), line + n + 1);
			return;
		}
		line += length;
	}
}

static int report_holder(int fd, const char *directory, struct buf *holder, struct err *err)
{
	char text[4096], pid[32], started[64], command[512];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = 0;
	if (holder)
		buf_addz(holder, text);
	lock_field(text, "pid", pid, sizeof(pid));
	lock_field(text, "started", started, sizeof(started));
	lock_field(text, "command", command, sizeof(command));
	return err_set(err, ERR_IO, "%s: is being written by process %s (%s), started %s; only one process can write",
		       directory, *pid ? pid : "?", *command ? command : "?", *started ? started : "?");
}

/* owner: the command, then lines that are copied. */
static int write_lock(int fd, const char *owner)
{
	struct buf text = { 0 };
	size_t command = owner ? strcspn(owner, "\n") : 0;
	int rc;

	buf_addf(&text, "pid %ld\nstarted ", (long)getpid());
	time_add_utc(&text, clock_wall_ns(), TIME_ISO);
	buf_addf(&text, "\ncommand %.*s\n", (int)command, owner ? owner : "");
	if (owner && owner[command] && owner[command + 1]) {
		buf_addz(&text, owner + command + 1);
		if (text.data[text.len - 1] != '\n')
			buf_addz(&text, "\n");
	}
	rc = os_truncate(fd, 0) < 0 ? -1 : os_pwrite(fd, text.data, text.len, 0);
	buf_release(&text);
	return rc;
}

int os_lock(int dir, const char *directory, const char *owner, mode_t mode, struct buf *holder, struct err *err)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	const char *type;
	int rc, fd;

	if (os_is_network(dir, &type))
		return err_set(err, ERR_IO,
			       "%s: is on a network file system (%s), where locks and shared memory are not reliable; "
			       "choose a local directory",
			       directory, type);
	fd = os_open(dir, "lock", O_RDWR | O_CREAT, mode);
	if (fd < 0)
		return err_set(err, ERR_IO, "%s/lock: %s", directory, strerror(errno));
	if (fcntl(fd, F_OFD_SETLK, &lock) < 0)
		rc = errno == EAGAIN || errno == EACCES
			     ? report_holder(fd, directory, holder, err)
			     : err_set(err, ERR_IO, "%s/lock: %s", directory, strerror(errno));
	else if (write_lock(fd, owner) < 0)
		rc = err_set(err, ERR_IO, "%s/lock: %s", directory, strerror(errno));
	else
		return fd;
	close(fd);
	return rc;
}

/* ---- the process that writes a store ---- */

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
