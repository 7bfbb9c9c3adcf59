/*
 * draw.c - draw a report in the requested format, as text or to a file
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/draw.h"

#include "base/io.h"
#include "base/mem.h"
#include "base/pool.h"
#include "engine/query.h"
#include "report/traces.h"

#include <assert.h>
#include <pthread.h>

enum {
	PIECE_LOCATIONS = 4 << 10,
	STEP_BYTES = 1 << 20,   /* max text that one call of the viewer should produce */
	FLUSH_BYTES = 64 << 20, /* write part of a piece when the text exceeds this size */
};

/* Draws a report and writes it in pieces, which are ranges of samples. */
struct draw_writer {
	const struct report *r;
	const struct traces_viewer *viewer;
	void *drawing;
	int fd;
	pthread_mutex_t lock; /* guards the fields below */
	pthread_cond_t turn_changed;
	uint32_t next;        /* first sample of the next piece */
	uint64_t taken, turn; /* pieces taken so far; number of the piece to write now */
	bool is_all_taken;
	int rc;
	struct err *err;
	struct buf_limit limit; /* of the text of a piece */
};

/* End of the piece that begins with sample lo. A piece has at least one sample, and about PIECE_LOCATIONS locations. */
static uint32_t piece_end(const struct traces *t, uint32_t lo)
{
	uint64_t n = 0;

	while (lo < t->n && n < PIECE_LOCATIONS) {
		n += 1 + t->stacks->off[t->stack[lo] + 1] - t->stacks->off[t->stack[lo]];
		lo++;
	}
	return lo;
}

/* Take the next piece, samples lo to hi. Returns false if there is none, or if writing failed. */
static bool take_piece(struct draw_writer *w, uint32_t *lo, uint32_t *hi, uint64_t *number)
{
	bool has_more;

	pthread_mutex_lock(&w->lock);
	has_more = !w->is_all_taken && w->rc == 0;
	if (has_more) {
		*number = w->taken++;
		*lo = w->next;
		*hi = w->next = piece_end(w->r->traces, w->next);
		w->is_all_taken = w->next == w->r->traces->n;
	}
	pthread_mutex_unlock(&w->lock);
	return has_more;
}

/* Wait until all earlier pieces are written, then write this piece. Running threads own the earlier pieces, so the
   wait ends. */
static void write_in_turn(struct draw_writer *w, uint64_t number, bool is_last, const struct buf *text)
{
	int rc = 0;

	pthread_mutex_lock(&w->lock);
	while (w->turn != number)
		pthread_cond_wait(&w->turn_changed, &w->lock);
	rc = w->rc;
	pthread_mutex_unlock(&w->lock);
	if (rc == 0 && w->limit.is_exceeded)
		rc = err_set(w->err, ERR_LIMIT, "a sample has a text of more than %zu bytes; select other samples",
			     w->limit.max);
	if (rc == 0)
		rc = io_write_fd(w->fd, buf_text(text), text->len, w->err);
	pthread_mutex_lock(&w->lock);
	w->rc = rc;
	w->turn += is_last;
	if (is_last)
		pthread_cond_broadcast(&w->turn_changed);
	pthread_mutex_unlock(&w->lock);
}

/*
 * Draw and write samples lo to hi. The size of the text is known only after drawing, and a name may take megabytes, so
 * the number of samples drawn at a time grows only while their text is short.
 */
static void write_piece(struct draw_writer *w, uint64_t number, uint32_t lo, uint32_t hi, struct buf *text)
{
	uint32_t step = 1;

	text->len = 0;
	do {
		uint32_t end = hi - lo > step ? lo + step : hi;
		size_t before = text->len;

		w->viewer->draw(w->drawing, lo, end, text);
		step = text->len - before < STEP_BYTES / 2 ? 2 * step : step / 2 + 1;
		lo = end;
		if (lo < hi && text->len > FLUSH_BYTES) {
			write_in_turn(w, number, false, text);
			text->len = 0;
		}
	} while (lo < hi); /* one iteration even without samples, to draw header and footer */
	write_in_turn(w, number, true, text);
}

static void draw_write_part(void *arg, unsigned part)
{
	struct draw_writer *w = arg;
	struct buf text = { 0 };
	uint64_t number;
	uint32_t lo, hi;

	(void)part;
	while (take_piece(w, &lo, &hi, &number))
		write_piece(w, number, lo, hi, &text);
	buf_release(&text);
}

static int write_pieces(const struct report *r, const struct traces_viewer *viewer, int fd, struct err *err)
{
	struct draw_writer w = { .r = r,
				 .viewer = viewer,
				 .fd = fd,
				 .lock = PTHREAD_MUTEX_INITIALIZER,
				 .turn_changed = PTHREAD_COND_INITIALIZER,
				 .err = err,
				 .limit = { .max = mem_quarter_of_ram() } };
	struct buf_limit *before = buf_set_limit(&w.limit);

	w.drawing = viewer->start(r);
	pool_run(draw_write_part, &w, pool_size());
	viewer->end(w.drawing);
	buf_set_limit(before);
	assert(w.rc < 0 || (w.is_all_taken && w.turn == w.taken));
	return w.rc;
}

int answer_write(const struct answer *a, int fd, struct err *err)
{
	return a->pieces ? write_pieces(&a->report, a->pieces, fd, err)
			 : io_write_fd(fd, buf_text(&a->text), a->text.len, err);
}

void answer_add_text(const struct answer *a, struct buf *out)
{
	void *drawing;

	if (!a->pieces) {
		buf_add(out, buf_text(&a->text), a->text.len);
		return;
	}
	drawing = a->pieces->start(&a->report);
	a->pieces->draw(drawing, 0, a->report.traces->n, out);
	a->pieces->end(drawing);
}

void answer_draw(const struct report_type *t, const struct report *r, const struct query *q, bool color,
		 struct buf *out)
{
	assert(q->shape >= 0 && q->shape < N_FORMATS);
	if (q->shape == FORMAT_TEXT)
		t->draw_text(r, color, out);
	else
		t->draw[q->shape](r, out);
}
