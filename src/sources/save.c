/*
 * save.c - save fetched profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sources/save.h"

#include "base/io.h"
#include "engine/query.h"
#include "formats/pprof/pprof.h"
#include "sources/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	LAST_NUMBER = 9999, /* the same limit as in pprof */
	PREFIX_MAX = 200,   /* bytes; file names are limited to 255 */
	FOLDER_MODE = 0700,
	FILE_MODE = 0600 /* labels and names may be confidential */
};

static void save_add_word(struct buf *out, const char *word)
{
	for (; *word && out->len < PREFIX_MAX; word++) {
		char c = *word == '/' || (unsigned char)*word < ' ' || *word == '\177' ? '_' : *word;

		buf_add(out, &c, 1);
	}
	buf_addz(out, ".");
}

/* Append the start of the file name: pprof.BINARY.TYPE.TYPE. and so on. */
static void save_add_prefix(const struct profile *p, struct buf *out)
{
	buf_addz(out, "pprof.");
	if (p->n_maps && p->map[0].file) {
		const char *file = profile_text(p, p->map[0].file), *slash = strrchr(file, '/');

		save_add_word(out, slash && slash[1] ? slash + 1 : file);
	}
	for (uint32_t t = 0; t < p->n_types && out->len < PREFIX_MAX; t++)
		save_add_word(out, profile_text(p, p->type[t].name));
}

/* Create a folder and its parents. */
static bool save_make_folder(const char *path)
{
	struct stat st;

	io_make_folders(path);
	mkdir(path, FOLDER_MODE);
	if (stat(path, &st) < 0)
		return false;
	errno = S_ISDIR(st.st_mode) ? errno : ENOTDIR;
	return S_ISDIR(st.st_mode) && access(path, W_OK | X_OK) == 0;
}

/* Append candidate i for the folder to path. Returns false if its variable is not set. */
static bool save_add_candidate(int i, struct buf *path)
{
	static const struct {
		const char *variable, *below;
	} candidate[] = { { "PPROF_TMPDIR", "" },
			  { "XDG_STATE_HOME", "/cpa/profiles" },
			  { "HOME", "/.local/state/cpa/profiles" },
			  { "TMPDIR", "" } };
	const char *value = getenv(candidate[i].variable);

	if (value && *value && (*value == '/' || i == 0))
		buf_addf(path, "%s%s", value, candidate[i].below);
	else if (strcmp(candidate[i].variable, "TMPDIR") == 0)
		buf_addz(path, "/tmp");
	return path->len > 0;
}

/* Append the first writable folder. */
static bool find_folder(struct buf *out, struct buf *notes)
{
	enum { N_CANDIDATES = 4 };

	for (int i = 0; i < N_CANDIDATES; i++) {
		if (!save_add_candidate(i, out))
			continue;
		if (save_make_folder(out->data))
			return true;
		buf_addf(notes, "Could not use temp dir %s: %s\n", out->data, strerror(errno));
		buf_release(out);
	}
	return false;
}

/* Create the first of NAME001.pb.gz ... that does not exist yet, and append number and suffix to name. */
static int save_create(struct buf *name, struct err *err)
{
	size_t n = name->len;

	for (int i = 1; i <= LAST_NUMBER; i++) {
		int fd;

		name->len = n;
		buf_addf(name, "%03d.pb.gz", i);
		fd = open(name->data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
		if (fd >= 0)
			return fd;
		if (errno != EEXIST)
			return err_set(err, ERR_IO, "%s: %s", name->data, strerror(errno));
	}
	return err_set(err, ERR_IO, "%s: no free file name", name->data);
}

static int save_write_profile(const struct profile *p, struct buf *name, struct err *err)
{
	struct buf bytes = { 0 };
	int rc = pprof_write(p, 1, &bytes, err), fd = -1;

	if (rc == 0 && (fd = rc = save_create(name, err)) >= 0) {
		rc = io_write_fd(fd, bytes.data, bytes.len, err);
		if (close(fd) < 0 && rc == 0)
			rc = err_set(err, ERR_IO, "%s", strerror(errno));
		if (rc < 0)
			unlink(name->data);
	}
	buf_release(&bytes);
	return rc;
}

void sources_save_fetched(const struct profile *p, const struct source_set *new, const struct source_set *base,
			  struct buf *notes)
{
	struct buf name = { 0 };
	struct err err;

	if (new->q->no_save ||
	    !(remote_has_fetched(new->from, new->n, true) || (base && remote_has_fetched(base->from, base->n, true))))
		return;
	if (find_folder(&name, notes)) {
		buf_addz(&name, "/");
		save_add_prefix(p, &name);
		if (save_write_profile(p, &name, &err) < 0)
			buf_addf(notes, "Could not save profile: %s\n", err.msg);
		else
			buf_addf(notes, "Saved profile in %s\n", name.data);
	}
	buf_release(&name);
}
