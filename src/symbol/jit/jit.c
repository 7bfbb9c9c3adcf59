/*
 * jit.c - names of code that a program generated at run time, from perf maps and jitdumps
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Files are read once, forward, and each function is assigned to the wanted addresses that it contains. Functions hardly
 * overlap in files of real programs, so the work is a search per function. A limit on the number of assignments bounds
 * the time for hostile files, in which every function contains every address.
 */
#include "config.h"

#include "symbol/jit/jit.h"

#include "base/mem.h"
#include "base/search.h"
#include "base/strtab.h"
#include "base/utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES_MAX = 4096, LINE_BYTES_MAX = NAME_BYTES_MAX + 64 };
enum { ASSIGNMENTS_MAX = 1 << 28, CODES_MAX = 1 << 22, RECORDS_MAX = 1 << 24 };

#define MAP_BYTES_MAX ((uint64_t)1 << 30)
#define TEXT_BYTES_MAX ((size_t)256 << 20) /* of all names that are kept */

/* A JIT_CODE_LOAD record, to find the name of code that is moved later. */
struct jit_code {
	uint64_t index;
	off_t at; /* position of the record in the file */
};

struct jit {
	size_t n;
	uint64_t *addr;  /* [n] ascending, distinct */
	str_id *name;    /* [n] 0: none */
	uint64_t *start; /* [n] start of the function */
	struct strtab *texts;
	uint64_t n_assigned;
	/* of the jitdump that is read */
	struct jit_code *code; /* [n_codes] in the order of the file */
	size_t n_codes, code_cap;
};

static int symbol_jit_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

struct jit *jit_new(const uint64_t *addr, size_t n)
{
	struct jit *j = mem_zalloc(1, sizeof(*j));

	j->addr = mem_alloc(n, sizeof(*j->addr));
	j->name = mem_zalloc(n, sizeof(*j->name));
	j->start = mem_zalloc(n, sizeof(*j->start));
	j->texts = strtab_new();
	if (n)
		memcpy(j->addr, addr, n * sizeof(*addr));
	qsort(j->addr, n, sizeof(*j->addr), symbol_jit_compare);
	for (size_t i = 0; i < n; i++)
		if (j->n == 0 || j->addr[j->n - 1] != j->addr[i])
			j->addr[j->n++] = j->addr[i];
	return j;
}

void jit_free(struct jit *j)
{
	if (!j)
		return;
	free(j->addr);
	free(j->name);
	free(j->start);
	free(j->code);
	strtab_free(j->texts);
	free(j);
}

bool jit_find(const struct jit *j, uint64_t addr, struct jit_name *out)
{
	size_t i = lower_bound_u64(j->addr, j->n, addr);

	if (i == j->n || j->addr[i] != addr || !j->name[i])
		return false;
	*out = (struct jit_name){ .function = strtab_text(j->texts, j->name[i]), .offset = addr - j->start[i] };
	return true;
}

size_t jit_count(const struct jit *j)
{
	size_t n = 0;

	for (size_t i = 0; i < j->n; i++)
		n += j->name[i] != 0;
	return n;
}

static str_id symbol_jit_intern(struct jit *j, const char *name, size_t n)
{
	struct buf safe = { 0 };
	str_id id;

	utf8_add_safe(&safe, name, n);
	id = strtab_add(j->texts, buf_text(&safe), safe.len);
	buf_release(&safe);
	return id;
}

/* The first wanted address in a function; j->n if there is none. */
static size_t first_in(const struct jit *j, uint64_t start, uint64_t size)
{
	size_t i = lower_bound_u64(j->addr, j->n, start);

	return i < j->n && j->addr[i] - start < size ? i : j->n;
}

/* Assign a function to the wanted addresses [i, ...) in it. */
static int assign(struct jit *j, size_t i, uint64_t start, uint64_t size, const char *name, size_t n, struct err *err)
{
	str_id id = symbol_jit_intern(j, name, n);

	for (; i < j->n && j->addr[i] - start < size; i++) {
		j->name[i] = id;
		j->start[i] = start;
		if (++j->n_assigned > ASSIGNMENTS_MAX)
			return err_set(err, ERR_LIMIT, "too many functions at the same addresses");
	}
	if (strtab_memory(j->texts) > TEXT_BYTES_MAX)
		return err_set(err, ERR_LIMIT, "the names are longer than %zu MiB", TEXT_BYTES_MAX >> 20);
	return 0;
}

