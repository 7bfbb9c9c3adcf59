/*
 * io.h - read and write whole files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_IO_H
#define BASE_IO_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A block of bytes; its owner releases it with free(data), or with io_release if it may be mapped. */
struct bytes {
	uint8_t *data;
	size_t n;
	bool is_mapped; /* by io_map_file; else allocated */
};

/*
 * Map a regular file of min to max bytes. If the file is cut meanwhile, the missing bytes are zeros. Returns false if it
 * cannot be mapped; then it is to be read.
 */
bool io_map_file(const char *path, size_t min, size_t max, struct bytes *out);

/* Release bytes, whether mapped or allocated. Takes zero-initialised ones. */
void io_release(struct bytes *b);

/*
 * Give back the memory of a part of a mapped file, from the position up to which it was given back to another one, if
 * it is a MiB or more. What is read again comes from the file. Returns the position up to which it is given back now.
 */
size_t io_give_back(const uint8_t *data, size_t from, size_t to);

/*
 * Read a file descriptor to its end.
 *
 * max     more bytes than this are an error; flag is the option that raises the limit, or NULL
 * Fails   ERR_IO with the system's error message, ERR_LIMIT
 */
int io_read_fd(int fd, size_t max, const char *flag, struct bytes *out, struct err *err);

/* Like io_read_fd, for a path. A directory is an error. The message does not include the path. */
int io_read_file(const char *path, size_t max, const char *flag, struct bytes *out, struct err *err);

/* Make the parent folders of a file with mode 0700. Errors are ignored: opening the file then fails. */
void io_make_folders(const char *path);

/* Write all bytes to a descriptor. */
int io_write_fd(int fd, const void *data, size_t n, struct err *err);

/*
 * Replace a file atomically: write a temporary file in the same folder, then rename it. An existing
 * path that is not a regular file (a pipe, /dev/null) is written directly.
 */
int io_write_file(const char *path, const void *data, size_t n, struct err *err);

/* A file that is being replaced: write to fd with io_write_fd. */
struct io_out {
	int fd;
	char *path, *temp; /* the file, and the temporary file; temp is NULL when the file is written directly */
};

/*
 * Start to replace a file; io_write_file replaces it in one call. io_out_close finishes: if keep is set, the new file
 * replaces the old one, else it is discarded. Messages begin with the path.
 */
int io_out_open(const char *path, struct io_out *out, struct err *err);

/*
 * Like io_out_open, but also replace an existing link or pipe of this name. For names not chosen by the user.
 *
 * mode    of the file, less the umask
 */
int io_out_open_replace(const char *path, mode_t mode, struct io_out *out, struct err *err);

/*
 * Like io_out_open, but the file has mode 0600, also if it replaces another one, and a symbolic link to a file is an
 * error. A link to a pipe or device is followed: /dev/stdout is one.
 */
int io_out_open_private(const char *path, struct io_out *out, struct err *err);
int io_out_close(struct io_out *out, bool keep, struct err *err);

/* Like io_write_file, with io_out_open_private. */
int io_write_file_private(const char *path, const void *data, size_t n, struct err *err);

/*
 * Check that io_out_open, or io_out_open_private, can replace a file. A temporary file is created next to it and
 * removed. A pipe is not opened, because that would wait for its reader.
 *
 * Fails   ERR_IO
 */
int io_out_check(const char *path, bool is_private, struct err *err);

#endif
