/*
 * os.h - system calls that change the files of a store
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * All changes to files go through these functions, so that tests can end the process or let a call fail at each of them
 * (os_fault.h).
 *
 * The functions return 0, or -1 and errno, like the system calls. dir is a descriptor of a folder, name a path below it.
 */
#ifndef STORE_LOCAL_OS_H
#define STORE_LOCAL_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Open a file; flags as of openat(2), O_CLOEXEC is added. Returns a descriptor. It counts as a change if flags has O_CREAT. */
int os_open(int dir, const char *name, int flags, mode_t mode);

/* Write all bytes at an offset. */
int os_pwrite(int fd, const void *data, size_t n, uint64_t offset);

/* Make the file n bytes long and allocate its blocks. Fails with ENOSPC if there is no room; a file system that cannot allocate
   is no error. */
int os_allocate(int fd, uint64_t n);
int os_truncate(int fd, uint64_t n);

/* Replace everything from an offset to the end of the file by zeros; its length stays. */
int os_clear(int fd, uint64_t offset);

int os_fdatasync(int fd);
int os_fsync(int fd);

/* Sync the folder of a file, so that its new name is durable; "" is dir itself. */
int os_sync_folder(int dir, const char *folder);

/* Rename a file; from and to are below dir. An existing file is replaced. */
int os_rename(int dir, const char *from, const char *to);
int os_unlink(int dir, const char *name);

/* Make a folder; an existing one is no error. */
int os_mkdir(int dir, const char *name, mode_t mode);

/*
 * Changes that SQLite makes itself, counted like the others; fd and name are only for undoing them, fd may be -1. They return 0 if the
 * change is to be made, -1 and errno if it shall fail; os_begin_write also 1: make the first half, then call os_die.
 */
int os_begin_write(int fd, size_t n, uint64_t offset);
int os_begin_sync(int fd);
int os_begin_truncate(int fd, uint64_t n);
int os_begin_unlink(const char *path);

/* Is the file system of fd one of a network, on which locks and shared memory are not reliable? name: its type. */
bool os_is_network(int fd, const char **name);

#endif
