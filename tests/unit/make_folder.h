/*
 * make_folder.h - a folder for the files of one test
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef UNIT_MAKE_FOLDER_H
#define UNIT_MAKE_FOLDER_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "make_elf.h"

static char folder[PATH_MAX]; /* a new folder for every test */

static inline int folder_make(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(folder, sizeof(folder), "%s/cpa-symbol-XXXXXX", tmp ? tmp : "/tmp");
	return mkdtemp(folder) ? 0 : -1;
}

static inline int folder_unlink(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path);
}

static inline int folder_remove(void **state)
{
	(void)state;
	return nftw(folder, folder_unlink, 16, FTW_DEPTH | FTW_PHYS);
}

/* The path of a name in the folder; makes the folders above it. Valid for the next four calls. */
static inline const char *in_folder(const char *name)
{
	static char path[4][PATH_MAX];
	static unsigned turn;
	char *p = path[turn++ % 4];

	snprintf(p, PATH_MAX, "%.2000s/%.2000s", folder, name);
	for (char *s = p + strlen(folder) + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		mkdir(p, 0777);
		*s = '/';
	}
	return p;
}

static inline const char *folder_elf(const char *name, const struct make_elf *m)
{
	const char *path = in_folder(name);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (fd < 0 || make_elf(fd, m) < 0)
		abort();
	close(fd);
	return path;
}

static inline const char *folder_bytes(const char *name, const void *data, size_t n)
{
	const char *path = in_folder(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (fd < 0 || write(fd, data, n) != (ssize_t)n)
		abort();
	close(fd);
	return path;
}

/* A note section with a build id of these four bytes. */
#define NOTE_OF(a, b, c, d) "\4\0\0\0\4\0\0\0\3\0\0\0GNU\0" a b c d
enum { NOTE_N = 20 };

static inline struct make_section note_section(const char *bytes, size_t n)
{
	return (struct make_section){
		.name = ".note.gnu.build-id", .type = SHT_NOTE, .data = bytes, .n = n, .align = 4
	};
}

#endif
