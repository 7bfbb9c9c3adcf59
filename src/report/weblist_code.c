/*
 * weblist_code.c - read the instructions around the addresses of matching functions
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/weblist_int.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/search.h"
#include "base/str.h"
#include "engine/query.h"
#include "symbol/disasm.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { EXPAND = 500, MOST_RANGES = 25, NEIGHBOURHOOD = 32 };

/* Addresses that are disassembled together, in one mapping. */
struct weblist_code_range {
	uint32_t map;
	int64_t binary;
	int64_t score; /* sum of flat of the matching addresses in the range */
	uint64_t begin;
	struct disasm_range code; /* range in addresses of the object */
};

struct ranges {
	uint32_t n;
	size_t cap;
	struct weblist_code_range *range;
};

/* The file name by which lines are grouped. Like pprof internal/report canonicalizeFileName. */
static uint32_t weblist_code_file_of(struct weblist_builder *w, const char *path)
{
	static const char *const prefix[] = { "/proc/self/cwd/", "./" };
	struct buf clean = { 0 };

	if (path == w->last_path) /* the frames of an instruction often have the same file, whose name may be long */
		return w->last_file;
	w->last_path = path;
	for (size_t i = 0; i < sizeof(prefix) / sizeof(prefix[0]); i++)
		if (starts_with(path, prefix[i]))
			path += strlen(prefix[i]);
	path_add_clean(&clean, *path ? path : ".");
	w->last_file = strtab_add(w->files, clean.data, clean.len);
	buf_release(&clean);
	return w->last_file;
}

/* Limit line numbers to a safe range, since those of profiles may have any value. */
static int64_t line_of(int64_t line)
{
	enum { MANY = 1 << 30 };

	return line > MANY ? MANY : line < -MANY ? -MANY : line;
}

/* Add an instruction to the lines of all matching functions on its stack. */
static void add_uses(struct weblist_builder *w, uint32_t inst)
{
	const struct weblist_instruction *it = &w->inst[inst];
	str_id id;

	for (uint32_t i = 0; i < it->n_frames; i++) {
		const struct frame *f = &it->frame[i];

		if (*f->name ? !strtab_find(w->matched_names, f->name, strlen(f->name), &id) : !w->matches_nameless)
			continue;
		w->use = mem_grow(w->use, &w->cap_uses, (size_t)w->n_uses + 1, sizeof(*w->use));
		w->use[w->n_uses] =
			(struct weblist_use){ weblist_code_file_of(w, f->file), line_of(f->line), inst, i, w->n_uses };
		w->n_uses++;
	}
}

static struct weblist_instruction *weblist_code_add_inst(struct weblist_builder *w)
{
	w->inst = mem_grow(w->inst, &w->cap_insts, (size_t)w->n_insts + 1, sizeof(*w->inst));
	w->inst[w->n_insts] = (struct weblist_instruction){ .text = "", .file = "" };
	return &w->inst[w->n_insts++];
}

static const char *weblist_code_text_of(const struct weblist_builder *w, str_id id)
{
	return profile_text(w->v->p, id);
}

/* Add an address without a binary, as described by the profile. */
static void add_without_code(struct weblist_builder *w, const struct weblist_addr *a)
{
	const struct profile *p = w->v->p;
	struct weblist_instruction *it = weblist_code_add_inst(w);
	uint32_t lo = p->loc_line[a->loc], hi = p->loc_line[a->loc + 1];
	struct frame *frame = arena_zalloc(w->mem, hi - lo, sizeof(*frame));

	it->addr = it->obj_addr = a->addr;
	it->length = 1;
	it->frame = frame;
	for (uint32_t line = lo; line < hi; line++) {
		uint32_t f = p->line_func[line];

		if (f == PROFILE_NONE)
			continue;
		frame[it->n_frames++] = (struct frame){ .name = weblist_code_text_of(w, p->func_name[f]),
							.file = weblist_code_text_of(w, p->func_file[f]),
							.line = p->line_no[line] };
	}
	if (it->n_frames) {
		it->file = frame[0].file;
		it->line = frame[0].line;
	}
	add_uses(w, w->n_insts - 1);
}

/* Find the binary of an address, and the address in it; BINARY_NONE for none. */
static int64_t weblist_code_binary_of(struct weblist_builder *w, const struct weblist_addr *a, uint64_t *obj_addr,
				      struct buf *notes)
{
	const struct profile *p = w->v->p;
	uint32_t map = p->loc_map[a->loc];
	int64_t binary;

	if (map == PROFILE_NONE || p->loc_addr[a->loc] == 0)
		return BINARY_NONE;
	binary = binaries_open(&w->binaries, map, notes);
	return binary >= 0 && binaries_address(&w->binaries, map, a->addr, obj_addr) ? binary : BINARY_NONE;
}

