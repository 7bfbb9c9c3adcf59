/*
 * memmap.c - read memory maps, and find the mappings of addresses
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For each address, pprof tries all mappings in order, and modifies mappings on the way. Here two segment trees over
 * the sorted addresses store, for each address, the first mapping that contains it and the first mapping whose
 * missing start contains it. Mappings only grow, so it is enough to record the new part, and an address takes
 * logarithmic time.
 */
#include "config.h"

#include "formats/legacy/memmap.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/str.h"
#include "formats/legacy/legacy.h"
#include "formats/legacy/legacy_text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- keys: replace "$key" in a line by the value from an earlier line ---- */

enum { KEY_MAX = 31, EXPAND_FREE = 1 << 20, EXPAND_RATIO = 16 };

struct memmap_keys {
	struct buf text; /* names and values */
	struct memmap_key {
		size_t name, value; /* offsets in keys.text */
		size_t n_name, n_value;
	} * key; /* [n] in order of definition */
	size_t n, cap;
	struct idtab by_name;
	uint32_t lengths; /* bit i: the name of some key has i bytes */
	size_t budget;    /* bytes that replacements may still add to the text */
};

static struct slice key_name(const struct memmap_keys *k, size_t i)
{
	return (struct slice){ k->text.data + k->key[i].name, k->key[i].n_name };
}

/* The index of a key by name; k->n if there is none. */
static size_t memmap_keys_find(const struct memmap_keys *k, struct slice name)
{
	uint64_t h = hash_bytes(name.p, name.n);
	uint32_t id;

	for (size_t pos = idtab_start(&k->by_name, h); idtab_next(&k->by_name, h, &pos, &id);)
		if (key_name(k, id).n == name.n && memcmp(key_name(k, id).p, name.p, name.n) == 0)
			return id;
	return k->n;
}

/* The index of the first defined key that is a prefix of the text; k->n if there is none. */
static size_t keys_match(const struct memmap_keys *k, struct slice text)
{
	size_t best = k->n;

	for (uint32_t bits = k->lengths; bits; bits &= bits - 1) {
		size_t n = (size_t)__builtin_ctz(bits), i;

		if (n > text.n)
			break;
		i = memmap_keys_find(k, (struct slice){ text.p, n });
		if (i < best)
			best = i;
	}
	return best;
}

/* Add the key of a line "key=value", unless the key is defined already. */
static void keys_define(struct memmap_keys *k, struct slice line)
{
	const char *equals = slice_find(line, "=");
	struct slice name, value;

	if (!equals)
		return;
	name = slice_trim(slice_make(line.p, equals));
	value = slice_trim(slice_make(equals + 1, line.p + line.n));
	if (name.n > KEY_MAX || k->n == UINT32_MAX - 1 || memmap_keys_find(k, name) < k->n)
		return;
	k->key = mem_grow(k->key, &k->cap, k->n + 1, sizeof(*k->key));
	k->key[k->n] = (struct memmap_key){ k->text.len, k->text.len + name.n, name.n, value.n };
	buf_add(&k->text, name.p, name.n);
	buf_add(&k->text, value.p, value.n);
	idtab_put(&k->by_name, hash_bytes(name.p, name.n), (uint32_t)k->n++);
	k->lengths |= UINT32_C(1) << name.n;
}

/* Replace the keys in a line. out is overwritten, and the line may point into it. */
static int keys_expand(struct memmap_keys *k, struct slice *line, struct buf *out, struct err *err)
{
	struct slice rest = *line;

	if (k->n == 0 || !slice_find(rest, "$"))
		return 0;
	out->len = 0;
	for (const char *at; (at = slice_find(rest, "$")) != NULL;) {
		struct slice after = slice_make(at + 1, rest.p + rest.n);
		size_t i = keys_match(k, after);

		buf_add(out, rest.p, (size_t)(at - rest.p) + (i == k->n));
		rest = after;
		if (i == k->n)
			continue;
		if (k->key[i].n_value > k->budget)
			return err_set(err, ERR_FORMAT, "replacing $key makes the memory map more than %d times longer",
				       EXPAND_RATIO);
		k->budget -= k->key[i].n_value;
		buf_add(out, k->text.data + k->key[i].value, k->key[i].n_value);
		rest.p += k->key[i].n_name;
		rest.n -= k->key[i].n_name;
	}
	buf_add(out, rest.p, rest.n);
	*line = (struct slice){ out->data, out->len };
	return 0;
}

/* ---- lines ---- */

struct memmap_entry {
	struct slice start, limit, perms, offset, file, build_id;
};

static size_t skip_blanks(struct slice *s)
{
	size_t n = 0;

	while (n < s->n && slice_is_blank(s->p[n]))
		n++;
	s->p += n;
	s->n -= n;
	return n;
}

