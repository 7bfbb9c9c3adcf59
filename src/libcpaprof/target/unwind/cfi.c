/*
 * cfi.c - from an address to its FDE and CIE
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * .eh_frame_hdr contains a table of functions in order of address, which is searched by bisection. Without a table,
 * the entries of .eh_frame are read from the start, at most FDE_SEARCH_MAX of them. Sizes of entries are checked
 * against the bytes of the object.
 */
#include "config.h"

#include "libcpaprof/target/unwind/walk_int.h"

uint64_t cpi_unwind_pointer_sig(const struct unwind_object *obj, struct cfi_cursor *c, uint8_t enc)
{
	uint64_t at = obj->eh_lo + eh_pos(obj, c->p), v;

	switch (enc & ENC_FORMAT) {
	case 0x0: /* absptr, 8 bytes on both machines */
	case 0x4:
	case 0xc:
		v = get_u64(c);
		break;
	case 0x1:
		v = get_uleb(c);
		break;
	case 0x2:
		v = get_u16(c);
		break;
	case 0x3:
		v = get_u32(c);
		break;
	case 0x9:
		v = (uint64_t)get_sleb(c);
		break;
	case 0xa:
		v = (uint64_t)(int16_t)get_u16(c);
		break;
	case 0xb:
		v = (uint64_t)(int32_t)get_u32(c);
		break;
	default:
		c->bad = true;
		return 0;
	}
	switch (enc & (ENC_BASE | ENC_INDIRECT)) {
	case 0:
		return v;
	case ENC_PCREL:
		return v + at;
	case ENC_DATAREL:
		return v + obj->hdr;
	default:
		c->bad = true;
		return 0;
	}
}

/* Read a pointer like cpi_unwind_pointer_sig, but fast for the encodings that compilers use. */
static inline uint64_t pointer(const struct unwind_object *obj, struct cfi_cursor *c, uint8_t enc)
{
	uint64_t at;

	if (enc != ENC_FDE && enc != (ENC_FDE & ENC_FORMAT))
		return cpi_unwind_pointer_sig(obj, c, enc);
	at = enc == ENC_FDE ? obj->eh_lo + eh_pos(obj, c->p) : 0;
	return at + (uint64_t)(int64_t)(int32_t)get_u32(c);
}

/*
 * Read the length of an entry of .eh_frame. Returns a cursor over the bytes that follow; an empty one at the end of
 * the section.
 */
static inline struct cfi_cursor entry_at(const struct unwind_object *obj, uint64_t addr)
{
	struct cfi_cursor c = cursor_at(obj, addr);
	uint64_t n = get_u32(&c);

	if (n == 0xffffffff)
		n = get_u64(&c);
	if (n > (uint64_t)(c.end - c.p))
		c.bad = true;
	else
		c.end = c.p + n;
	return c;
}

enum { LETTERS = 16 };

/* Read the augmentation string and its data. c is advanced past them. */
static bool read_augmentation(const struct unwind_object *obj, struct cfi_cursor *c, struct cie *out)
{
	struct cfi_cursor text = *c;
	const unsigned char *end;
	uint64_t n;

	for (int i = 0; get_u8(c); i++)
		if (i == LETTERS)
			return false;
	out->code_align = (uint32_t)get_uleb(c);
	out->data_align = get_sleb(c);
	out->ra_reg = (uint32_t)get_uleb(c);
	if (c->bad)
		return false;
	if (!*text.p)
		return true;
	if (get_u8(&text) != 'z')
		return false;
	out->sized = true;
	n = get_uleb(c);
	if (n > (uint64_t)(c->end - c->p))
		return false;
	end = c->p + n;
	for (uint8_t ch; (ch = get_u8(&text)) != 0;) {
		if (ch == 'R')
			out->fde_enc = get_u8(c);
		else if (ch == 'L')
			get_u8(c);
		else if (ch == 'P')
			cpi_unwind_pointer_sig(obj, c, get_u8(c) & ENC_FORMAT);
		else if (ch == 'S')
			out->signal = true;
		else if (ch != 'B' && ch != 'G')
			break; /* unknown letter: skip the remaining data, up to `end` */
	}
	if (c->bad || c->p > end)
		return false;
	c->p = end;
	return true;
}

