/*
 * sqlite.c - libsqlite3, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/catalogue/sqlite.h"

#include "base/library.h"

#include <stddef.h>

static struct sqlite lib;

static const struct library_function functions[] = {
#define FUNCTION(name)                                                                                                 \
	{                                                                                                              \
		"sqlite3_" #name, offsetof(struct sqlite, name)                                                        \
	}
	FUNCTION(open_v2),           FUNCTION(close),        FUNCTION(exec),
	FUNCTION(prepare_v2),        FUNCTION(step),         FUNCTION(reset),
	FUNCTION(finalize),          FUNCTION(bind_int64),   FUNCTION(bind_text),
	FUNCTION(bind_blob),         FUNCTION(column_int64), FUNCTION(column_text),
	FUNCTION(column_blob),       FUNCTION(column_bytes), FUNCTION(column_type),
	FUNCTION(last_insert_rowid), FUNCTION(errmsg),       FUNCTION(extended_errcode),
	FUNCTION(busy_timeout),      FUNCTION(file_control), FUNCTION(get_autocommit),
	FUNCTION(vfs_find),          FUNCTION(vfs_register),
#undef FUNCTION
};

static struct library library = LIBRARY("libsqlite3.so.0", functions, &lib,
					"SQLite is needed for a store; install it with: apt-get install libsqlite3-0");

int sqlite_load(const struct sqlite **out, struct err *err)
{
	*out = &lib;
	return library_use(&library, err);
}
