/*
 * holder.h - the process that writes a store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_HOLDER_H
#define STORE_LOCAL_HOLDER_H

#include "base/buf.h"

#include <stdbool.h>

/* The process that writes a store, as its file DIR/lock says. Released with store_holder_release. */
struct store_holder {
	struct buf pid, command;
	struct buf socket; /* path of the socket that answers for it; empty if it has none, as cpa store import */
};

/* Find it. Readers of the store can, too. Returns false if no process holds the lock. */
bool holder_find(const char *directory, struct store_holder *out);
void holder_release(struct store_holder *h);

#endif
