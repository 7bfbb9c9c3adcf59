/*
 * catalogue.c - the schema and the statements of index.db, opening, transactions, properties
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/catalogue/catalogue_int.h"

#include "base/library.h"
#include "base/mem.h"
#include "store/local/os.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { APPLICATION_ID = 1129333075, SCHEMA_VERSION = 1, BUSY_MS = 10000, GROWTH_MIN = 1 << 20 };

static const char schema[] =
	"CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
	"CREATE TABLE segment(id INTEGER PRIMARY KEY, file TEXT UNIQUE, tier INT, level INT, class INT, t0 INT, t1 INT,"
	" made INT, profiles INT, bytes INT, crc INT);"
	"CREATE INDEX segment_age ON segment(tier, t1);"
	"CREATE TABLE chapter(service TEXT, segment INT, off INT, len INT, t0 INT, t1 INT, profiles INT,"
	" PRIMARY KEY(service, segment)) WITHOUT ROWID;"
	"CREATE INDEX chapter_of ON chapter(segment);"
	"CREATE TABLE series(id INTEGER PRIMARY KEY, hash BLOB UNIQUE, service TEXT, kind TEXT, first INT, last INT);"
	"CREATE INDEX series_service ON series(service, kind);"
	"CREATE TABLE label(id INTEGER PRIMARY KEY, name TEXT, value TEXT, UNIQUE(name, value));"
	"CREATE TABLE series_label(series INT, label INT, PRIMARY KEY(series, label)) WITHOUT ROWID;"
	"CREATE INDEX series_label_of ON series_label(label);"
	"CREATE TABLE mark(ts INT, service TEXT, env TEXT, kind TEXT, text TEXT,"
	" PRIMARY KEY(ts, service, kind, text)) WITHOUT ROWID;"
	"CREATE TABLE pin(name TEXT PRIMARY KEY, file TEXT, spec TEXT, made INT, bytes INT) WITHOUT ROWID;"
	"CREATE TABLE loss(id INTEGER PRIMARY KEY, ts INT, t0 INT, t1 INT, tier INT, what TEXT, profiles INT, bytes "
	"INT);"
	"CREATE TABLE removed(id INTEGER PRIMARY KEY, file TEXT);"
	"PRAGMA application_id=1129333075; PRAGMA user_version=1;";

#define CHAPTERS                                                                                                       \
	"SELECT c.service, s.file, s.tier, s.id, c.off, c.len, c.t0, c.t1, c.profiles, s.crc"                          \
	" FROM chapter c JOIN segment s ON s.id = c.segment WHERE c.service "
#define IN_SPAN " AND c.t1 >= ?2 AND c.t0 < ?3 ORDER BY c.service, c.t0, c.segment"
#define BEFORE " AND c.t0 < ?2 ORDER BY c.t1 DESC, c.segment DESC LIMIT ?3"
#define AFTER " AND c.t1 >= ?2 ORDER BY c.t0, c.segment LIMIT ?3"
#define SERIES "SELECT service, kind, hash, first, last, id FROM series WHERE service "
#define SERIES_IN_SPAN " AND (?2 = '' OR kind = ?2) AND last >= ?3 AND first < ?4 ORDER BY service, kind, id"
#define MARKS "SELECT service, ts, env, kind, text FROM mark WHERE service "
#define MARKS_IN_SPAN " AND (?2 = '' OR kind = ?2) AND ts >= ?3 AND ts < ?4 ORDER BY ts, service, kind, text"

static const char *const sql_text[N_SQL] = {
	[SQL_BEGIN] = "BEGIN IMMEDIATE",
	[SQL_BEGIN_READ] = "BEGIN",
	[SQL_COMMIT] = "COMMIT",
	[SQL_ROLLBACK] = "ROLLBACK",
	[SQL_CHECKPOINT] = "PRAGMA wal_checkpoint(TRUNCATE)",
	[SQL_GET_META] = "SELECT value FROM meta WHERE key = ?1",
	[SQL_SET_META] = "INSERT OR REPLACE INTO meta VALUES(?1, ?2)",
	[SQL_ADD_SEGMENT] = "INSERT INTO segment(file, tier, level, class, t0, t1, made, profiles, bytes, crc)"
			    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
	[SQL_ADD_CHAPTER] = "INSERT INTO chapter VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
	[SQL_REMOVE_SEGMENT] = "DELETE FROM segment WHERE id = ?1",
	[SQL_ADD_REMOVED] = "INSERT INTO removed(file) SELECT file FROM segment WHERE id = ?1",
	[SQL_TRIM_REMOVED] = "DELETE FROM removed WHERE id <= (SELECT max(id) FROM removed) - 1000",
	[SQL_IS_REMOVED] = "SELECT 1 FROM removed WHERE file = ?1",
	[SQL_REMOVE_CHAPTERS] = "DELETE FROM chapter WHERE segment = ?1",
	[SQL_SEGMENTS] = "SELECT id, file, tier, level, class, t0, t1, made, profiles, bytes, crc FROM segment"
			 " WHERE ?1 < 0 OR tier = ?1 ORDER BY t1, id",
	[SQL_LARGEST_CHAPTER] = "SELECT max(len) FROM chapter WHERE segment = ?1",
	[SQL_HAS_FILE] = "SELECT 1 FROM segment WHERE file = ?1",
	[SQL_GET_SERIES] = "SELECT id, first, last FROM series WHERE hash = ?1",
	[SQL_ADD_SERIES] = "INSERT INTO series(hash, service, kind, first, last) VALUES(?1, ?2, ?3, ?4, ?5)",
	[SQL_WIDEN_SERIES] = "UPDATE series SET first = min(first, ?2), last = max(last, ?3) WHERE id = ?1",
	[SQL_GET_LABEL] = "SELECT id FROM label WHERE name = ?1 AND value = ?2",
	[SQL_ADD_LABEL] = "INSERT INTO label(name, value) VALUES(?1, ?2)",
	[SQL_ADD_SERIES_LABEL] = "INSERT OR IGNORE INTO series_label VALUES(?1, ?2)",
	[SQL_ADD_MARK] = "INSERT OR IGNORE INTO mark VALUES(?1, ?2, ?3, ?4, ?5)",
	[SQL_REMOVE_SERIES] = "DELETE FROM series WHERE service = ?1",
	[SQL_REMOVE_MARKS] = "DELETE FROM mark WHERE service = ?1",
	[SQL_PRUNE_SERIES] = "DELETE FROM series WHERE id IN (SELECT s.id FROM series s LEFT JOIN"
			     " (SELECT service, min(t0) AS t FROM chapter GROUP BY service) c ON c.service = s.service"
			     " WHERE c.t IS NULL OR s.last < c.t)",
	[SQL_PRUNE_MARKS] = "DELETE FROM mark WHERE ts < (SELECT min(t0) FROM segment)",
	[SQL_PRUNE_SERIES_LABELS] = "DELETE FROM series_label WHERE series NOT IN (SELECT id FROM series)",
	[SQL_PRUNE_LABELS] = "DELETE FROM label WHERE id NOT IN (SELECT label FROM series_label)",
	[SQL_ADD_PIN] = "INSERT OR REPLACE INTO pin VALUES(?1, ?2, ?3, ?4, ?5)",
	[SQL_REMOVE_PIN] = "DELETE FROM pin WHERE name = ?1",
	[SQL_PINS] = "SELECT name, file, spec, made, bytes FROM pin WHERE ?1 = '' OR name = ?1 ORDER BY name",
	[SQL_ADD_LOSS] = "INSERT INTO loss(ts, t0, t1, tier, what, profiles, bytes) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
	[SQL_TRIM_LOSSES] = "DELETE FROM loss WHERE id <= (SELECT max(id) FROM loss) - 1000",
	[SQL_LOSSES] = "SELECT ts, t0, t1, tier, what, profiles, bytes FROM loss WHERE t1 > ?1 AND t0 < ?2 ORDER BY id",
	[SQL_CHAPTERS] = CHAPTERS "= ?1" IN_SPAN,
	[SQL_CHAPTERS_LIKE] = CHAPTERS "GLOB ?1" IN_SPAN,
	[SQL_BEFORE] = CHAPTERS "= ?1" BEFORE,
	[SQL_BEFORE_LIKE] = CHAPTERS "GLOB ?1" BEFORE,
	[SQL_AFTER] = CHAPTERS "= ?1" AFTER,
	[SQL_AFTER_LIKE] = CHAPTERS "GLOB ?1" AFTER,
	[SQL_SERVICES] = "SELECT DISTINCT service FROM chapter ORDER BY service",
	[SQL_SERIES] = SERIES "= ?1" SERIES_IN_SPAN,
	[SQL_SERIES_LIKE] = SERIES "GLOB ?1" SERIES_IN_SPAN,
	[SQL_SERIES_LABELS] = "SELECT l.name, l.value FROM series_label x JOIN label l ON l.id = x.label"
			      " WHERE x.series = ?1 ORDER BY l.name",
	[SQL_MARKS] = MARKS "= ?1" MARKS_IN_SPAN,
	[SQL_MARKS_LIKE] = MARKS "GLOB ?1" MARKS_IN_SPAN,
	[SQL_STAT_TIERS] = "SELECT tier, count(*), sum(bytes), sum(profiles) FROM segment GROUP BY tier",
	[SQL_STAT_CHAPTERS] = "SELECT count(DISTINCT service), min(t0), max(t1) FROM chapter WHERE profiles > 0",
	[SQL_STAT_PINS] = "SELECT sum(bytes) FROM pin",
	[SQL_INTEGRITY] = "PRAGMA integrity_check(1)",
	[SQL_LOST_CHAPTERS] = "SELECT s.file FROM segment s WHERE s.profiles <>"
			      " coalesce((SELECT sum(profiles) FROM chapter c WHERE c.segment = s.id), 0)"
			      " UNION ALL SELECT service FROM chapter WHERE segment NOT IN (SELECT id FROM segment)",
};

/* Set err from the last error of SQLite. Returns its code. */
static int catalogue_fail(struct catalogue *c, struct err *err)
{
	int code = c->db ? c->lib->extended_errcode(c->db) : SQLITE_NOMEM;
	const char *text = c->db ? c->lib->errmsg(c->db) : "no memory";

	switch (code & 0xff) {
	case SQLITE_FULL:
		return err_set(err, ERR_LIMIT, "%s: no room: it may use 5 %% of the cap, and the disk must have room",
			       c->path);
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		break;
	case SQLITE_ERROR: /* the schema lacks a table or a column */
		break;
	default:
		if (code != SQLITE_IOERR_DATA && code != SQLITE_IOERR_CORRUPTFS)
			return err_set(err, ERR_IO, "%s: %s", c->path, text);
		text = "the checksum of a page is wrong";
	}
	return err_set(err, ERR_FORMAT, "%s is damaged: %s; rebuild it with: cpa store repair", c->path, text);
}

