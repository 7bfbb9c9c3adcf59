/*
 * folder.c - open files of the folders that the command line names
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A client names a folder by its position on the command line, and a file by its name in the list of the page. The name
 * is only compared with the names in the folder, so it cannot lead out of it.
 */
#include "config.h"

#include "front/web/pages/compare.h"
#include "front/web/parts/frame.h"

#include "base/io.h"
#include "base/mem.h"
#include "base/webpage.h"
#include "sources/load.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MAX = 500 }; /* files of a folder that the list shows */

struct folder_files {
	char *name[FILES_MAX]; /* [n] sorted */
	size_t n;
	bool has_more;
};

static int web_folder_compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool web_folder_is_regular(int folder, const char *name)
{
	struct stat st;

	return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

static void list_files(const char *path, struct folder_files *out)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;

	*out = (struct folder_files){ .n = 0 };
	while (folder && (entry = readdir(folder))) {
		if (*entry->d_name == '.' || !web_folder_is_regular(dirfd(folder), entry->d_name))
			continue;
		if (out->n == FILES_MAX) {
			out->has_more = true;
			break;
		}
		out->name[out->n++] = mem_strndup(entry->d_name, strlen(entry->d_name));
	}
	if (folder)
		closedir(folder);
	if (out->n)
		qsort(out->name, out->n, sizeof(*out->name), web_folder_compare_names);
}

static void files_release(struct folder_files *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->name[i]);
}

static void web_folder_add(const struct web_page *page, size_t at, struct buf *out)
{
	struct folder_files files;

	list_files(page->options->folder[at], &files);
	buf_addz(out, "<h2>Folder ");
	web_add_name(out, page->options->folder[at]);
	buf_addz(out, "</h2>\n");
	if (files.n == 0) {
		buf_addz(out, "<p>It has no files, or cannot be read.</p>\n");
		return;
	}
	web_form_start(page->web, "folder", out);
	buf_addf(out,
		 "<input type=\"hidden\" name=\"folder\" value=\"%zu\"><select name=\"file\" size=\"%zu\" multiple "
		 "aria-label=\"files\">\n",
		 at, files.n < 12 ? files.n + 1 : 12);
	for (size_t i = 0; i < files.n; i++) {
		buf_addz(out, "<option value=\"");
		webpage_add_text(out, files.name[i], strlen(files.name[i]));
		buf_addz(out, "\">");
		webpage_add_name(out, files.name[i]);
		buf_addz(out, "</option>\n");
	}
	buf_addz(out, "</select> ");
	web_form_end(out, "Open");
	if (files.has_more)
		buf_addf(out, "<p class=\"faint\">The folder has more than %d files.</p>\n", FILES_MAX);
	files_release(&files);
}

void web_folder_add_all(const struct web_page *page, struct buf *out)
{
	for (size_t i = 0; i < page->options->n_folders; i++)
		web_folder_add(page, i, out);
}

/* Open a file of a folder, whose name is in the list. */
static int web_folder_read_file(const char *path, const char *name, struct bytes *out, struct err *err)
{
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd = -1, rc;
	struct folder_files files;
	bool is_listed = false;

	list_files(path, &files);
	for (size_t i = 0; i < files.n && !is_listed; i++)
		is_listed = strcmp(files.name[i], name) == 0;
	files_release(&files);
	if (folder >= 0 && is_listed)
		fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || !web_folder_is_regular(folder, name))
		rc = err_set(err, ERR_USAGE, "the folder has no such file");
	else
		rc = io_read_fd(fd, SIZE_MAX, NULL, out, err);
	if (fd >= 0)
		close(fd);
	if (folder >= 0)
		close(folder);
	return rc;
}

int web_folder_open(struct web *w, const char *path, const char *name, struct stop *stop, struct open_profile **out,
		    struct err *err)
{
	struct bytes bytes = { 0 };
	struct load_result l = { 0 };
	int rc = web_folder_read_file(path, name, &bytes, err);

	if (rc == 0)
		rc = sources_load_data(&bytes, name, w->options.q, stop, &l, err);
	if (rc == 0)
		rc = workspace_open(w->workspace, &l, name, OPEN_FOLDER, out, err);
	if (rc < 0)
		load_result_release(&l);
	return rc;
}
