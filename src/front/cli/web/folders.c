/*
 * folders.c - folders among the sources of cpa -http
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/web/folders.h"

#include "base/buf.h"
#include "base/mem.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool folders_is_folder(const char *word)
{
	struct stat st;

	return stat(word, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_newer(const struct stat *a, const struct stat *b)
{
	if (a->st_mtim.tv_sec != b->st_mtim.tv_sec)
		return a->st_mtim.tv_sec > b->st_mtim.tv_sec;
	return a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

/* Replace newest by the path of the newest file in a folder, if that is newer than best. */
static void folders_find_newest(const char *path, struct stat *best, char **newest)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;
	struct stat st;

	while (folder && (entry = readdir(folder))) {
		struct buf name = { 0 };

		if (*entry->d_name == '.' || fstatat(dirfd(folder), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
		    !S_ISREG(st.st_mode) || (*newest && !is_newer(&st, best)))
			continue;
		buf_addf(&name, "%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/", entry->d_name);
		free(*newest);
		*newest = mem_strndup(buf_text(&name), name.len);
		buf_release(&name);
		*best = st;
	}
	if (folder)
		closedir(folder);
}

int cmd_web_folders_find(const char *const *word, size_t n, struct web_folders *out, struct err *err)
{
	struct stat best = { 0 };

	*out = (struct web_folders){ .folder = mem_alloc(n + 1, sizeof(*out->folder)),
				     .word = mem_alloc(n + 1, sizeof(*out->word)) };
	for (size_t i = 0; i < n; i++) {
		if (folders_is_folder(word[i]))
			out->folder[out->n_folders++] = word[i];
		else
			out->word[out->n_words++] = word[i];
	}
	if (out->n_words > 0 || out->n_folders == 0)
		return 0;
	for (size_t i = 0; i < out->n_folders; i++)
		folders_find_newest(out->folder[i], &best, &out->newest);
	if (!out->newest)
		return err_set(err, ERR_USAGE, "%s: the folder has no files", out->folder[0]);
	out->word[out->n_words++] = out->newest;
	return 0;
}

void cmd_web_folders_release(struct web_folders *f)
{
	free(f->folder);
	free(f->word);
	free(f->newest);
	*f = (struct web_folders){ 0 };
}