static bool bind_all(struct catalogue *c, sqlite3_stmt *s, const char *types, va_list args)
{
	int rc = SQLITE_OK;

	for (int i = 1; types[i - 1] && rc == SQLITE_OK; i++)
		switch (types[i - 1]) {
		case 'i':
			rc = c->lib->bind_int64(s, i, va_arg(args, int64_t));
			break;
		case 't':
			rc = c->lib->bind_text(s, i, va_arg(args, const char *), -1, SQLITE_TRANSIENT);
			break;
		default:
			assert(types[i - 1] == 'h');
			rc = c->lib->bind_blob(s, i, va_arg(args, const uint8_t *), 16, SQLITE_TRANSIENT);
		}
	return rc == SQLITE_OK;
}

static sqlite3_stmt *bind_list(struct catalogue *c, enum catalogue_sql sql, struct err *err, const char *types,
			       va_list args)
{
	sqlite3_stmt **s = &c->stmt[sql];

	if (*s)
		c->lib->reset(*s);
	else if (c->lib->prepare_v2(c->db, sql_text[sql], -1, s, NULL) != SQLITE_OK)
		*s = NULL;
	if (!*s || !bind_all(c, *s, types, args)) {
		catalogue_fail(c, err);
		return NULL;
	}
	return *s;
}

