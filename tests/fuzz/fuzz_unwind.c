/*
 * fuzz_unwind.c - any bytes as call frame information, code, stack and registers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The input begins with a struct head, followed by .eh_frame_hdr and .eh_frame, the code, and the stack, with
 * sizes from the head. Each is in its own allocation, so that a sanitizer detects reads past its end. Stops
 * when a walk returns more frames than requested, ends with an invalid reason, or takes too long.
 */
#include "config.h"

#include "libcpaprof/target/unwind/unwind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { LO = 0x400000, TEXT = 0x401000, EH = 0x500000, HI = 0x600000, STACK = 0x70000000, MAX = 300, N_STACK = 1 << 16 };

struct head {
	uint16_t n_eh, n_text;
	uint8_t table_enc, flags, sp, n_table;
	uint64_t pc, fp, other;
};

enum { FLAG_PEEKED = 1, FLAG_CACHE = 2, FLAG_NO_TEXT = 4 };

static struct unwind_object object;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const struct unwind_object *find(void *arg, uint64_t pc, struct unwind_object *room)
{
	(void)arg;
	(void)room;
	return pc >= LO && pc < HI ? &object : NULL;
}

static unsigned char *copy(const uint8_t **data, size_t *left, size_t n)
{
	unsigned char *p;

	if (n > *left)
		n = *left;
	p = malloc(n ? n : 1);
	if (!p)
		abort();
	if (n)
		memcpy(p, *data, n);
	*data += n;
	*left -= n;
	return p;
}

/* N_STACK bytes between inaccessible pages, since the stack walker reads stacks without sanitizer checks. */
static unsigned char *guarded(void)
{
	static unsigned char *p;

	if (p)
		return p;
	p = mmap(NULL, 3 * N_STACK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || mprotect(p + N_STACK, N_STACK, PROT_READ | PROT_WRITE) != 0)
		abort();
	p += N_STACK;
	return p;
}

static void make_object(const struct head *h, const unsigned char *eh, size_t n_eh, const unsigned char *text,
			size_t n_text)
{
	object = (struct unwind_object){
		.lo = LO, .hi = HI, .eh_lo = EH, .eh_hi = EH + n_eh, .eh = eh, .hdr = EH, .frame = EH, .table_enc = 0xff
	};
	if (!(h->flags & FLAG_NO_TEXT)) {
		object.text = text;
		object.text_lo = TEXT;
		object.text_hi = TEXT + n_text;
	}
	/* as object.c guarantees, the table is within the bytes */
	if (n_eh >= 16U * h->n_table + 12 && h->n_table > 0) {
		object.table = EH + 12;
		object.n_table = h->n_table;
		object.table_enc = h->table_enc;
		object.frame = 0;
		memcpy(&object.first_key, eh + 12, 4);
		memcpy(&object.last_key, eh + 12 + 8 * (h->n_table - 1), 4);
	}
}

static void walk(const struct head *h, const unsigned char *stack, size_t n_stack, struct unwind_cache *cache,
		 struct unwind_result *r, uint64_t *pc)
{
	struct unwind_range range = { STACK, STACK + n_stack, stack };
	struct unwind_source from = { .range = &range, .n_ranges = 1, .find = find, .cache = cache };
	struct unwind_regs regs;
	struct timespec t[2];

	cpi_unwind_regs_of_pc_sp_sig(h->pc, STACK + 8ULL * h->sp, &regs);
	if (!(h->flags & FLAG_PEEKED)) {
		regs.known = (1U << UNWIND_REGS) - 1;
		for (int i = 0; i < UNWIND_REGS; i++)
			if (i != UNWIND_SP)
				regs.r[i] = i == UNWIND_FP ? h->fp : h->other;
	}
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t[0]);
	cpi_unwind_walk_sig(&from, &regs, pc, MAX, r);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t[1]);
	if (r->n == 0 || r->n > MAX || r->end >= UNWIND_N_ENDS || r->n_guessed > r->n)
		abort();
	/* a quarter of a million steps, with a sanitizer */
	if ((t[1].tv_sec - t[0].tv_sec) * 1000000000 + t[1].tv_nsec - t[0].tv_nsec > 200000000) {
		fprintf(stderr, "a walk of %u frames took more than 0.2 s\n", r->n);
		abort();
	}
}