static struct slice take_hex_prefixed(struct slice *s)
{
	struct slice after = *s, run;

	if (!slice_take(&after, "0x") || (run = slice_take_hex(&after)).n == 0)
		return slice_take_hex(s);
	*s = after;
	return run;
}

/*
 * Parse the two addresses at the start of a line. The separator may be missing ("12" is 1 to 2, and
 * "400x9" is 40 to 9), so there are up to two readings; the rest of the line decides.
 *
 * rest    the text after the addresses, for each reading
 * Returns the number of readings; the preferred one is first
 */
static unsigned range_readings(struct slice s, struct memmap_entry e[2], struct slice rest[2])
{
	struct slice first, second;
	unsigned n = 0;

	skip_blanks(&s);
	first = take_hex_prefixed(&s);
	rest[0] = s;
	if (first.n && s.n && (s.p[0] == '-' || slice_is_blank(s.p[0]))) {
		rest[0] = slice_make(s.p + 1, s.p + s.n);
		skip_blanks(&rest[0]);
		second = take_hex_prefixed(&rest[0]);
		if (second.n)
			e[n++] = (struct memmap_entry){ .start = first, .limit = second };
	} else if (first.n > 1 && first.p[first.n - 1] == '0' && slice_take(&rest[0], "x")) {
		second = slice_take_hex(&rest[0]);
		if (second.n)
			e[n++] = (struct memmap_entry){ .start = { first.p, first.n - 1 }, .limit = second };
	}
	if (first.n > 1) {
		rest[n] = s;
		e[n++] = (struct memmap_entry){ .start = { first.p, first.n - 1 }, .limit = { s.p - 1, 1 } };
	}
	for (unsigned i = 0; i < n; i++)
		slice_take(&rest[i], ":");
	return n;
}

/* Read blanks and the word after them. */
static bool memmap_take_word(struct slice *s, struct slice *word)
{
	struct slice t = *s;

	if (skip_blanks(&t) == 0 || t.n == 0)
		return false;
	*word = (struct slice){ t.p, 0 };
	while (word->n < t.n && !slice_is_blank(t.p[word->n]))
		word->n++;
	*s = slice_make(t.p + word->n, t.p + t.n);
	return true;
}

/* The number of leading permission letters. */
static size_t perms_width(struct slice s)
{
	size_t n = 0;

	while (n < s.n && memchr("-rwxp", s.p[n], 5))
		n++;
	return n;
}

static bool memmap_is_hex(struct slice s)
{
	return slice_take_hex(&s).n > 0 && s.n == 0;
}

/* Is the slice a device number, for example "08:01"? */
static bool is_device(struct slice s)
{
	return slice_take_hex(&s).n > 0 && slice_take(&s, ":") && memmap_is_hex(s);
}

/* Parse the rest of a line of /proc/PID/maps: [perms] [offset] device inode [file]. */
static bool read_proc_rest(struct slice s, struct memmap_entry *e)
{
	struct slice word;

	if (!memmap_take_word(&s, &word))
		return false;
	if (perms_width(word) == word.n) {
		e->perms = word;
		if (!memmap_take_word(&s, &word))
			return false;
	}
	if (memmap_is_hex(word)) {
		e->offset = word;
		if (!memmap_take_word(&s, &word))
			return false;
	}
	if (!is_device(word) || !memmap_take_word(&s, &word) || slice_take_digits(&word).n == 0)
		return false;
	if (word.n == 0)
		memmap_take_word(&s, &e->file);
	return true;
}

/* Parse the rest of a brief line: [perms] [file] [(@offset)] [buildid]; more text is ignored. */
static void read_brief_rest(struct slice s, struct memmap_entry *e)
{
	struct slice t = s;

	if (skip_blanks(&t) && (e->perms.n = perms_width(t)) > 0) {
		e->perms.p = t.p;
		s = slice_make(t.p + e->perms.n, t.p + t.n);
	}
	memmap_take_word(&s, &e->file);
	t = s;
	if (skip_blanks(&t) && slice_take(&t, "(@")) {
		struct slice offset = slice_take_hex(&t);

		if (offset.n && slice_take(&t, ")")) {
			e->offset = offset;
			s = t;
		}
	}
	if (skip_blanks(&s))
		e->build_id = slice_take_hex(&s);
}

static bool read_entry(struct slice line, struct memmap_entry *e)
{
	struct memmap_entry reading[2];
	struct slice rest[2];
	unsigned n = range_readings(line, reading, rest);

	for (unsigned i = 0; i < n; i++) {
		*e = reading[i];
		if (read_proc_rest(rest[i], e))
			return true;
	}
	if (n == 0)
		return false;
	*e = reading[0];
	read_brief_rest(rest[0], e);
	return true;
}

/* The line without a log prefix "... file.cc:123] ". */
static struct slice skip_log_prefix(struct slice line)
{
	size_t close = 0, digits;

