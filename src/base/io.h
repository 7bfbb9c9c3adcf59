/*
 * io.h - whole files in and out
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_IO_H
#define BASE_IO_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that one owner frees with free(data). */
struct bytes {
	uint8_t *data;
	size_t n;
};

/*
 * Read a file descriptor to its end.
 *
 * max     more bytes than this are an error; flag names the option that lifts it
 * Fails   ERR_IO with the system's words, ERR_LIMIT
 */
int io_read_fd(int fd, size_t max, const char *flag, struct bytes *out, struct err *err);

/* The same for a path. A directory is refused in words. The path is not part of the sentence. */
int io_read_file(const char *path, size_t max, const char *flag, struct bytes *out, struct err *err);

/* Make the folders on the way to a file, for their owner alone; what goes wrong shows when the file is opened. */
void io_make_folders(const char *path);

/* Write all bytes to a descriptor. */
int io_write_fd(int fd, const void *data, size_t n, struct err *err);

/*
 * Replace a file by these bytes in one step: they go to a temporary file beside it, which is then
 * renamed; nobody ever sees half of it. What is not a regular file (a pipe, /dev/null) is written
 * as it is.
 */
int io_write_file(const char *path, const void *data, size_t n, struct err *err);

/* A file that is being replaced piece by piece: write to fd with io_write_fd. */
struct io_out {
	int fd;
	char *path, *temp; /* the file, and what it is until then; NULL when written as it is */
};

/* Begin what io_write_file does at once. io_out_close ends it: with keep the file is the new one,
   without it stays as it was. Sentences begin with the path. */
int io_out_open(const char *path, struct io_out *out, struct err *err);

/* The same for a name that was made, not given: what is there is replaced, and be it a link or a pipe of others. */
int io_out_open_made(const char *path, struct io_out *out, struct err *err);
int io_out_close(struct io_out *out, bool keep, struct err *err);

#endif