/* Walks with a cache of earlier walks, while the stack changes, must give the same result as walks without. */
static void walk_twice(struct head *h, unsigned char *stack, size_t n_stack)
{
	static struct unwind_rule rules[16];
	static struct unwind_frame frames[2][64];
	struct unwind_cache cache = {
		.rule = rules, .mask = 15, .frame = frames[0], .fresh = frames[1], .max_frames = 64, .first_frame = 64
	};
	struct unwind_result r[2];
	uint64_t pc[2][MAX];

	memset(rules, 0, sizeof(rules));
	for (unsigned i = 0; i < 4; i++) {
		walk(h, stack, n_stack, h->flags & FLAG_CACHE ? &cache : NULL, &r[0], pc[0]);
		walk(h, stack, n_stack, NULL, &r[1], pc[1]);
		if (r[0].n != r[1].n || r[0].end != r[1].end || memcmp(pc[0], pc[1], 8 * r[0].n) != 0)
			abort();
		if (n_stack > 0)
			stack[(h->other >> 8 * i & 0xff) * 8 % n_stack] ^= (unsigned char)h->fp;
		if (i == 1)
			h->sp ^= 2;
	}
}

static int by_start(const void *a, const void *b)
{
	const struct unwind_function *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Walk with a table of the functions in .eh_frame, as for programs without .eh_frame_hdr. */
static void walk_listed(struct head *h, const unsigned char *eh, size_t n_eh, unsigned char *stack, size_t n_stack)
{
	enum { FUNCTIONS_MAX = 4096 };
	static struct unwind_function function[FUNCTIONS_MAX];
	size_t n_frames = (n_eh + 7) & ~(size_t)7;
	unsigned char *both;
	uint32_t n;

	object.eh = eh;
	object.eh_lo = object.frame = EH;
	object.eh_hi = EH + n_eh;
	object.hdr = EH + n_frames;
	object.table_enc = 0xff;
	n = cpi_unwind_list(&object, function, FUNCTIONS_MAX);
	if (n > n_eh / 8)
		abort();
	qsort(function, n, sizeof(*function), by_start);
	both = calloc(1, n_frames + n * sizeof(*function) + 1);
	if (!both)
		abort();
	memcpy(both, eh, n_eh);
	memcpy(both + n_frames, function, n * sizeof(*function));
	object.eh = both;
	object.eh_hi = object.hdr + n * sizeof(*function);
	cpi_unwind_set_table(&object, n);
	walk_twice(h, stack, n_stack);
	free(both);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	unsigned char *eh, *text, *stack;
	struct head h;
	size_t n_eh, n_text, n_stack;

	if (n < sizeof(h))
		return 0;
	memcpy(&h, data, sizeof(h));
	data += sizeof(h);
	n -= sizeof(h);
	n_eh = h.n_eh < n ? h.n_eh : n;
	eh = copy(&data, &n, n_eh);
	n_text = h.n_text < n ? h.n_text : n;
	text = copy(&data, &n, n_text);
	n_stack = n < N_STACK ? n & ~(size_t)7 : N_STACK;
	stack = guarded();
	if (n_stack > 0)
		memcpy(stack + N_STACK - n_stack, data, n_stack);
	make_object(&h, eh, n_eh, text, n_text);
	walk_twice(&h, stack + N_STACK - n_stack, n_stack);
	walk_listed(&h, eh, n_eh, stack + N_STACK - n_stack, n_stack);
	free(eh);
	free(text);
	return 0;
}