/* Extend a range on both sides, within its mapping. end is its last address. */
static void weblist_code_extend(struct weblist_code_range *r, const struct mapping *m, uint64_t end, uint64_t base)
{
	uint64_t lo = m->start < r->begin ? m->start : r->begin, hi = m->limit > end ? m->limit : end + 1;

	r->begin = r->begin - lo >= EXPAND ? r->begin - EXPAND : lo;
	end = hi - end >= EXPAND ? end + EXPAND : hi;
	r->code = (struct disasm_range){ .start = r->begin - base, .stop = end - base };
}

/* Split the matching addresses into ranges; those without a binary are added immediately. */
static void weblist_code_find_ranges(struct weblist_builder *w, struct ranges *out, struct buf *notes)
{
	const struct profile *p = w->v->p;
	struct weblist_code_range *r = NULL;
	uint64_t end = 0, base = 0, obj_addr;

	for (uint32_t i = 0; i < w->n_addrs; i++) {
		const struct weblist_addr *a = &w->addr[i];
		int64_t binary;

		if (a->loc == PROFILE_NONE)
			continue;
		binary = weblist_code_binary_of(w, a, &obj_addr, notes);
		if (binary < 0) {
			add_without_code(w, a);
			continue;
		}
		if (!r || a->addr - end > 2 * EXPAND || r->binary != binary || r->map != p->loc_map[a->loc]) {
			if (r)
				weblist_code_extend(r, &p->map[r->map], end, base);
			out->range = mem_grow(out->range, &out->cap, (size_t)out->n + 1, sizeof(*out->range));
			r = &out->range[out->n++];
			*r = (struct weblist_code_range){ .map = p->loc_map[a->loc],
							  .binary = binary,
							  .begin = a->addr };
			base = a->addr - obj_addr;
		}
		r->score = num_add_capped(r->score, a->flat);
		end = a->addr;
	}
	if (r)
		weblist_code_extend(r, &p->map[r->map], end, base);
}

static int by_score(const void *a, const void *b)
{
	const struct weblist_code_range *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return (x->begin > y->begin) - (x->begin < y->begin);
}

static int weblist_code_by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* List the object addresses of all instructions of a binary, without duplicates; [*n], the caller frees it. */
static uint64_t *weblist_code_addresses_of(const struct ranges *rs, int64_t binary, uint32_t *n)
{
	uint64_t *addr = NULL;
	size_t cap = 0, all = 0, kept = 0;

	for (uint32_t i = 0; i < rs->n; i++) {
		const struct weblist_code_range *r = &rs->range[i];

		if (r->binary != binary || r->code.n == 0)
			continue;
		addr = mem_grow(addr, &cap, all + r->code.n, sizeof(*addr));
		for (uint32_t k = 0; k < r->code.n; k++)
			addr[all++] = r->code.inst[k].addr;
	}
	if (all)
		qsort(addr, all, sizeof(*addr), weblist_code_by_number);
	for (size_t i = 0; i < all; i++)
		if (i == 0 || addr[i] != addr[i - 1])
			addr[kept++] = addr[i];
	assert(kept <= all);
	*n = (uint32_t)kept;
	return addr;
}

/* Stack of an instruction without symbol information. */
static const struct frame unknown = { .name = "", .file = "" };

/* Add the instructions of a range, each with its stack of inlined calls. */
static void weblist_code_add(struct weblist_builder *w, const struct weblist_code_range *r, const uint64_t *addr,
			     const struct frames *f)
{
	const struct frame *last_frame = NULL;
	uint32_t n_last = 0;
	uint64_t last = 0, end = 0, base = r->begin - r->code.start;

	for (uint32_t i = 0; i < r->code.n; i++) {
		const struct instruction *in = &r->code.inst[i];
		const uint64_t *at = bsearch(&in->addr, addr, f->n, sizeof(*addr), weblist_code_by_number);
		uint32_t lo = at ? f->off[at - addr] : 0, hi = at ? f->off[at - addr + 1] : 0;
		struct weblist_instruction *it;

		if (in->addr + base <= end)
			continue;
		end = in->addr + base;
		it = weblist_code_add_inst(w);
		it->addr = in->addr + base;
		it->obj_addr = in->addr;
		it->length = i + 1 < r->code.n && r->code.inst[i + 1].addr > in->addr
				     ? r->code.inst[i + 1].addr - in->addr
				     : 1;
		it->text = in->text;
		it->frame = lo < hi ? f->frame + lo : &unknown;
		it->n_frames = lo < hi ? hi - lo : 1;
		if (lo < hi) {
			it->file = f->frame[lo].file;
			it->line = f->frame[lo].line;
		}
		if (lo < hi && f->frame[lo].line != 0) { /* else use the stack of the preceding instruction */
			last_frame = it->frame;
			n_last = it->n_frames;
			last = it->addr;
		} else if (last_frame && it->addr - last <= NEIGHBOURHOOD) {
			it->frame = last_frame;
			it->n_frames = n_last;
		}
		add_uses(w, w->n_insts - 1);
	}
}

