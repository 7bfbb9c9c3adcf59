/*
 * bad.c - moves damaged files out of the way
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/write/bad.h"

#include "base/buf.h"
#include "store/local/write/cap.h"
#include "store/local/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BAD_NAMES_MAX = 1000 };

/* Find a name in bad/ that is free. */
static void bad_find_name(int dir, const char *file, char *out, size_t size)
{
	const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	struct stat st;

	snprintf(out, size, "bad/%.100s", base);
	for (int i = 1; i < BAD_NAMES_MAX && fstatat(dir, out, &st, AT_SYMLINK_NOFOLLOW) == 0; i++)
		snprintf(out, size, "bad/%.100s.%d", base, i);
}

static int bad_write_note(int dir, const char *name, mode_t mode, const char *file, const char *why)
{
	struct buf text = { 0 };
	int rc, fd = os_open(dir, name, O_WRONLY | O_CREAT | O_TRUNC, mode & 0660);

	if (fd < 0)
		return -1;
	buf_addf(&text, "%s: %s\n", file, why);
	rc = os_pwrite(fd, text.data, text.len, 0);
	close(fd);
	buf_release(&text);
	return rc;
}

static uint64_t bad_file_bytes(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ? 0 : (uint64_t)st.st_blocks * 512;
}

int bad_move(int dir, const char *directory, mode_t mode, const char *file, const char *why, uint64_t *bytes,
	     struct err *err)
{
	char to[128], note[136];

	if (bytes)
		*bytes = 0;
	bad_find_name(dir, file, to, sizeof(to));
	snprintf(note, sizeof(note), "%s.txt", to);
	if (os_mkdir(dir, "bad", mode) < 0 || os_rename(dir, file, to) < 0) {
		if (errno == ENOENT)
			return 0;
		return err_set(err, ERR_IO, "%s/%s: cannot be moved to bad/: %s", directory, file, strerror(errno));
	}
	os_sync_folder(dir, "bad");
	if (bad_write_note(dir, note, mode, file, why) < 0)
		return err_set(err, ERR_IO, "%s/%s: %s", directory, note, strerror(errno));
	if (bytes)
		*bytes = bad_file_bytes(dir, to) + bad_file_bytes(dir, note);
	return 0;
}
