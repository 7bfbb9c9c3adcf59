/*
 * pieces.c - the content of a large gzip file, decompressed piece by piece
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * ISA-L decompresses as fast as libdeflate, and also piece by piece. The pieces are in a ring, one after the other, so that a
 * field that crosses pieces is contiguous. Before the first piece there is room for a copy of the end of the last one.
 * If no thread can be used, each piece is decompressed when the reader waits for it.
 */
#include "config.h"

#include "formats/common/pieces.h"

#include "base/hash.h"
#include "base/isal.h"
#include "base/mem.h"
#include "base/pool.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif

enum {
	N_PIECES = 7,         /* with the room, a huge page */
	INPUT_STEP = 1 << 20, /* bytes passed to ISA-L at once */
	USUAL_RATIO_MAX = 16, /* of profiles, decompressed to compressed */
	USUAL_SIZE_MAX = 1 << 30,
};

struct inflated_piece {
	uint8_t *data; /* [PIECE_BYTES] */
	size_t n;
	uint64_t hash; /* of data, if has_hash */
	bool is_last, is_bad, has_hash;
};

struct pieces {
	const struct format_options *options;
	const struct isal *lib;
	struct inflate_state z;
	struct bytes in;
	size_t n_fed, n_given_back; /* bytes of in */
	uint64_t n_out, hash;
	struct inflated_piece piece[N_PIECES]; /* piece i is in element i % N_PIECES */
	uint8_t *memory;

	pthread_t thread;
	bool has_thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t n_made;                       /* pieces decompressed; guarded by lock */
	size_t n_taken;                      /* pieces passed to the reader, which uses the last one; guarded by lock */
	bool is_stopped;                     /* guarded by lock */
	bool (*work)(void *arg, bool waits); /* guarded by lock, like its argument */
	void *work_arg;
	bool is_working; /* is work being called? guarded by lock */
};

/* Add the hash of the bytes from at on. */
static uint64_t pieces_mix(uint64_t h, size_t at, uint64_t hash)
{
	return at ? hash_mix(h, hash) : hash;
}

uint64_t pieces_hash_of(const struct bytes *content)
{
	size_t given_back = 0;
	uint64_t h = 0;

	for (size_t at = 0, n; at < content->n; at += n) {
		n = content->n - at < PIECE_BYTES ? content->n - at : PIECE_BYTES;
		h = pieces_mix(h, at, hash_many_bytes(content->data + at, n));
		if (content->is_mapped)
			given_back = io_give_back(content->data, given_back, at + n);
	}
	return h;
}

static bool pieces_exceed(const struct pieces *s)
{
	size_t used = s->n_fed - s->z.avail_in;

	return format_exceeds(s->n_out, s->options->max_inflated) ||
	       (s->n_out > FORMAT_RATIO_FREE && format_exceeds(s->n_out / (used ? used : 1), s->options->max_ratio));
}

/* Pass more input to ISA-L. Returns false at the end. */
static bool pieces_feed(struct pieces *s)
{
	size_t n = s->in.n - s->n_fed < INPUT_STEP ? s->in.n - s->n_fed : INPUT_STEP;

	if (s->z.avail_in)
		return true;
	if (s->in.is_mapped)
		s->n_given_back = io_give_back(s->in.data, s->n_given_back, s->n_fed);
	if (n == 0)
		return false;
	s->z.next_in = s->in.data + s->n_fed;
	s->z.avail_in = (uint32_t)n;
	s->n_fed += n;
	return true;
}

#if defined(__x86_64__) && __has_include(<sys/platform/x86.h>)
/* ISA-L leaves the upper halves of vector registers in use, which makes SSE instructions of this thread slow. */
__attribute__((target("avx"))) static void pieces_clear_registers(void)
{
	if (CPU_FEATURE_ACTIVE(AVX))
		__builtin_ia32_vzeroupper();
}
#else
static void pieces_clear_registers(void)
{
}
#endif

/* Decompress until the piece is full, or the input ends with a member. Returns false on damage. */
static bool piece_inflate(struct pieces *s, struct inflated_piece *p)
{
	struct inflate_state *z = &s->z;

	z->next_out = p->data;
	z->avail_out = PIECE_BYTES;
	for (;;) {
		bool has_input = pieces_feed(s);
		int rc;

		if (z->block_state == ISAL_BLOCK_FINISH) {
			s->lib->inflate_reset(z);
			z->crc_flag = ISAL_GZIP;
		}
		rc = s->lib->inflate(z);
		if (rc != ISAL_DECOMP_OK && rc != ISAL_END_INPUT)
			return false;
		if (z->block_state == ISAL_BLOCK_FINISH) {
			p->is_last = !pieces_feed(s);
			if (p->is_last)
				return true;
		} else if (!has_input && z->avail_out) {
			return false; /* truncated */
		}
		if (z->avail_out == 0)
			return true;
	}
}

/* Decompress a piece. hashes: also compute its hash, else the reader does */
static void piece_make(struct pieces *s, struct inflated_piece *p, bool hashes)
{
	p->is_last = false;
	p->is_bad = !piece_inflate(s, p);
	pieces_clear_registers();
	p->n = PIECE_BYTES - s->z.avail_out;
	s->n_out += p->n;
	p->is_bad = p->is_bad || pieces_exceed(s);
	p->has_hash = hashes;
	if (hashes)
		p->hash = hash_many_bytes(p->data, p->n);
}

