/*
 * prune.c - remove the frames that match drop_frames of the profile
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * First the names that locations use are matched, each once; the profile is modified only after all have been matched.
 * Then lines and stacks are compacted in place.
 */
#include "config.h"

#include "profile/prune.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/regex.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const char *simplify_name(const char *name, size_t *n)
{
	static const char *const exceptions[] = { "(anonymous namespace)", "operator()" };
	const char *s = name;
	size_t i = 0, end = *n;

	if (end > 0 && s[0] == '.') { /* on PowerPC, names of code begin with a dot, names of descriptors do not */
		s++;
		end--;
	}
	while (i < end) {
		size_t skip = 0;

		for (int k = 0; k < 2 && skip == 0; k++)
			if (end - i >= strlen(exceptions[k]) &&
			    memcmp(s + i, exceptions[k], strlen(exceptions[k])) == 0)
				skip = strlen(exceptions[k]);
		if (skip == 0 && s[i] == '(')
			break;
		i += skip ? skip : 1;
	}
	assert(i <= end);
	*n = i;
	return s;
}

/* Result of matching a name. */
enum { NAME_NEW, NAME_STAYS, NAME_DROPS };

/* Part of a stack to remove at a location that is called by a user frame. */
enum { CUT_NONE, CUT_BENEATH, CUT_WHOLE };

struct prune {
	struct profile *p;
	struct regex *drop, *keep; /* keep may be NULL */
	uint8_t *name;             /* [strings] NAME_* */
	uint8_t *cut;              /* [n_locs] CUT_* */
	uint32_t *first_line;      /* [n_locs] the innermost line to keep */
};

/*
 * Compile an expression of the profile as ^(...)$. *out is NULL for "".
 *
 * Returns false when it does not compile; the warning is then set
 */
static bool prune_compile(const struct profile *p, const char *what, str_id text, struct regex **out,
			  struct err *warning)
{
	struct buf whole = { 0 };
	int rc;

	*out = NULL;
	if (text == 0)
		return true;
	buf_addz(&whole, "^(");
	buf_add(&whole, profile_text(p, text), strtab_len(p->str, text));
	buf_addz(&whole, ")$");
	rc = regex_new(buf_text(&whole), out, warning);
	buf_release(&whole);
	if (rc < 0)
		err_wrap(warning, "no frames are dropped, because %s of the profile is not a valid expression", what);
	return rc == 0;
}

static int prune_match_name(struct prune *x, str_id id, struct err *err)
{
	size_t n = strtab_len(x->p->str, id);
	const char *name = simplify_name(profile_text(x->p, id), &n);
	bool drops = false, keeps = false;

	if (regex_match(x->drop, name, n, &drops, err) < 0)
		return err_wrap(err, "drop_frames");
	if (drops && x->keep && regex_match(x->keep, name, n, &keeps, err) < 0)
		return err_wrap(err, "keep_frames");
	x->name[id] = drops && !keeps ? NAME_DROPS : NAME_STAYS;
	return 0;
}

/* Find the outermost line to remove. */
static int prune_loc(struct prune *x, uint32_t loc, struct err *err)
{
	const struct profile *p = x->p;
	uint32_t first = p->loc_line[loc], end = p->loc_line[loc + 1];

	x->first_line[loc] = first;
	for (uint32_t l = end; l > first; l--) {
		str_id name = p->func_name[p->line_func[l - 1]];

		if (name == 0)
			continue;
		if (x->name[name] == NAME_NEW && prune_match_name(x, name, err) < 0)
			return ERR_LIMIT;
		if (x->name[name] == NAME_STAYS)
			continue;
		x->cut[loc] = l == end ? CUT_WHOLE : CUT_BENEATH;
		x->first_line[loc] = l == end ? first : l;
		return 0;
	}
	return 0;
}

static void prune_move_lines(struct prune *x)
{
	struct profile *p = x->p;
	uint32_t n = 0, end;

	for (uint32_t loc = 0; loc < p->n_locs; loc++) {
		end = p->loc_line[loc + 1];
		p->loc_line[loc] = n;
		for (uint32_t l = x->first_line[loc]; l < end; l++) {
			p->line_func[n] = p->line_func[l];
			p->line_no[n] = p->line_no[l];
			p->line_col[n++] = p->line_col[l];
		}
	}
	p->loc_line[p->n_locs] = n;
	p->n_lines = n;
}

/*
 * The index of the first frame to keep. Walk from the root to the first matching frame after a user frame. Matching
 * frames before the first user frame are kept, or nothing would remain.
 */
static uint32_t first_kept_frame(const struct prune *x, uint32_t first, uint32_t end)
{
	bool user = false;

	for (uint32_t i = end; i > first; i--) {
		uint8_t cut = x->cut[stack_id_at(&x->p->stacks, i - 1)];

		if (cut == CUT_NONE)
			user = true;
		else if (user)
			return cut == CUT_WHOLE ? i : i - 1;
	}
	return first;
}

static void move_stacks(struct prune *x)
{
	struct stack_lists *s = &x->p->stacks;
	uint32_t n = 0, first = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t end = s->off[i + 1], from = first_kept_frame(x, first, end);

		memmove(stack_address(s, n), stack_address(s, from), (size_t)(end - from) * s->width);
		n += end - from;
		s->off[i + 1] = n;
		first = end;
	}
}

static int prune_all(struct prune *x, struct err *err)
{
	struct profile *p = x->p;
	bool any = false;
	int rc = 0;

	x->name = mem_zalloc(strtab_count(p->str), sizeof(*x->name));
	x->cut = mem_zalloc(p->n_locs, sizeof(*x->cut));
	x->first_line = mem_alloc(p->n_locs, sizeof(*x->first_line));
	for (uint32_t loc = 0; rc == 0 && loc < p->n_locs; loc++) {
		rc = prune_loc(x, loc, err);
		any = any || x->cut[loc] != CUT_NONE;
	}
	if (rc == 0 && any) {
		prune_move_lines(x);
		move_stacks(x);
	}
	free(x->name);
	free(x->cut);
	free(x->first_line);
	return rc;
}

int profile_prune(struct profile *p, struct err *warning, struct err *err)
{
	struct prune x = { .p = p };
	int rc = 0;

	*warning = (struct err){ 0 };
	if (p->meta.drop_frames == 0)
		return 0;
	if (prune_compile(p, "drop_frames", p->meta.drop_frames, &x.drop, warning) &&
	    prune_compile(p, "keep_frames", p->meta.keep_frames, &x.keep, warning))
		rc = prune_all(&x, err);
	regex_free(x.drop);
	regex_free(x.keep);
	return rc;
}

void profile_drop_leaves(struct profile *p, bool (*drops)(const struct profile *p, uint32_t loc))
{
	bool *is_dropped = mem_alloc(p->n_locs, sizeof(*is_dropped));
	struct stack_lists *s = &p->stacks;
	uint32_t n = 0, first = 0;

	for (uint32_t loc = 0; loc < p->n_locs; loc++)
		is_dropped[loc] = drops(p, loc);
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t end = s->off[i + 1], from = first;

		while (from + 1 < end && is_dropped[stack_id_at(s, from)])
			from++;
		memmove(stack_address(s, n), stack_address(s, from), (size_t)(end - from) * s->width);
		n += end - from;
		s->off[i + 1] = n;
		first = end;
	}
	free(is_dropped);
}
