/*
 * layout.h - the directory of a store: its name, the files STORE and lock, folders
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_LAYOUT_H
#define STORE_LOCAL_LAYOUT_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { STORE_MAJOR = 1 }; /* version of the format */

/* Fill n bytes with random numbers. */
void os_random(void *out, size_t n);

/* Read DIR/STORE. Fails with ERR_IO if it is missing, ERR_FORMAT if it is damaged, ERR_UNKNOWN if it is newer than this program. */
int os_read_header(int dir, const char *directory, uint8_t uuid[16], struct err *err);

/* Take the lock of the writer: returns a descriptor to be closed, or ERR_*. See the opening of a writer for holder. owner may be
   NULL. */
int os_lock(int dir, const char *directory, const char *owner, mode_t mode, struct buf *holder, struct err *err);

/* The process that writes a store, as its file DIR/lock says. Released with store_holder_release. */
struct store_holder {
	struct buf pid, command;
	struct buf socket; /* path of the socket that answers for it; empty if it has none, as cpa store import */
};

/* Find it. Readers of the store can, too. Returns false if no process holds the lock. */
bool holder_find(const char *directory, struct store_holder *out);
void holder_release(struct store_holder *h);

#endif
