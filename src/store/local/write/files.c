/*
 * files.c - creates and removes files of a store for its writer
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/time.h"
#include "store/local/layout.h"
#include "store/local/os.h"
#include "store/local/write/writer_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int writer_write_header(struct store_writer *w, struct err *err)
{
	struct buf text = { 0 };
	int rc = -1, fd;

	buf_addf(&text, "cpa store %d\nuuid ", STORE_MAJOR);
	for (int i = 0; i < 16; i++)
		buf_addf(&text, "%02x", w->uuid[i]);
	buf_addz(&text, "\nmade ");
	time_add_utc(&text, w->now(), TIME_ISO);
	buf_addz(&text, "\nby cpa " PACKAGE_VERSION "\n");
	fd = writer_create_file(w, "tmp/STORE", O_WRONLY | O_CREAT | O_TRUNC, err);
	if (fd >= 0) {
		if (os_pwrite(fd, text.data, text.len, 0) < 0 || os_fsync(fd) < 0 ||
		    os_rename(w->dir, "tmp/STORE", "STORE") < 0 || os_sync_folder(w->dir, "") < 0)
			rc = err_set(err, ERR_IO, "%s/STORE: %s", w->directory, strerror(errno));
		else
			rc = 0;
		close(fd);
	} else {
		rc = fd;
	}
	buf_release(&text);
	return rc;
}

int writer_create_file(const struct store_writer *w, const char *name, int flags, struct err *err)
{
	int fd = os_open(w->dir, name, flags, w->file_mode);

	if (fd < 0)
		return err_set(err, ERR_IO, "%s/%s: %s", w->directory, name, strerror(errno));
	if ((flags & O_CREAT) &&
	    (fchmod(fd, w->file_mode) < 0 || (w->gid != (gid_t)-1 && fchown(fd, (uid_t)-1, w->gid) < 0))) {
		int saved = errno;

		close(fd);
		return err_set(err, ERR_IO, "%s/%s: %s", w->directory, name, strerror(saved));
	}
	return fd;
}

static int files_make_folder(const struct store_writer *w, const char *folder, const char *parent, struct err *err)
{
	struct stat st;

	if (fstatat(w->dir, folder, &st, 0) == 0 && S_ISDIR(st.st_mode))
		return 0;
	if (os_mkdir(w->dir, folder, w->dir_mode) < 0 || fchmodat(w->dir, folder, w->dir_mode, 0) < 0 ||
	    (w->gid != (gid_t)-1 && fchownat(w->dir, folder, (uid_t)-1, w->gid, 0) < 0) ||
	    os_sync_folder(w->dir, parent) < 0)
		return err_set(err, ERR_IO, "%s/%s: %s", w->directory, folder, strerror(errno));
	return 0;
}

int writer_make_folders(const struct store_writer *w, const char *name, struct err *err)
{
	char folder[256], parent[256] = "";

	for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		int rc;

		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - name), name);
		rc = files_make_folder(w, folder, parent, err);
		if (rc < 0)
			return rc;
		memcpy(parent, folder, sizeof(parent));
	}
	return 0;
}

int writer_remove_file(struct store_writer *w, const char *name, enum cap_kind kind, struct err *err)
{
	struct stat st;

	if (fstatat(w->dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno == ENOENT)
			return 0;
		return err_set(err, ERR_IO, "%s/%s: %s", w->directory, name, strerror(errno));
	}
	if (os_unlink(w->dir, name) < 0)
		return err_set(err, ERR_IO, "%s/%s: %s", w->directory, name, strerror(errno));
	cap_release(&w->cap, kind, (uint64_t)st.st_blocks * 512);
	return 0;
}

void writer_discard_file(struct store_writer *w, const char *name, enum cap_kind kind)
{
	if (!catalogue_is_uncertain(w->catalogue))
		writer_remove_file(w, name, kind, NULL);
}