/* Must the thread wait until the reader takes a piece? The reader may use the two pieces that it took last. */
static bool pieces_are_full(const struct pieces *s)
{
	return s->n_made + 2 >= s->n_taken + N_PIECES;
}

/* Do some work of the reader. Call with the lock held, which is released meanwhile. Returns false if there was none. */
static bool pieces_do_work(struct pieces *s, bool waits)
{
	bool (*work)(void *arg, bool waits) = s->work;
	void *arg = s->work_arg;
	bool is_done;

	if (!work)
		return false;
	s->is_working = true;
	pthread_mutex_unlock(&s->lock);
	is_done = work(arg, waits);
	pthread_mutex_lock(&s->lock);
	s->is_working = false;
	pthread_cond_broadcast(&s->changed);
	return is_done;
}

static void *pieces_work(void *arg)
{
	struct pieces *s = arg;

	pthread_mutex_lock(&s->lock);
	while (!s->is_stopped) {
		struct inflated_piece *p = &s->piece[s->n_made % N_PIECES];
		bool is_ahead; /* the reader has a piece, so it would take longer to compute the hash than this thread */

		if (pieces_are_full(s)) {
			if (!pieces_do_work(s, false) && pieces_are_full(s) && !s->is_stopped)
				pthread_cond_wait(&s->changed, &s->lock);
			continue;
		}
		is_ahead = s->n_made > s->n_taken;
		pthread_mutex_unlock(&s->lock);
		piece_make(s, p, is_ahead);
		pthread_mutex_lock(&s->lock);
		s->n_made++;
		s->is_stopped = s->is_stopped || p->is_last || p->is_bad;
		pthread_cond_broadcast(&s->changed);
	}
	while (pieces_do_work(s, true))
		;
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

void pieces_set_work(struct pieces *s, bool (*work)(void *arg, bool waits), void *arg)
{
	pthread_mutex_lock(&s->lock);
	s->work = work;
	s->work_arg = arg;
	while (!work && s->is_working)
		pthread_cond_wait(&s->changed, &s->lock);
	pthread_mutex_unlock(&s->lock);
}

struct pieces *pieces_open(const struct bytes *in, const struct format_options *options)
{
	const struct isal *lib;
	struct pieces *s;

	if (in->n < PIECES_INPUT_MIN || in->data[0] != 0x1f || in->data[1] != 0x8b || isal_load(&lib, NULL) < 0)
		return NULL;
	s = mem_zalloc(1, sizeof(*s));
	s->options = options;
	s->lib = lib;
	s->in = *in;
	s->memory = mem_alloc_large(1 + N_PIECES, PIECE_BYTES);
	for (size_t i = 0; i < N_PIECES; i++)
		s->piece[i].data = s->memory + (1 + i) * PIECE_BYTES;
	lib->inflate_init(&s->z);
	s->z.crc_flag = ISAL_GZIP;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->changed, NULL);
	s->has_thread = pool_size() > 1 && pthread_create(&s->thread, NULL, pieces_work, s) == 0;
	return s;
}

/* Make the piece with this number available. */
static struct inflated_piece *pieces_wait(struct pieces *s, size_t i)
{
	struct inflated_piece *p = &s->piece[i % N_PIECES];

	if (!s->has_thread) {
		piece_make(s, p, true);
		return p;
	}
	pthread_mutex_lock(&s->lock);
	while (s->n_made <= i)
		pthread_cond_wait(&s->changed, &s->lock);
	pthread_mutex_unlock(&s->lock);
	return p;
}

bool pieces_next(struct pieces *s, size_t keep, struct pieces_window *out)
{
	size_t i = s->n_taken; /* only this thread changes it */
	const struct inflated_piece *p = pieces_wait(s, i);
	uint8_t *start = p->data - keep;

	assert(keep <= PIECE_BYTES && (keep == 0 || i > 0));
	if (p->is_bad)
		return false;
	if (p->n)
		s->hash = pieces_mix(s->hash, i, p->has_hash ? p->hash : hash_many_bytes(p->data, p->n));
	if (keep && i % N_PIECES == 0)
		memcpy(start, s->memory + (1 + N_PIECES) * PIECE_BYTES - keep, keep);
	pthread_mutex_lock(&s->lock);
	s->n_taken++;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	*out = (struct pieces_window){ start, keep + p->n, p->is_last };
	return true;
}

size_t pieces_content_size(const struct pieces *s)
{
	const uint8_t *end = s->in.data + s->in.n;
	size_t size = (size_t)end[-4] | (size_t)end[-3] << 8 | (size_t)end[-2] << 16 | (size_t)end[-1] << 24;

	size = size / USUAL_RATIO_MAX < s->in.n ? size : s->in.n * USUAL_RATIO_MAX;
	return size < USUAL_SIZE_MAX ? size : USUAL_SIZE_MAX;
}

uint64_t pieces_hash(const struct pieces *s)
{
	return s->hash;
}

void pieces_end(struct pieces *s)
{
	pthread_mutex_lock(&s->lock);
	s->is_stopped = true;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	if (s->has_thread)
		pthread_join(s->thread, NULL);
	s->has_thread = false;
	free(s->memory);
	s->memory = NULL;
}

void pieces_close(struct pieces *s)
{
	if (!s)
		return;
	pieces_end(s);
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
