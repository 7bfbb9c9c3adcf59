/*
 * symbolize.c - look up names for a loaded profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sources/symbolize.h"

#include "base/arena.h"
#include "base/unit.h"
#include "engine/query.h"
#include "report/binaries.h"
#include "symbol/debuginfod.h"
#include "symbol/jit/jit_process.h"
#include "symbol/names.h"
#include "symbol/symbolize.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

enum { MISSING_SHOWN = 3 };

static bool symbolize_is_word(const char *s, size_t n, const char *word)
{
	return n == strlen(word) && strncasecmp(s, word, n) == 0;
}

/* Parse a demangling mode, such as "demangle=full" or "full". Returns false for an unknown word. */
static bool read_demangle(const char *s, size_t n, struct symbolize_mode *m)
{
	static const struct {
		const char *word;
		enum demangle_mode mode;
	} modes[] = { { "full", DEMANGLE_FULL }, { "templates", DEMANGLE_TEMPLATES }, { "none", DEMANGLE_NONE } };
	static const char prefix[] = "demangle=";
	size_t len = sizeof(prefix) - 1;

	if (n >= len && strncasecmp(s, prefix, len) == 0) {
		s += len;
		n -= len;
	}
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (!symbolize_is_word(s, n, modes[i].word))
			continue;
		m->demangle = modes[i].mode;
		m->force = true;
		return true;
	}
	return symbolize_is_word(s, n, "default");
}

static bool symbolize_read_word(const char *s, size_t n, struct symbolize_mode *m)
{
	if (n == 0)
		return true;
	if (symbolize_is_word(s, n, "none") || symbolize_is_word(s, n, "no"))
		m->none = true;
	else if (symbolize_is_word(s, n, "force"))
		m->force = true;
	else if (symbolize_is_word(s, n, "remote"))
		*m = (struct symbolize_mode){
			.remote = true, .fast = m->fast, .force = m->force, .demangle = m->demangle
		};
	else if (symbolize_is_word(s, n, "local") || symbolize_is_word(s, n, "fastlocal"))
		*m = (struct symbolize_mode){ .local = true,
					      .fast = m->fast || symbolize_is_word(s, n, "fastlocal"),
					      .force = m->force,
					      .demangle = m->demangle };
	else
		return read_demangle(s, n, m);
	return true;
}

struct symbolize_mode sources_symbolize_mode(const char *text, struct buf *notes)
{
	struct symbolize_mode m = { .local = true, .remote = true, .demangle = DEMANGLE_DEFAULT };
	const char *s = text;

	while (!m.none) {
		size_t n = strcspn(s, ":");

		if (!symbolize_read_word(s, n, &m)) {
			buf_addf(notes, "ignoring unrecognized symbolization option: %s\n", text);
			buf_addz(notes, "expecting -symbolize=[local|fastlocal|remote|none][:force]"
					"[:demangle=[none|full|templates|default]]\n");
		}
		if (s[n] == '\0')
			break;
		s += n + 1;
	}
	return m;
}

/* Append a count with the noun in singular or plural, such as "1 address" or "12 addresses". */
static void symbolize_add_count(struct buf *out, uint32_t n, const char *one, const char *many)
{
	unit_add_count(out, n);
	buf_addf(out, " %s", n == 1 ? one : many);
}

static void symbolize_add_missing(struct buf *out, const char *lines)
{
	size_t shown = 0, more = 0;

	while (*lines) {
		size_t n = strcspn(lines, "\n");

		if (shown < MISSING_SHOWN)
			buf_addf(out, "; %.*s", (int)n, lines);
		else
			more++;
		shown++;
		lines += n + (lines[n] == '\n');
	}
	if (more)
		buf_addf(out, "; and %zu more", more);
}

