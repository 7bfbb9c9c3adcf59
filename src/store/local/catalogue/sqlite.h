/*
 * sqlite.h - libsqlite3, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_CATALOGUE_SQLITE_H
#define STORE_LOCAL_CATALOGUE_SQLITE_H

#include "base/err.h"

#include <sqlite3.h>

/* The functions of libsqlite3 that cpa calls; each has the name of the real one without sqlite3_. */
struct sqlite {
#define FUNCTION(name) __typeof__(sqlite3_##name) *name
	FUNCTION(open_v2);
	FUNCTION(close);
	FUNCTION(exec);
	FUNCTION(prepare_v2);
	FUNCTION(step);
	FUNCTION(reset);
	FUNCTION(finalize);
	FUNCTION(bind_int64);
	FUNCTION(bind_text);
	FUNCTION(bind_blob);
	FUNCTION(column_int64);
	FUNCTION(column_text);
	FUNCTION(column_blob);
	FUNCTION(column_bytes);
	FUNCTION(column_type);
	FUNCTION(last_insert_rowid);
	FUNCTION(errmsg);
	FUNCTION(extended_errcode);
	FUNCTION(busy_timeout);
	FUNCTION(file_control);
	FUNCTION(get_autocommit);
	FUNCTION(vfs_find);
	FUNCTION(vfs_register);
#undef FUNCTION
};

/* Load libsqlite3 once per process. Fails with ERR_IO when the library is missing or too old. */
int sqlite_load(const struct sqlite **out, struct err *err);

#endif