/* Read the CIE at an address into w->cie, with the row that its instructions produce. */
static int read_cie(struct walk *w, const struct unwind_object *obj, uint64_t addr)
{
	struct cie *cie = &w->cie;
	struct cfi_cursor c;
	struct fde initial = { .lo = 0, .hi = 1 };
	int rc;

	if (cie->addr == addr && addr)
		return STEP_OK;
	*cie = (struct cie){ 0 };
	c = entry_at(obj, addr);
	if (get_u32(&c) != 0)
		return UNWIND_BAD_CFI;
	switch (get_u8(&c)) {
	case 1:
	case 3:
		break;
	default:
		return UNWIND_BAD_CFI;
	}
	if (c.bad || !read_augmentation(obj, &c, cie))
		return UNWIND_BAD_CFI;
	cie->row.cfa_reg = CFA_NONE;
	initial.p = c.p;
	initial.end = c.end;
	rc = cpi_unwind_row_sig(w, obj, cie, &initial, 0, &cie->row);
	if (rc == STEP_OK)
		cie->addr = addr;
	return rc;
}

/* Read the FDE at an address. Returns UNWIND_NO_CFI if pc is outside its code. */
static int read_fde(struct walk *w, const struct unwind_object *obj, uint64_t addr, uint64_t pc, struct fde *out)
{
	struct cfi_cursor c = entry_at(obj, addr);
	uint64_t at = obj->eh_lo + eh_pos(obj, c.p), back = get_u32(&c), n;
	int rc;

	if (c.bad || back == 0)
		return UNWIND_BAD_CFI;
	rc = read_cie(w, obj, at - back);
	if (rc != STEP_OK)
		return rc;
	out->lo = pointer(obj, &c, w->cie.fde_enc);
	n = pointer(obj, &c, w->cie.fde_enc & ENC_FORMAT);
	out->hi = out->lo + n;
	if (w->cie.sized) {
		uint64_t size = get_uleb(&c);

		if (size > (uint64_t)(c.end - c.p))
			return UNWIND_BAD_CFI;
		c.p += size;
	}
	if (c.bad)
		return UNWIND_BAD_CFI;
	out->p = c.p;
	out->end = c.end;
	return pc - out->lo < n ? STEP_OK : UNWIND_NO_CFI;
}

static int32_t key_at(const unsigned char *table, uint64_t i)
{
	int32_t v;

	__builtin_memcpy(&v, table + 8 * i, 4);
	return v;
}

/*
 * Search the table in the format of all linkers: pairs of 4 bytes, the start of a function and its FDE.
 *
 * Functions are spread evenly enough that interpolation comes close. The search continues from there in growing
 * steps. Bisection from the middle of a large table misses the caches at every step.
 */
static uint64_t search_pairs(const struct unwind_object *obj, uint64_t pc)
{
	const unsigned char *table = obj->eh + (obj->table - obj->eh_lo);
	int64_t key = (int64_t)(pc - obj->hdr), first = obj->first_key, span = (int64_t)obj->last_key - first;
	uint64_t lo = 0, hi = obj->n_table, step = 8, guess;
	int32_t v;

	if (key < first || key != (int32_t)key)
		return 0;
	guess = key - first >= span ? hi - 1 : (uint64_t)(key - first) * (hi - 1) / (uint64_t)span;
	if (key_at(table, guess) <= key) {
		for (lo = guess; hi - lo > step && key_at(table, lo + step) <= key; step *= 4)
			lo += step;
		if (hi - lo > step)
			hi = lo + step;
	} else {
		for (hi = guess; hi - lo > step && key_at(table, hi - step) > key; step *= 4)
			hi -= step;
		if (hi - lo > step)
			lo = hi - step;
	}
	while (hi - lo > 1) {
		uint64_t mid = lo + (hi - lo) / 2;

		if (key_at(table, mid) <= key)
			lo = mid;
		else
			hi = mid;
	}
	if (key_at(table, lo) > key)
		return 0;
	__builtin_memcpy(&v, table + 8 * lo + 4, 4);
	return obj->hdr + (uint64_t)(int64_t)v;
}