	while (close < line.n && line.p[close] != ']' && line.p[close] != '[')
		close++;
	if (close + 1 >= line.n || line.p[close] != ']' || !slice_is_blank(line.p[close + 1]))
		return line;
	for (digits = close; digits > 0 && line.p[digits - 1] >= '0' && line.p[digits - 1] <= '9'; digits--)
		;
	if (digits == close || digits < 2 || line.p[digits - 1] != ':')
		return line;
	return slice_make(line.p + close + 2, line.p + line.n);
}

static int memmap_read_line(struct memmap *m, struct memmap_keys *k, struct slice line, struct strtab *str,
			    const struct format_options *options, struct err *err)
{
	struct mapping map = { 0 };
	struct memmap_entry e;
	int rc;

	if (!read_entry(line, &e)) {
		keys_define(k, line);
		return 0;
	}
	if (e.perms.n && !memchr(e.perms.p, 'x', e.perms.n))
		return 0;
	if (!slice_hex(e.start, &map.start) || !slice_hex(e.limit, &map.limit) ||
	    (e.offset.n && !slice_hex(e.offset, &map.offset))) {
		keys_define(k, line);
		return 0;
	}
	if ((rc = legacy_check_count(options, (uint64_t)m->n + 1, "mappings", err)) < 0)
		return rc;
	map.file = e.file.n ? strtab_add(str, e.file.p, e.file.n) : 0;
	map.build_id = e.build_id.n ? strtab_add(str, e.build_id.p, e.build_id.n) : 0;
	m->map = mem_grow(m->map, &m->cap, m->n + 1, sizeof(*m->map));
	m->map[m->n++] = map;
	return 0;
}

int memmap_read(struct memmap *m, struct lines *in, struct strtab *str, const struct format_options *options,
		struct err *err)
{
	struct memmap_keys k = { .budget = EXPAND_FREE + EXPAND_RATIO * (size_t)(in->end - in->at) };
	struct buf expanded = { 0 };
	int rc = 0;

	idtab_init(&k.by_name, 0);
	while (rc == 0 && lines_next(in)) {
		struct slice line = skip_log_prefix(in->line);

		rc = keys_expand(&k, &line, &expanded, err);
		if (rc == 0)
			rc = memmap_read_line(m, &k, line, str, options, err);
		if (rc < 0)
			err_wrap(err, "memory map, line %" PRIu64, in->no);
	}
	buf_release(&expanded);
	buf_release(&k.text);
	idtab_release(&k.by_name);
	free(k.key);
	return rc;
}

void memmap_release(struct memmap *m)
{
	free(m->map);
}

/* ---- correct the mappings ---- */

static bool is_continued(const struct mapping *a, const struct mapping *b)
{
	if (a->file && b->file && a->file != b->file)
		return false;
	if (a->build_id && b->build_id && a->build_id != b->build_id)
		return false;
	if (a->limit != b->start)
		return false;
	return !a->offset || !b->offset || a->offset + (a->limit - a->start) == b->offset;
}

/* Is this the name of a shared library: ".so" at the end, or ".so.N" or ".so_N" anywhere? */
static bool memmap_is_library(struct slice file)
{
	for (const char *at; (at = slice_find(file, ".so")) != NULL;) {
		file = slice_make(at + 3, file.p + file.n);
		if (file.n == 0)
			return true;
		if (file.n > 1 && (file.p[0] == '.' || file.p[0] == '_') && file.p[1] >= '0' && file.p[1] <= '9')
			return true;
	}
	return false;
}

static bool is_main_binary(const struct strtab *str, str_id file, struct buf *name)
{
	struct slice rest = { strtab_text(str, file), strtab_len(str, file) };

	name->len = 0;
	for (const char *at; (at = slice_find(rest, "(deleted)")) != NULL;) {
		buf_add(name, rest.p, (size_t)(at - rest.p));
		rest = slice_make(at + strlen("(deleted)"), rest.p + rest.n);
	}
	buf_add(name, rest.p, rest.n);
	rest = slice_trim((struct slice){ name->data, name->len });
	return rest.n && !memmap_is_library(rest) && rest.p[0] != '[';
}

void memmap_normalize(struct memmap *m, struct strtab *str)
{
	struct buf name = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++) {
		const struct mapping *next = &m->map[i];

		if (n == 0 || !is_continued(&m->map[n - 1], next)) {
			m->map[n++] = *next;
			continue;
		}
		m->map[n - 1].limit = next->limit;
		if (next->file)
			m->map[n - 1].file = next->file;
		if (next->build_id)
			m->map[n - 1].build_id = next->build_id;
	}
	m->n = n;
	for (size_t i = 0; i < n; i++) {
		if (is_main_binary(str, m->map[i].file, &name)) {
			struct mapping first = m->map[0];

			m->map[0] = m->map[i];
			m->map[i] = first;
			break;
		}
	}
	buf_release(&name);
}

