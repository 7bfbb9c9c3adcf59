/*
 * symbolize.c - names for a loaded profile, from where -symbolize says
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/symbolize.h"

#include "answer/symbolz.h"
#include "base/arena.h"
#include "report/where.h"
#include "symbol/debuginfod.h"
#include "symbol/names.h"
#include "symbol/symbolize.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

enum { MISSING_SHOWN = 3 };

static bool is_word(const char *s, size_t n, const char *word)
{
	return n == strlen(word) && strncasecmp(s, word, n) == 0;
}

/* demangle=full, or full alone. */
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
		if (!is_word(s, n, modes[i].word))
			continue;
		m->demangle = modes[i].mode;
		m->force = true;
		return true;
	}
	return is_word(s, n, "default");
}

static bool read_word(const char *s, size_t n, struct symbolize_mode *m)
{
	if (n == 0)
		return true;
	if (is_word(s, n, "none") || is_word(s, n, "no"))
		m->none = true;
	else if (is_word(s, n, "force"))
		m->force = true;
	else if (is_word(s, n, "remote"))
		*m = (struct symbolize_mode){
			.remote = true, .fast = m->fast, .force = m->force, .demangle = m->demangle
		};
	else if (is_word(s, n, "local") || is_word(s, n, "fastlocal"))
		*m = (struct symbolize_mode){ .local = true,
					      .fast = m->fast || is_word(s, n, "fastlocal"),
					      .force = m->force,
					      .demangle = m->demangle };
	else
		return read_demangle(s, n, m);
	return true;
}

struct symbolize_mode answer_symbolize_mode(const char *text, struct buf *notes)
{
	struct symbolize_mode m = { .local = true, .remote = true, .demangle = DEMANGLE_DEFAULT };
	const char *s = text;

	while (!m.none) {
		size_t n = strcspn(s, ":");

		if (!read_word(s, n, &m)) {
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

/* "1 address", "12 addresses" */
static void add_count(struct buf *out, uint32_t n, const char *one, const char *many)
{
	buf_addf(out, "%" PRIu32 " %s", n, n == 1 ? one : many);
}

static void add_missing(struct buf *out, const char *lines)
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

/* One line of what was found, after those about each mapping. */
static void tell(const struct symbolized *s, bool verbose, struct buf *out)
{
	if (s->tried.len)
		buf_add(out, s->tried.data, s->tried.len);
	if (s->n_binaries == 0)
		return;
	buf_addf(out, "symbolized %" PRIu32 " of ", s->n_named);
	add_count(out, s->n_addresses, "address", "addresses");
	buf_addf(out, " in %" PRIu32 " of ", s->n_found);
	add_count(out, s->n_binaries, "binary", "binaries");
	if (s->n_nowhere)
		buf_addf(out, ", %" PRIu32 " in none", s->n_nowhere);
	add_missing(out, buf_text(&s->missing));
	if (s->missing.len && !verbose)
		buf_addz(out, "; -v tells where it was looked for");
	buf_addz(out, "\n");
}

static int look_local(struct profile *p, struct load *target, const struct symbolize_mode *m, struct err *err)
{
	struct symbolized found = { 0 };
	struct symbol_where where;
	struct arena *mem;
	int rc;

	if (!symbolize_needed(p, m->force))
		return 0;
	mem = arena_new();
	report_where(target->q, mem, &where);
	where.fast = m->fast;
	rc = symbolize_local(p, &where, m->force, target->q->verbose, &found, err);
	tell(&found, target->q->verbose, &target->told);
	if (debuginfod_missing(&where, &target->told))
		buf_addz(&target->told, "\n");
	target->n_named = found.n_named;
	target->n_nameless = found.n_addresses - found.n_named;
	symbolized_release(&found);
	arena_free(mem);
	return rc;
}

int answer_symbolize(struct profile *p, struct load *target, const struct load *base, struct err *err)
{
	struct symbolize_mode m = answer_symbolize_mode(target->q->symbolize, &target->told);
	int rc = 0;

	if (m.none)
		return 0;
	if (m.local)
		rc = look_local(p, target, &m, err);
	if (rc == 0 && m.remote && symbolz_can(target, base))
		rc = symbolz_run(p, target, base, m.force, &target->told, err);
	if (rc == 0)
		demangle_names(p, m.demangle, m.force);
	return rc;
}
