/*
 * memo.c - frames that a stack shares with the previous sample of its thread
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Most outer frames are the same as in the previous sample. A frame with the same pc, stack pointer and frame pointer
 * has the same rule, so its return address and saved frame pointer are at the same addresses. If both words are
 * unchanged as well, the next frame is the same. So the frames from there on are compared word by word, at addresses
 * known in advance: the processor loads many words in parallel, whereas a walk must wait for each word before it knows
 * the next address. In real programs this waiting is the main cost of a walk.
 *
 * Frames are stored with the root last. New frames are first written to cache->fresh, because their number is known
 * only at the end of the walk.
 */
#include "config.h"

#include "libcpaprof/target/unwind/walk_int.h"

void cpi_unwind_memo_start_sig(struct memo *m, struct walk *w)
{
	struct unwind_cache *cache = w->from->cache;

	m->cache = cache && cache->max_frames > 0 && w->range ? cache : NULL;
	m->n_fresh = 0;
	m->shared = false;
	if (!m->cache)
		return;
	m->at = cache->first_frame;
	if (cache->stack_hi != w->range->hi || cache->stack_bytes != w->range->bytes - w->range->lo)
		m->at = cache->max_frames;
}

void cpi_unwind_memo_add_sig(struct memo *m, const struct walk *w, uint64_t pc, uint64_t sp, uint64_t fp)
{
	struct unwind_cache *cache = m->cache;

	if (!cache || m->n_fresh == cache->max_frames || w->all_regs) {
		m->cache = NULL;
		return;
	}
	cache->fresh[m->n_fresh++] = (struct unwind_frame){ .pc = pc, .sp = sp, .fp = fp, .fp_slot = w->fp_slot };
}

/* Copy the frames from f[0] on that are unchanged, at most n, to pc. Returns their number, at least 1. */
static uint32_t copy_same(const struct walk *w, const struct unwind_frame *f, size_t n, uint64_t *pc)
{
	const struct unwind_range range = *w->range; /* a copy, since the compiler reads it again after each store */
	size_t i;

	pc[0] = f[0].pc;
	for (i = 1; i < n; i++) {
		uint64_t slot = f[i - 1].fp_slot;

		if (slot == FP_SLOT_NONE || range_word(&range, f[i].sp - 8) != f[i].pc)
			break;
		if (slot && range_word(&range, slot) != f[i].fp)
			break;
		pc[i] = f[i].pc;
	}
	return (uint32_t)i;
}

uint32_t cpi_unwind_memo_match_sig(struct memo *m, struct walk *w, uint64_t *pc, uint32_t room, bool *root)
{
	struct unwind_cache *cache = m->cache;
	struct unwind_regs *regs = w->regs;
	const struct unwind_frame *f;
	uint32_t n, n_same;

	*root = false;
	while (m->at < cache->max_frames && cache->frame[m->at].sp < regs->r[UNWIND_SP])
		m->at++;
	n = cache->max_frames - m->at;
	f = &cache->frame[m->at];
	if (n == 0 || room == 0 || f->sp != regs->r[UNWIND_SP] || f->pc != regs->pc || f->fp != regs->r[UNWIND_FP] ||
	    regs->known != (1U << UNWIND_FP | 1U << UNWIND_SP))
		return 0;
	n_same = copy_same(w, f, n < room ? n : room, pc);
	*root = m->shared = n_same == n;
	if (!*root) {
		n_same--; /* the walk continues from the last unchanged frame */
		if (n_same > cache->max_frames - m->n_fresh) {
			m->cache = NULL;
			return 0;
		}
		for (uint32_t i = 0; i < n_same; i++)
			cache->fresh[m->n_fresh++] = f[i];
	}
	cache->n_same += n_same;
	if (!*root) {
		regs->pc = f[n_same].pc;
		regs->r[UNWIND_SP] = f[n_same].sp;
		regs->r[UNWIND_FP] = f[n_same].fp;
		m->at += n_same + 1;
	}
	return n_same;
}

void cpi_unwind_memo_end_sig(struct memo *m, const struct walk *w, bool root)
{
	struct unwind_cache *cache = m->cache;
	uint32_t first;

	if (!w->from->cache || w->from->cache->max_frames == 0)
		return;
	first = m->shared ? m->at : w->from->cache->max_frames;
	if (!cache || !root || m->n_fresh > first) {
		w->from->cache->first_frame = w->from->cache->max_frames;
		return;
	}
	first -= m->n_fresh;
	for (uint32_t i = 0; i < m->n_fresh; i++)
		cache->frame[first + i] = cache->fresh[i];
	cache->first_frame = first;
	cache->stack_hi = w->range->hi;
	cache->stack_bytes = w->range->bytes - w->range->lo;
}