/* ---- find the mapping of an address ---- */

/* For each of n sorted addresses, the lowest index of the mappings recorded for it. */
struct memmap_marks {
	size_t n;
	uint32_t *low; /* [2 * n] a segment tree; leaf i is low[n + i] */
};

static struct memmap_marks marks_make(size_t n)
{
	struct memmap_marks t = { n, mem_alloc(2 * n, sizeof(*t.low)) };

	memset(t.low, 0xff, 2 * n * sizeof(*t.low));
	return t;
}

static void memmap_mark(uint32_t *low, uint32_t map)
{
	if (map < *low)
		*low = map;
}

/* Record a mapping for the addresses in [start, limit). */
static void marks_add(struct memmap_marks *t, const uint64_t *sorted, uint64_t start, uint64_t limit, uint32_t map)
{
	size_t lo = lower_bound_u64(sorted, t->n, start) + t->n, hi = lower_bound_u64(sorted, t->n, limit) + t->n;

	assert(t->n <= lo && hi <= 2 * t->n);
	for (; lo < hi; lo /= 2, hi /= 2) {
		if (lo & 1)
			memmap_mark(&t->low[lo++], map);
		if (hi & 1)
			memmap_mark(&t->low[--hi], map);
	}
}

static uint32_t marks_get(const struct memmap_marks *t, size_t leaf)
{
	uint32_t map = PROFILE_NONE;

	assert(leaf < t->n);
	for (size_t i = leaf + t->n; i > 0; i /= 2)
		memmap_mark(&map, t->low[i]);
	return map;
}

static int compare_addr(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t *sort_addrs(const uint64_t *addr, size_t n, size_t *n_sorted)
{
	uint64_t *sorted = mem_alloc(n, sizeof(*sorted));
	size_t n_distinct = 0;

	if (n)
		memcpy(sorted, addr, n * sizeof(*addr));
	qsort(sorted, n, sizeof(*sorted), compare_addr);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || sorted[i] != sorted[n_distinct - 1])
			sorted[n_distinct++] = sorted[i];
	*n_sorted = n_distinct;
	return sorted;
}

/* Correct the mapping of a main binary whose text was remapped to huge pages. */
static void fix_first(struct memmap *m, const struct strtab *str)
{
	static const uint64_t default_start = 0x400000;
	static const char huge[] = "/anon_hugepage";

	if (m->n > 1 && starts_with(strtab_text(str, m->map[0].file), huge) && m->map[0].limit == m->map[1].start)
		memmove(m->map, m->map + 1, --m->n * sizeof(*m->map));
	if (m->n > 0 && m->map[0].start - m->map[0].offset == default_start) {
		m->map[0].start = default_start;
		m->map[0].offset = 0;
	}
}

/* Extend a mapping down to file offset 0, since some signal handlers omit its start. */
static void grow_down(struct mapping *map, struct memmap_marks *inside, const uint64_t *sorted, uint32_t i)
{
	map->start -= map->offset;
	map->offset = 0;
	marks_add(inside, sorted, map->start, map->limit, i);
}

void memmap_assign(struct memmap *m, const struct strtab *str, const uint64_t *addr, uint32_t n, uint32_t *map)
{
	uint32_t everything = PROFILE_NONE;
	size_t n_sorted;
	uint64_t *sorted = sort_addrs(addr, n, &n_sorted);
	struct memmap_marks inside = marks_make(n_sorted), front = marks_make(n_sorted);

	fix_first(m, str);
	for (uint32_t i = 0; i < m->n; i++) {
		const struct mapping *p = &m->map[i];

		marks_add(&inside, sorted, p->start, p->limit, i);
		if (p->offset && p->offset <= p->start && p->start <= p->limit)
			marks_add(&front, sorted, p->start - p->offset, p->start, i);
	}
	for (uint32_t i = 0; i < n; i++) {
		size_t leaf = lower_bound_u64(sorted, n_sorted, addr[i]);

		map[i] = addr[i] ? marks_get(&inside, leaf) : PROFILE_NONE;
		if (map[i] != PROFILE_NONE || addr[i] == 0)
			continue;
		if (everything == PROFILE_NONE && (map[i] = marks_get(&front, leaf)) != PROFILE_NONE) {
			grow_down(&m->map[map[i]], &inside, sorted, map[i]);
			continue;
		}
		if (everything == PROFILE_NONE) {
			everything = (uint32_t)m->n;
			m->map = mem_grow(m->map, &m->cap, m->n + 1, sizeof(*m->map));
			m->map[m->n++] = (struct mapping){ .limit = UINT64_MAX };
		}
		map[i] = everything;
	}
	free(sorted);
	free(inside.low);
	free(front.low);
}