/* Search a table in another encoding of fixed size. */
static uint64_t search_any(const struct unwind_object *obj, uint64_t pc)
{
	static const uint8_t size_of[16] = { 8, 0, 2, 4, 8, 0, 0, 0, 0, 0, 2, 4, 8, 0, 0, 0 };
	uint64_t size = size_of[obj->table_enc & ENC_FORMAT], fde = 0;
	uint32_t lo = 0, hi = obj->n_table;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		struct cfi_cursor c = cursor_at(obj, obj->table + 2 * size * mid);
		uint64_t start = cpi_unwind_pointer_sig(obj, &c, obj->table_enc);

		if (c.bad)
			return 0;
		if (start > pc) {
			hi = mid;
			continue;
		}
		fde = cpi_unwind_pointer_sig(obj, &c, obj->table_enc);
		lo = mid + 1;
	}
	return fde;
}

static int search_entries(struct walk *w, const struct unwind_object *obj, uint64_t pc, struct fde *out)
{
	uint64_t addr = obj->frame;

	for (int i = 0; i < FDE_SEARCH_MAX; i++) {
		struct cfi_cursor c = entry_at(obj, addr);
		uint64_t next = obj->eh_lo + eh_pos(obj, c.end);
		int rc = UNWIND_NO_CFI;

		if (c.bad)
			return UNWIND_BAD_CFI;
		if (c.p == c.end)
			return UNWIND_NO_CFI;
		if (w->budget < 4)
			return UNWIND_TOO_LONG;
		w->budget -= 4;
		if (get_u32(&c) != 0)
			rc = read_fde(w, obj, addr, pc, out);
		if (rc == STEP_OK || rc == UNWIND_TOO_LONG)
			return rc;
		addr = next;
	}
	return UNWIND_TOO_LONG;
}

int cpi_unwind_fde_sig(struct walk *w, const struct unwind_object *obj, uint64_t pc, struct fde *out)
{
	uint64_t addr;

	if (!obj->eh)
		return UNWIND_NO_CFI;
	if (obj->table_enc == ENC_OMIT)
		return obj->frame ? search_entries(w, obj, pc, out) : UNWIND_NO_CFI;
	addr = obj->table_enc == ENC_TABLE ? search_pairs(obj, pc) : search_any(obj, pc);
	return addr ? read_fde(w, obj, addr, pc, out) : UNWIND_NO_CFI;
}

uint32_t cpi_unwind_list(const struct unwind_object *obj, struct unwind_function *out, uint32_t max)
{
	struct walk w = { .budget = LIST_STEPS_MAX };
	uint64_t addr = obj->frame, next;
	uint32_t n = 0;

	for (; n < max; addr = next) {
		struct cfi_cursor c = entry_at(obj, addr);
		struct fde fde = { 0 };
		int64_t start, at = (int64_t)(addr - obj->hdr);
		int rc;

		if (c.bad || c.p == c.end || w.budget < 4)
			return n;
		w.budget -= 4;
		next = obj->eh_lo + eh_pos(obj, c.end);
		if (get_u32(&c) == 0) /* a CIE */
			continue;
		rc = read_fde(&w, obj, addr, 0, &fde);
		start = (int64_t)(fde.lo - obj->hdr);
		if ((rc == STEP_OK || rc == UNWIND_NO_CFI) && fde.hi > fde.lo && start == (int32_t)start &&
		    at == (int32_t)at)
			out[n++] = (struct unwind_function){ (int32_t)start, (int32_t)at };
	}
	return n;
}