/*
 * Read a line without its newline, of which at most LINE_BYTES_MAX bytes are kept. Returns false at the end of the file,
 * or at the limit.
 *
 * n       out: number of bytes kept
 */
static bool symbol_jit_read_line(FILE *f, char *line, size_t *n, uint64_t *n_remaining)
{
	int c;

	for (*n = 0; (c = getc_unlocked(f)) != EOF && *n_remaining; (*n_remaining)--) {
		if (c == '\n')
			return true;
		if (*n < LINE_BYTES_MAX)
			line[(*n)++] = (char)c;
	}
	return *n > 0;
}

/* Parse a hexadecimal number with or without "0x", and the space after it. Returns false if it has another form. */
static bool symbol_jit_read_hex(const char **at, const char *end, uint64_t *out)
{
	const char *s = *at;
	size_t n = 0;

	if (end - s > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		s += 2;
	for (*out = 0; s < end && n < 17; s++, n++) {
		int digit = *s >= '0' && *s <= '9'                 ? *s - '0'
			    : (*s | 32) >= 'a' && (*s | 32) <= 'f' ? (*s | 32) - 'a' + 10
								   : -1;

		if (digit < 0)
			break;
		*out = *out << 4 | (uint64_t)digit;
	}
	if (n == 0 || n > 16 || s == end || *s != ' ')
		return false;
	*at = s + 1;
	return true;
}

static bool symbol_jit_is_valid(uint64_t start, uint64_t size)
{
	return size > 0 && size <= UINT64_MAX - start;
}

static int read_map(struct jit *j, FILE *f, struct err *err)
{
	uint64_t n_remaining = MAP_BYTES_MAX, start, size;
	char line[LINE_BYTES_MAX];
	size_t n, i;
	int rc = 0;

	/* In a line that is being written, only the name can be incomplete: the fields before it end with a space. */
	while (rc == 0 && symbol_jit_read_line(f, line, &n, &n_remaining)) {
		const char *at = line, *end = line + n;

		if (!symbol_jit_read_hex(&at, end, &start) || !symbol_jit_read_hex(&at, end, &size) ||
		    !symbol_jit_is_valid(start, size))
			continue;
		while (end > at && (end[-1] == '\r' || end[-1] == ' '))
			end--;
		n = (size_t)(end - at);
		i = first_in(j, start, size);
		if (n && i < j->n)
			rc = assign(j, i, start, size, at, utf8_prefix(at, n, NAME_BYTES_MAX), err);
	}
	if (rc == 0 && n_remaining == 0)
		return err_set(err, ERR_LIMIT, "the map is larger than %" PRIu64 " MiB", MAP_BYTES_MAX >> 20);
	return rc;
}

/* The format of a jitdump. Structures have no padding. */
enum { DUMP_MAGIC = 0x4a695444, DUMP_MAGIC_SWAPPED = 0x4454694a, DUMP_VERSION = 1, DUMP_HEAD_MAX = 1 << 16 };
enum { CODE_LOAD, CODE_MOVE };

struct dump_head {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time, flags;
};

struct dump_record {
	uint32_t id, size;
	uint64_t time;
};

struct dump_load {
	uint32_t pid, tid;
	uint64_t vma, start, size, index;
	/* the name, which ends with NUL, and the code follow */
};

struct dump_move {
	uint32_t pid, tid;
	uint64_t vma, old_start, start, size, index;
};

/* Read the name of a load record, which has at most n bytes. Returns its length; 0 if it is incomplete. */
static size_t symbol_jit_read_name(FILE *f, char *name, size_t n)
{
	size_t len = 0;
	int c = 0;

	while (n-- && (c = getc_unlocked(f)) > 0)
		if (len < NAME_BYTES_MAX)
			name[len++] = (char)c;
	return c == 0 ? utf8_prefix(name, len, NAME_BYTES_MAX) : 0;
}

static int read_load(struct jit *j, FILE *f, const struct dump_record *record, off_t at, struct err *err)
{
	char name[NAME_BYTES_MAX];
	struct dump_load load;
	size_t i, n;

	if (record->size < sizeof(*record) + sizeof(load) || fread(&load, sizeof(load), 1, f) != 1)
		return 0;
	if (j->n_codes < CODES_MAX) {
		j->code = mem_grow(j->code, &j->code_cap, j->n_codes + 1, sizeof(*j->code));
		j->code[j->n_codes++] = (struct jit_code){ load.index, at };
	}
	i = symbol_jit_is_valid(load.start, load.size) ? first_in(j, load.start, load.size) : j->n;
	if (i == j->n)
		return 0;
	n = symbol_jit_read_name(f, name, record->size - sizeof(*record) - sizeof(load));
	return n ? assign(j, i, load.start, load.size, name, n, err) : 0;
}

/* Read the name of the newest code with an index. Returns its length; 0 if there is none. */
static size_t find_code(struct jit *j, FILE *f, uint64_t index, char *name)
{
	struct dump_record record;
	struct dump_load load;
	size_t i = j->n_codes;

	while (i && j->code[i - 1].index != index && j->n_assigned++ < ASSIGNMENTS_MAX)
		i--;
	if (!i || j->code[i - 1].index != index || fseeko(f, j->code[i - 1].at, SEEK_SET) != 0 ||
	    fread(&record, sizeof(record), 1, f) != 1 || fread(&load, sizeof(load), 1, f) != 1 ||
	    record.size < sizeof(record) + sizeof(load))
		return 0;
	return symbol_jit_read_name(f, name, record.size - sizeof(record) - sizeof(load));
}

/* The old place keeps its name: samples may be from the time before. */
static int read_move(struct jit *j, FILE *f, const struct dump_record *record, struct err *err)
{
	char name[NAME_BYTES_MAX];
	struct dump_move move;
	size_t i, n;

	if (record->size < sizeof(*record) + sizeof(move) || fread(&move, sizeof(move), 1, f) != 1)
		return 0;
	i = symbol_jit_is_valid(move.start, move.size) ? first_in(j, move.start, move.size) : j->n;
	n = i < j->n ? find_code(j, f, move.index, name) : 0;
	return n ? assign(j, i, move.start, move.size, name, n, err) : 0;
}

static int symbol_jit_read_records(struct jit *j, FILE *f, off_t at, struct err *err)
{
	struct dump_record record;
	uint32_t n = 0;
	int rc = 0;

	while (rc == 0 && fseeko(f, at, SEEK_SET) == 0 && fread(&record, sizeof(record), 1, f) == 1) {
		if (n++ == RECORDS_MAX)
			return err_set(err, ERR_LIMIT, "the jitdump has more than %d records", RECORDS_MAX);
		if (record.size < sizeof(record))
			return err_set(err, ERR_FORMAT, "the record at byte %lld has only %" PRIu32 " bytes",
				       (long long)at, record.size);
		if (record.id == CODE_LOAD)
			rc = read_load(j, f, &record, at, err);
		else if (record.id == CODE_MOVE)
			rc = read_move(j, f, &record, err);
		at += record.size;
	}
	return rc;
}

static int read_dump(struct jit *j, FILE *f, const struct dump_head *head, struct err *err)
{
	if (head->magic == DUMP_MAGIC_SWAPPED)
		return err_set(err, ERR_FORMAT, "the jitdump is from a machine with another byte order");
	if (head->version != DUMP_VERSION)
		return err_set(err, ERR_FORMAT, "version %" PRIu32 " of jitdump is not supported", head->version);
	if (head->size < sizeof(*head) || head->size > DUMP_HEAD_MAX)
		return err_set(err, ERR_FORMAT, "the header of the jitdump has %" PRIu32 " bytes", head->size);
	j->n_codes = 0;
	return symbol_jit_read_records(j, f, (off_t)head->size, err);
}

int jit_read(struct jit *j, FILE *f, struct err *err)
{
	struct dump_head head = { 0 };
	size_t n = fread(&head, 1, sizeof(head), f);
	int rc;

	if (n == sizeof(head) && (head.magic == DUMP_MAGIC || head.magic == DUMP_MAGIC_SWAPPED))
		rc = read_dump(j, f, &head, err);
	else if (fseeko(f, 0, SEEK_SET) == 0)
		rc = read_map(j, f, err);
	else
		return err_set(err, ERR_IO, "%s", strerror(errno));
	if (rc == 0 && ferror(f))
		return err_set(err, ERR_IO, "%s", strerror(errno));
	return rc;
}
