/*
 * configs.c - saved configs in the settings file of pprof
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "session/configs.h"

#include "base/io.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 1 << 20 };

int configs_add_path(struct buf *out, struct err *err)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config && *config == '/')
		buf_addz(out, config);
	else if (config && *config)
		return err_set(err, ERR_IO, "path in $XDG_CONFIG_HOME is relative");
	else if (home && *home)
		buf_addf(out, "%s/.config", home);
	else
		return err_set(err, ERR_IO, "neither $XDG_CONFIG_HOME nor $HOME are defined");
	buf_addz(out, "/pprof/settings.json");
	return 0;
}

void configs_add_stamp(const char *path, struct buf *out)
{
	struct stat st;

	if (stat(path, &st) == 0)
		buf_addf(out, "%ju %jd %jd.%09ld", (uintmax_t)st.st_ino, (intmax_t)st.st_size,
			 (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

/* Read the file. A missing file is empty. Sets *is_new if there is none. The caller frees out->data. */
static int configs_read_file(const char *path, struct bytes *out, bool *is_new, struct err *err)
{
	struct stat st;
	int rc;

	*out = (struct bytes){ 0 };
	*is_new = stat(path, &st) != 0;
	if (*is_new && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (*is_new)
		return err_set(err, ERR_IO, "could not read settings: %s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_IO, "could not read settings: %s: not a regular file", path);
	rc = io_read_file(path, FILE_MAX, NULL, out, err);
	return rc < 0 ? err_wrap(err, "could not read settings: %s", path) : 0;
}

int configs_list(const char *path, const struct url_params *params, struct config_list *out, struct err *err)
{
	struct bytes text;
	struct err ignored;
	bool is_new;
	int rc = configs_read_file(path, &text, &is_new, err);

	if (rc < 0)
		config_text_list("", 0, params, out, &ignored);
	else
		rc = config_text_list((const char *)text.data, text.n, params, out, err);
	free(text.data);
	return rc;
}

/*
 * Lock the folder of the file against other servers of cpa.
 *
 * Returns a descriptor to close; -1 if the folder cannot be locked, which a change tolerates like pprof, which has
 *         no lock
 */
static int lock_folder(const char *path)
{
	struct buf folder = { 0 };
	int fd;

	path_add_dir(&folder, path);
	fd = open(buf_text(&folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
			continue;
	buf_release(&folder);
	return fd;
}

/* Compute the new text of the file from the old one and write it. s: NULL to delete the config. */
static int change_file(const char *path, const char *name, const struct settings *s, const struct url_params *params,
		       struct err *err)
{
	struct bytes text;
	struct buf result = { 0 };
	bool is_new;
	int rc = configs_read_file(path, &text, &is_new, err);

	if (rc < 0)
		return rc;
	rc = s ? config_text_save((const char *)text.data, text.n, name, s, params, &result, err)
	       : config_text_delete((const char *)text.data, text.n, name, &result, err);
	if (rc == 0 && result.len > FILE_MAX)
		rc = err_set(err, ERR_LIMIT, "the saved configs exceed %d bytes; delete some", FILE_MAX);
	if (rc == 0 && is_new)
		io_make_folders(path);
	if (rc == 0 && io_write_file(path, buf_text(&result), result.len, err) < 0)
		rc = err_wrap(err, "failed to write settings");
	free(text.data);
	buf_release(&result);
	return rc;
}

static int configs_change(const char *path, const char *name, const struct settings *s, const struct url_params *params,
			  struct err *err)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	int fd, rc;

	pthread_mutex_lock(&lock);
	fd = lock_folder(path);
	rc = change_file(path, name, s, params, err);
	if (fd >= 0)
		close(fd);
	pthread_mutex_unlock(&lock);
	return rc;
}

int configs_save(const char *path, const char *name, const struct settings *s, const struct url_params *params,
		 struct err *err)
{
	return configs_change(path, name, s, params, err);
}

int configs_delete(const char *path, const char *name, struct err *err)
{
	return configs_change(path, name, NULL, NULL, err);
}
