/*
 * catalogue_int.h - shared by the files of the catalogue
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_CATALOGUE_CATALOGUE_INT_H
#define STORE_LOCAL_CATALOGUE_CATALOGUE_INT_H

#include "base/err.h"
#include "store/local/catalogue/catalogue.h"

#include <sqlite3.h>

/* ---- libsqlite3, loaded on first use ---- */

/* clang-format off */
#define SQLITE_FUNCTIONS(F) \
	F(open_v2) F(close) F(exec) F(prepare_v2) F(step) F(reset) F(finalize) F(bind_int64) F(bind_text) \
	F(bind_blob) F(column_int64) F(column_text) F(column_blob) F(column_bytes) F(column_type) \
	F(last_insert_rowid) F(errmsg) F(extended_errcode) F(busy_timeout) F(file_control) F(get_autocommit) \
	F(vfs_find) F(vfs_register)

/* The functions of libsqlite3 that cpa calls; each has the name of the real one without sqlite3_. */
struct sqlite {
#define FUNCTION(name) __typeof__(sqlite3_##name) *name;
	SQLITE_FUNCTIONS(FUNCTION)
#undef FUNCTION
};
/* clang-format on */

/* Load libsqlite3 once per process. Fails with ERR_IO when the library is missing or too old. */
int sqlite_load(const struct sqlite **out, struct err *err);

/* ---- the catalogue ---- */

enum { CATALOGUE_PAGE = 4096, CATALOGUE_PAGE_SUM = 8 };

/* Register the VFS that checks pages, once. Returns its name. */
const char *catalogue_pages_vfs(const struct sqlite *lib);

/* The statements; their texts are in catalogue.c. */
enum catalogue_sql {
	SQL_BEGIN,
	SQL_BEGIN_READ,
	SQL_COMMIT,
	SQL_ROLLBACK,
	SQL_CHECKPOINT,
	SQL_GET_META,
	SQL_SET_META,
	SQL_ADD_SEGMENT,
	SQL_ADD_CHAPTER,
	SQL_REMOVE_SEGMENT,
	SQL_ADD_REMOVED,
	SQL_TRIM_REMOVED,
	SQL_IS_REMOVED,
	SQL_REMOVE_CHAPTERS,
	SQL_SEGMENTS,
	SQL_LARGEST_CHAPTER,
	SQL_HAS_FILE,
	SQL_GET_SERIES,
	SQL_ADD_SERIES,
	SQL_WIDEN_SERIES,
	SQL_GET_LABEL,
	SQL_ADD_LABEL,
	SQL_ADD_SERIES_LABEL,
	SQL_ADD_MARK,
	SQL_REMOVE_SERIES,
	SQL_REMOVE_MARKS,
	SQL_PRUNE_SERIES,
	SQL_PRUNE_MARKS,
	SQL_PRUNE_SERIES_LABELS,
	SQL_PRUNE_LABELS,
	SQL_ADD_PIN,
	SQL_REMOVE_PIN,
	SQL_PINS,
	SQL_ADD_LOSS,
	SQL_TRIM_LOSSES,
	SQL_LOSSES,
	SQL_CHAPTERS,
	SQL_CHAPTERS_LIKE,
	SQL_BEFORE,
	SQL_BEFORE_LIKE,
	SQL_AFTER,
	SQL_AFTER_LIKE,
	SQL_SERVICES,
	SQL_SERIES,
	SQL_SERIES_LIKE,
	SQL_SERIES_LABELS,
	SQL_MARKS,
	SQL_MARKS_LIKE,
	SQL_STAT_TIERS,
	SQL_STAT_CHAPTERS,
	SQL_STAT_PINS,
	SQL_INTEGRITY,
	SQL_LOST_CHAPTERS,
	N_SQL
};

struct catalogue {
	const struct sqlite *lib;
	sqlite3 *db;
	char *path; /* of index.db */
	sqlite3_stmt *stmt[N_SQL];
	uint64_t limit;    /* largest size of index.db in bytes */
	bool is_uncertain; /* see catalogue_settle */
	int64_t n_settled;
};

/*
 * A statement with its parameters: i: int64_t, t: const char *, h: const uint8_t[16].
 *
 * Returns NULL when it fails; err is set
 */
sqlite3_stmt *catalogue_bind(struct catalogue *c, enum catalogue_sql sql, struct err *err, const char *types, ...);

/* The next row: 1, or 0 at the end, or ERR_*; after the end the statement is reset. */
int catalogue_step(struct catalogue *c, sqlite3_stmt *s, struct err *err);

/* Run a statement without result. */
int catalogue_run(struct catalogue *c, enum catalogue_sql sql, struct err *err, const char *types, ...);

/* Column i; text is "" for NULL. */
int64_t catalogue_int(struct catalogue *c, sqlite3_stmt *s, int i);
const char *catalogue_text(struct catalogue *c, sqlite3_stmt *s, int i);

#endif