/* Append a line with the result, after the lines about each mapping. n_served addresses were named by a server. */
static void symbolize_add_summary(const struct symbolize_result *s, uint32_t n_served, bool verbose, struct buf *out)
{
	uint32_t n_named = s->n_named + n_served;

	if (s->tried.len)
		buf_add(out, s->tried.data, s->tried.len);
	if (s->n_binaries == 0)
		return;
	buf_addz(out, "symbolized ");
	unit_add_count(out, n_named);
	buf_addz(out, " of ");
	symbolize_add_count(out, s->n_addresses, "address", "addresses");
	buf_addf(out, " in %" PRIu32 " of ", s->n_found);
	symbolize_add_count(out, s->n_binaries, "binary", "binaries");
	if (n_served) {
		buf_addz(out, ", ");
		unit_add_count(out, n_served);
		buf_addz(out, " by the server");
	}
	if (s->n_without_binary)
		buf_addf(out, ", %" PRIu32 " outside any binary", s->n_without_binary);
	if (n_named < s->n_addresses)
		symbolize_add_missing(out, buf_text(&s->missing));
	symbolize_add_missing(out, buf_text(&s->partial));
	if (n_named < s->n_addresses && s->missing.len && !verbose)
		buf_addz(out, "; -v shows the paths searched");
	buf_addz(out, "\n");
}

/*
 * Look up names in binaries.
 *
 * found   the result
 * later   what debuginfod did not find, for the user
 */
static int symbolize_with_binaries(struct profile *p, struct source_set *new, const struct symbolize_mode *m,
				   struct symbolize_result *found, struct buf *later, struct err *err)
{
	struct symbol_options where;
	struct arena *mem;
	int rc;

	if (!symbolize_needed(p, m->force))
		return 0;
	mem = arena_new();
	report_where(new->q, mem, &where);
	where.fast = m->fast;
	rc = symbolize_local(p, &where, m->force, new->q->verbose, found, err);
	if (debuginfod_missing(&where, later))
		buf_addz(later, "\n");
	arena_free(mem);
	return rc;
}

/* The number of addresses in mappings that have no name. */
static uint32_t count_unnamed(const struct profile *p)
{
	uint32_t n = 0;

	for (uint32_t loc = 0; loc < p->n_locs; loc++)
		n += p->loc_map[loc] != PROFILE_NONE && !profile_has_name(p, loc);
	return n;
}

/* Look up names on the servers of the profile. n_served: the number of addresses that had none and now have one. */
static int symbolize_with_server(struct profile *p, const struct source_set *new, const struct source_set *base,
				 bool force, struct buf *notes, uint32_t *n_served, struct err *err)
{
	uint32_t before = count_unnamed(p), after;
	int rc = symbolz_run(p, new, base, force, notes, err);

	after = count_unnamed(p);
	*n_served = before > after ? before - after : 0;
	return rc;
}

/* Add names of code generated at run time. */
static int symbolize_generated(struct profile *p, struct source_set *new, const char *file, struct buf *notes,
			       struct err *err)
{
	uint32_t n = 0;
	int rc = jit_symbolize(p, *file ? file : NULL, notes, &n, err);

	if (n) {
		buf_addz(notes, "named ");
		symbolize_add_count(notes, n, "address", "addresses");
		buf_addz(notes, " of code generated at run time\n");
	}
	new->n_named = n;
	return rc;
}

int sources_symbolize(struct profile *p, struct source_set *new, const struct source_set *base, struct err *err)
{
	struct symbolize_mode m = sources_symbolize_mode(new->q->symbolize, &new->info);
	struct symbolize_result found = { 0 };
	struct buf later = { 0 };
	uint32_t n_served = 0;
	int rc = 0;

	if (m.none)
		return 0;
	if (new->q->for_gate && m.demangle == DEMANGLE_DEFAULT)
		m.demangle =
			DEMANGLE_MANGLED; /* without arguments, <A as T>::go and <B as T>::go would be the same function */
	if (m.local)
		rc = symbolize_with_binaries(p, new, &m, &found, &later, err);
	if (rc == 0 && (m.local || *new->q->jit))
		rc = symbolize_generated(p, new, new->q->jit, &later, err);
	if (rc == 0 && m.remote && symbolz_is_available(new, base))
		rc = symbolize_with_server(p, new, base, m.force, &later, &n_served, err);
	if (n_served > found.n_addresses - found.n_named)
		n_served = found.n_addresses - found.n_named;
	symbolize_add_summary(&found, n_served, new->q->verbose, &new->info);
	if (later.len)
		buf_add(&new->info, later.data, later.len);
	new->is_partial = found.partial.len > 0;
	new->n_named += found.n_named + n_served;
	new->n_unnamed = found.n_addresses - found.n_named - n_served;
	symbolize_result_release(&found);
	buf_release(&later);
	if (rc == 0)
		names_demangle(p, m.demangle, m.force);
	return rc;
}