/* Disassemble all ranges of a binary. */
static int weblist_code_disassemble(struct weblist_builder *w, struct ranges *rs, uint32_t binary, struct err *err)
{
	const struct disasm_options options = { .intel = w->q->intel_syntax };
	struct disasm_range *code = mem_alloc(rs->n, sizeof(*code));
	uint32_t n = 0;
	int rc = 0;

	for (uint32_t i = 0; i < rs->n; i++)
		if (rs->range[i].binary == binary)
			code[n++] = rs->range[i].code;
	if (n)
		rc = disasm_ranges(w->binaries.binary[binary].o, &w->binaries.where, &options, code, n, w->mem, err);
	for (uint32_t i = rs->n; rc == 0 && i-- > 0;)
		if (rs->range[i].binary == binary)
			rs->range[i].code = code[--n];
	assert(rc < 0 || n == 0); /* every range was copied back */
	free(code);
	return rc;
}

/* Add the instructions and lines of all ranges of a binary, the range with most samples first. */
static void add_ranges(struct weblist_builder *w, const struct ranges *rs, uint32_t binary, struct buf *notes)
{
	struct frames frames = { 0 };
	struct err err;
	uint32_t n;
	uint64_t *addr = weblist_code_addresses_of(rs, binary, &n);

	if (n &&
	    frames_find(w->binaries.binary[binary].o, &w->binaries.where, addr, n, w->mem, &frames, NULL, &err) < 0)
		buf_addf(notes, "%s\n", err.msg);
	for (uint32_t i = 0; frames.n && i < rs->n; i++)
		if (rs->range[i].binary == binary && rs->range[i].code.n)
			weblist_code_add(w, &rs->range[i], addr, &frames);
	free(addr);
}

/* Treat a binary that could not be read as missing. */
static void add_all_without_code(struct weblist_builder *w, const struct ranges *rs, uint32_t binary, struct buf *notes)
{
	uint64_t obj_addr;

	for (uint32_t i = 0; rs->n && i < w->n_addrs; i++)
		if (w->addr[i].loc != PROFILE_NONE &&
		    weblist_code_binary_of(w, &w->addr[i], &obj_addr, notes) == binary)
			add_without_code(w, &w->addr[i]);
}

struct weblist_code_address_key {
	const struct weblist_builder *w;
	uint64_t addr;
};

static bool weblist_code_is_below(const void *arg, size_t i)
{
	const struct weblist_code_address_key *key = arg;

	return key->w->addr[i].addr < key->addr;
}

/* Index of the first sampled address that is not below addr. */
static uint32_t weblist_code_first_from(const struct weblist_builder *w, uint64_t addr)
{
	return (uint32_t)lower_bound(0, w->n_addrs, weblist_code_is_below,
				     &(struct weblist_code_address_key){ w, addr });
}

/* Sum up samples per instruction. Samples in the middle of an instruction belong to it. */
static void sum_instructions(struct weblist_builder *w)
{
	struct weblist_member *self = mem_alloc(w->n_insts, sizeof(*self));
	struct weblist_values *weight = mem_zalloc(w->n_insts, sizeof(*weight));

	for (uint32_t i = 0; i < w->n_insts; i++) {
		struct weblist_instruction *it = &w->inst[i];

		it->lo = it->hi = weblist_code_first_from(w, it->addr);
		while (it->hi < w->n_addrs && w->addr[it->hi].addr - it->addr < it->length)
			it->hi++;
		self[i] = (struct weblist_member){ i, i };
	}
	weblist_sum_groups(w, self, w->n_insts, weight, w->n_insts);
	for (uint32_t i = 0; i < w->n_insts; i++)
		w->inst[i].weight = weight[i];
	free(weight);
	free(self);
}

int weblist_read_code(struct weblist_builder *w, struct buf *notes, struct err *err)
{
	struct ranges rs = { 0 };
	struct err why;

	weblist_code_find_ranges(w, &rs, notes);
	if (rs.n)
		qsort(rs.range, rs.n, sizeof(*rs.range), by_score);
	if (rs.n > MOST_RANGES) {
		buf_addf(notes, "weblist: showing only the %d hottest code ranges of %" PRIu32 "\n", MOST_RANGES, rs.n);
		rs.n = MOST_RANGES;
	}
	for (uint32_t b = 0; b < w->binaries.n && !stop_is_set(w->q->stop); b++) {
		uint32_t before = w->n_uses;

		if (!w->binaries.binary[b].o)
			continue;
		if (weblist_code_disassemble(w, &rs, b, &why) < 0)
			buf_addf(notes, "%s\n", why.msg);
		add_ranges(w, &rs, b, notes);
		if (w->n_uses == before)
			add_all_without_code(w, &rs, b, notes);
	}
	sum_instructions(w);
	free(rs.range);
	if (stop_check(w->q->stop, err) < 0)
		return ERR_STOPPED;
	if (w->n_insts < UINT32_MAX / 2 && w->n_uses < UINT32_MAX / 2)
		return 0;
	return err_set(err, ERR_LIMIT, "too many instructions for one page; select fewer functions");
}