sqlite3_stmt *catalogue_bind(struct catalogue *c, enum catalogue_sql sql, struct err *err, const char *types, ...)
{
	sqlite3_stmt *s;
	va_list args;

	va_start(args, types);
	s = bind_list(c, sql, err, types, args);
	va_end(args);
	return s;
}

int catalogue_step(struct catalogue *c, sqlite3_stmt *s, struct err *err)
{
	int rc = c->lib->step(s);

	if (rc == SQLITE_ROW)
		return 1;
	rc = rc == SQLITE_DONE ? 0 : catalogue_fail(c, err);
	c->lib->reset(s);
	return rc;
}

int catalogue_run(struct catalogue *c, enum catalogue_sql sql, struct err *err, const char *types, ...)
{
	sqlite3_stmt *s;
	va_list args;
	int rc;

	va_start(args, types);
	s = bind_list(c, sql, err, types, args);
	va_end(args);
	if (!s)
		return err ? err->code : ERR_IO;
	rc = catalogue_step(c, s, err);
	if (rc > 0)
		c->lib->reset(s);
	return rc < 0 ? rc : 0;
}

int64_t catalogue_int(struct catalogue *c, sqlite3_stmt *s, int i)
{
	return c->lib->column_int64(s, i);
}

const char *catalogue_text(struct catalogue *c, sqlite3_stmt *s, int i)
{
	const char *text = (const char *)c->lib->column_text(s, i);

	return text ? text : "";
}

static int exec(struct catalogue *c, const char *sql, struct err *err)
{
	return c->lib->exec(c->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : catalogue_fail(c, err);
}

/* The value of a PRAGMA, or -1. */
static int64_t pragma(struct catalogue *c, const char *sql)
{
	sqlite3_stmt *s = NULL;
	int64_t value = -1;

	if (c->lib->prepare_v2(c->db, sql, -1, &s, NULL) == SQLITE_OK && c->lib->step(s) == SQLITE_ROW)
		value = c->lib->column_int64(s, 0);
	c->lib->finalize(s);
	return value;
}

static int make_schema(struct catalogue *c, struct err *err)
{
	int rc = exec(c, "PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL; BEGIN IMMEDIATE;", err);

	if (rc == 0 && pragma(c, "PRAGMA user_version") == 0) /* else another process made it */
		rc = exec(c, schema, err);
	if (rc == 0)
		rc = exec(c, "COMMIT", err);
	return rc == 0 ? catalogue_run(c, SQL_CHECKPOINT, err, "") : rc;
}

/* Check that this is a catalogue that this program understands. */
static int check_schema(struct catalogue *c, struct err *err)
{
	int64_t version, id = pragma(c, "PRAGMA application_id");

	if (id < 0)
		return catalogue_fail(c, err);
	version = pragma(c, "PRAGMA user_version");
	if (version < 0)
		return catalogue_fail(c, err);
	if (id != APPLICATION_ID || version == 0)
		return err_set(err, ERR_FORMAT, "%s is not the index of a store; rebuild it with: cpa store repair",
			       c->path);
	if (version > SCHEMA_VERSION)
		return err_set(err, ERR_FORMAT, "%s has version %" PRId64 "; this cpa reads up to version %d", c->path,
			       version, SCHEMA_VERSION);
	return 0;
}

/*
 * Make an empty file that only this user can open. SQLite would make it with the mode 0644 less the umask; its other files get the
 * mode of this one.
 */
static int make_private(const struct catalogue *c, struct err *err)
{
	int fd = os_open(AT_FDCWD, c->path, O_RDWR | O_CREAT | O_EXCL, 0600), rc;

	if (fd < 0 && errno == EEXIST)
		return 0;
	rc = fd < 0 ? -1 : fchmod(fd, 0600); /* with every umask */
	if (rc < 0)
		err_set(err, ERR_IO, "%s: %s", c->path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return rc < 0 ? ERR_IO : 0;
}

static int open_database(struct catalogue *c, enum catalogue_mode mode, struct err *err)
{
	int flags = mode == CATALOGUE_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE, on = 1;
	int reserve = CATALOGUE_PAGE_SUM;
	const char *vfs = catalogue_pages_vfs(c->lib);
	int rc;

	if (mode == CATALOGUE_CREATE)
		flags |= SQLITE_OPEN_CREATE;
	else if (access(c->path, F_OK))
		return err_set(err, ERR_FORMAT, "%s: %s; rebuild it with: cpa store repair", c->path, strerror(errno));
	if (mode == CATALOGUE_CREATE && make_private(c, err) < 0)
		return ERR_IO;
	if (c->lib->open_v2(c->path, &c->db, flags | SQLITE_OPEN_NOMUTEX, vfs) != SQLITE_OK)
		return catalogue_fail(c, err);
	c->lib->busy_timeout(c->db, BUSY_MS);
	c->lib->file_control(c->db, NULL, SQLITE_FCNTL_PERSIST_WAL, &on);
	rc = exec(c, "PRAGMA cell_size_check=ON; PRAGMA trusted_schema=OFF", err);
	if (rc == 0 && mode == CATALOGUE_CREATE && pragma(c, "PRAGMA user_version") == 0) {
		c->lib->file_control(c->db, NULL, SQLITE_FCNTL_RESERVE_BYTES, &reserve);
		rc = make_schema(c, err);
	}
	if (rc == 0)
		rc = check_schema(c, err);
	if (rc == 0 && mode != CATALOGUE_READ)
		rc = exec(c,
			  "PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0; PRAGMA cache_spill=OFF;"
			  "PRAGMA locking_mode=NORMAL; PRAGMA temp_store=MEMORY",
			  err);
	return rc;
}

int catalogue_open(const char *directory, enum catalogue_mode mode, struct catalogue **out, struct err *err)
{
	struct catalogue *c = mem_zalloc(1, sizeof(*c));
	struct buf path = { 0 };
	int rc;

	buf_addf(&path, "%s/index.db", directory);
	c->path = mem_strndup(buf_text(&path), path.len);
	buf_release(&path);
	c->limit = UINT64_C(512) << 20;
	rc = sqlite_load(&c->lib, err);
	if (rc == 0)
		rc = open_database(c, mode, err);
	if (rc < 0) {
		catalogue_close(c);
		return rc;
	}
	*out = c;
	return 0;
}

void catalogue_close(struct catalogue *c)
{
	if (!c)
		return;
	for (int i = 0; c->lib && i < N_SQL; i++)
		c->lib->finalize(c->stmt[i]);
	if (c->db)
		c->lib->close(c->db);
	free(c->path);
	free(c);
}

/* Allocated bytes of index.db with this suffix; 0 if it does not exist. */
static uint64_t catalogue_file_bytes(const struct catalogue *c, const char *suffix)
{
	struct buf path = { 0 };
	struct stat st;
	uint64_t n;

	buf_addf(&path, "%s%s", c->path, suffix);
	n = stat(buf_text(&path), &st) ? 0 : (uint64_t)st.st_blocks * 512;
	buf_release(&path);
	return n;
}

uint64_t catalogue_bytes(const struct catalogue *c)
{
	return catalogue_file_bytes(c, "") + catalogue_file_bytes(c, "-wal") + catalogue_file_bytes(c, "-shm");
}

/* The size that the next transaction may give to index.db. */
static uint64_t size_max(const struct catalogue *c)
{
	uint64_t size = catalogue_file_bytes(c, ""), growth = c->limit / 4 > GROWTH_MIN ? c->limit / 4 : GROWTH_MIN;

	return size + growth < c->limit ? size + growth : size > c->limit ? size : c->limit;
}

uint64_t catalogue_bytes_max(const struct catalogue *c)
{
	uint64_t max = size_max(c), now = catalogue_bytes(c);

	/* a transaction writes each page at most once to the WAL; the -shm has 32 KiB per 4096 frames */
	max += max + max / 128 + (64 << 10);
	return max > now ? max : now;
}

int catalogue_set_limit(struct catalogue *c, uint64_t bytes, struct err *err)
{
	(void)err;
	c->limit = bytes > 2 * GROWTH_MIN ? bytes : 2 * GROWTH_MIN;
	return 0;
}

int catalogue_begin(struct catalogue *c, struct err *err)
{
	char text[64];
	int rc;

	snprintf(text, sizeof(text), "PRAGMA max_page_count=%" PRIu64, size_max(c) / CATALOGUE_PAGE);
	rc = exec(c, text, err);
	return rc == 0 ? catalogue_run(c, SQL_BEGIN, err, "") : rc;
}

int catalogue_commit(struct catalogue *c, struct err *err)
{
	int rc = catalogue_run(c, SQL_COMMIT, err, "");

	if (rc < 0) {
		catalogue_rollback(c);
		c->is_uncertain = true;
		catalogue_settle(c, NULL);
		return rc;
	}
	c->is_uncertain = false;
	catalogue_checkpoint(c);
	return 0;
}

bool catalogue_is_uncertain(const struct catalogue *c)
{
	return c->is_uncertain;
}

int catalogue_settle(struct catalogue *c, struct err *err)
{
	int rc;

	if (!c->is_uncertain)
		return 0;
	rc = catalogue_begin(c, err);
	if (rc == 0)
		rc = catalogue_set_number(c, "settled", ++c->n_settled, err);
	if (rc == 0)
		rc = catalogue_run(c, SQL_COMMIT, err, "");
	if (rc < 0)
		catalogue_rollback(c);
	c->is_uncertain = rc < 0;
	return rc;
}

void catalogue_checkpoint(struct catalogue *c)
{
	c->lib->busy_timeout(c->db, 20); /* a reader must not delay the writer: the next commit does it */
	catalogue_run(c, SQL_CHECKPOINT, NULL, "");
	c->lib->busy_timeout(c->db, BUSY_MS);
}

void catalogue_rollback(struct catalogue *c)
{
	if (c->db && !c->lib->get_autocommit(c->db))
		catalogue_run(c, SQL_ROLLBACK, NULL, "");
}

int catalogue_read_begin(struct catalogue *c, struct err *err)
{
	return catalogue_run(c, SQL_BEGIN_READ, err, "");
}

void catalogue_read_end(struct catalogue *c)
{
	catalogue_rollback(c);
}

static int get_meta(struct catalogue *c, const char *key, sqlite3_stmt **out, struct err *err)
{
	*out = catalogue_bind(c, SQL_GET_META, err, "t", key);
	return *out ? catalogue_step(c, *out, err) : err ? err->code : ERR_IO;
}

int catalogue_get_text(struct catalogue *c, const char *key, struct buf *out, struct err *err)
{
	sqlite3_stmt *s;
	int rc = get_meta(c, key, &s, err);

	if (rc == 1) {
		buf_addz(out, catalogue_text(c, s, 0));
		c->lib->reset(s);
	}
	return rc;
}

int catalogue_get_number(struct catalogue *c, const char *key, int64_t *out, struct err *err)
{
	sqlite3_stmt *s;
	int rc = get_meta(c, key, &s, err);

	if (rc == 1) {
		*out = catalogue_int(c, s, 0);
		c->lib->reset(s);
	}
	return rc;
}

int catalogue_set_text(struct catalogue *c, const char *key, const char *value, struct err *err)
{
	return catalogue_run(c, SQL_SET_META, err, "tt", key, value);
}

int catalogue_set_number(struct catalogue *c, const char *key, int64_t value, struct err *err)
{
	return catalogue_run(c, SQL_SET_META, err, "ti", key, value);
}

/* ---- libsqlite3, loaded on first use ---- */

static struct sqlite lib;

/* clang-format off */
static const struct library_function functions[] = {
#define FUNCTION(name) { "sqlite3_" #name, offsetof(struct sqlite, name) },
	SQLITE_FUNCTIONS(FUNCTION)
#undef FUNCTION
};
/* clang-format on */

static struct library library = LIBRARY("libsqlite3.so.0", functions, &lib,
					"SQLite is needed for a store; install it with: apt-get install libsqlite3-0");

int sqlite_load(const struct sqlite **out, struct err *err)
{
	*out = &lib;
	return library_use(&library, err);
}
