/*
 * plain.c - read the output of dot -Tplain
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lengths are in inches, y grows upwards:
 *
 *   graph SCALE WIDTH HEIGHT
 *   node NAME X Y WIDTH HEIGHT LABEL STYLE SHAPE COLOR FILLCOLOR
 *   edge TAIL HEAD N X1 Y1 .. XN YN [LABEL X Y] STYLE COLOR
 *   stop
 *
 * Every node and every edge of the graph must occur exactly once. Edges between the same nodes are in the order of the graph.
 */
#include "config.h"

#include "viewers/graph/layout.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 3000, INCHES_MAX = 100000, DIGITS_MAX = 12, EXPONENT_MAX = 9, POINTS_PER_INCH = 72 };

/* The position in the text. After an error every read fails. */
struct graph_plain {
	const char *at, *end;
	size_t line;
	struct layout *l;
	uint32_t *order; /* [n_arrows] indices of arrows, sorted by ends */
	bool *has_node;  /* [n_boxes] */
	struct arena *mem;
	struct err *err;
	int rc;
};

static void plain_fail(struct graph_plain *p, const char *what)
{
	if (p->rc == 0)
		p->rc = err_set(p->err, ERR_FORMAT, "output of dot: line %zu: %s", p->line, what);
}

/* Read the next word of the line: *n bytes, after the blank that separates it; "" at the end of the line. */
static const char *plain_next_word(struct graph_plain *p, size_t *n)
{
	const char *word;

	if (p->at < p->end && *p->at == ' ')
		p->at++;
	for (word = p->at; p->at < p->end && *p->at != ' ' && *p->at != '\n';)
		p->at++;
	*n = (size_t)(p->at - word);
	return word;
}

static bool plain_is_word(const char *word, size_t n, const char *want)
{
	return strlen(want) == n && memcmp(word, want, n) == 0;
}

static void expect_word(struct graph_plain *p, const char *want)
{
	size_t n;
	const char *word = plain_next_word(p, &n);

	if (!plain_is_word(word, n, want))
		plain_fail(p, "an unexpected word");
}

static void expect_line_end(struct graph_plain *p)
{
	if (p->at < p->end && *p->at == '\n')
		p->at++;
	else
		plain_fail(p, "too many words");
	p->line++;
}

/* Read digits; at most DIGITS_MAX. Returns their number. */
static size_t read_digits(const char **at, const char *end, double *value)
{
	size_t n = 0;

	for (; *at < end && **at >= '0' && **at <= '9' && n <= DIGITS_MAX; ++*at, n++)
		*value = *value * 10 + (**at - '0');
	return n;
}

/* The power of ten of an exponent such as e-05, or 1 if there is none; 0 if it is malformed. */
static double read_exponent(const char *at, const char *end)
{
	double exponent = 0, power = 1;
	bool is_negative;

	if (at == end)
		return 1;
	if (*at++ != 'e' || at == end || (*at != '+' && *at != '-'))
		return 0;
	is_negative = *at++ == '-';
	if (read_digits(&at, end, &exponent) == 0 || at != end || exponent > EXPONENT_MAX)
		return 0;
	for (; exponent > 0; exponent--)
		power *= 10;
	return is_negative ? 1 / power : power;
}

/* Read a number of inches. Returns points. */
static double read_length(struct graph_plain *p)
{
	size_t n, n_digits;
	const char *at = plain_next_word(p, &n), *end = at + n;
	bool is_negative = at < end && *at == '-';
	double whole = 0, fraction = 0, power;

	at += is_negative;
	n_digits = read_digits(&at, end, &whole);
	if (at < end && *at == '.') {
		size_t n_decimals;

		at++;
		n_decimals = read_digits(&at, end, &fraction);
		for (size_t i = 0; i < n_decimals; i++)
			fraction /= 10;
		n_digits = n_digits && n_decimals ? n_digits + n_decimals : 0;
	}
	power = read_exponent(at, end);
	whole = (whole + fraction) * power;
	if (n_digits == 0 || n_digits > DIGITS_MAX || power <= 0 || whole > INCHES_MAX) {
		plain_fail(p, "an invalid number");
		return 0;
	}
	return (is_negative ? -whole : whole) * POINTS_PER_INCH;
}

static struct layout_point read_point(struct graph_plain *p)
{
	struct layout_point at;

	at.x = read_length(p);
	at.y = p->l->height - read_length(p);
	return at;
}

/* Read a positive integer up to max. */
static uint32_t read_count(struct graph_plain *p, const char *at, size_t n, uint32_t max)
{
	uint64_t value = 0;

	for (size_t i = 0; i < n && value <= max; i++)
		value = at[i] >= '0' && at[i] <= '9' ? value * 10 + (uint64_t)(at[i] - '0') : UINT64_MAX / 2;
	if (value == 0 || value > max || *at == '0') {
		plain_fail(p, "an invalid number");
		return 1;
	}
	return (uint32_t)value;
}

/* Read the name of a node. Returns its index. */
static uint32_t read_node_name(struct graph_plain *p)
{
	size_t n;
	const char *word = plain_next_word(p, &n);

	if (n < 2 || *word != 'n') {
		plain_fail(p, "an unknown node");
		return 0;
	}
	return read_count(p, word + 1, n - 1, p->l->n_boxes) - 1;
}

static void plain_read_head(struct graph_plain *p)
{
	expect_word(p, "graph");
	expect_word(p, "1");
	p->l->width = read_length(p);
	p->l->height = read_length(p);
	if (p->l->width < 0 || p->l->height < 0)
		plain_fail(p, "a negative size");
	expect_line_end(p);
}

/* Read a node. The word "node" has been read. */
static void read_node(struct graph_plain *p)
{
	static const char *const rest[] = { "\"\"", "solid", "box", "black", "lightgrey" };
	uint32_t i;

	if (p->l->n_boxes == 0) {
		plain_fail(p, "an unknown node");
		return;
	}
	i = read_node_name(p);
	p->l->box[i].at = read_point(p);
	read_length(p);
	read_length(p);
	for (size_t k = 0; k < sizeof(rest) / sizeof(rest[0]); k++)
		expect_word(p, rest[k]);
	if (p->has_node[i])
		plain_fail(p, "a duplicate node");
	p->has_node[i] = true;
	expect_line_end(p);
}

static int plain_compare_ends(const struct layout_arrow *a, uint32_t from, uint32_t to)
{
	if (a->from != from)
		return a->from < from ? -1 : 1;
	return (a->to > to) - (a->to < to);
}

/* The first arrow between these boxes that has no points yet; NULL if there is none. */
static struct layout_arrow *find_arrow(const struct graph_plain *p, uint32_t from, uint32_t to)
{
	uint32_t lo = 0, hi = p->l->n_arrows;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		const struct layout_arrow *a = &p->l->arrow[p->order[mid]];
		int c = plain_compare_ends(a, from, to);

		if (c < 0 || (c == 0 && a->n_points))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == p->l->n_arrows || plain_compare_ends(&p->l->arrow[p->order[lo]], from, to) != 0)
		return NULL;
	return &p->l->arrow[p->order[lo]];
}

/* Read an edge. The word "edge" has been read. */
static void read_edge(struct graph_plain *p)
{
	uint32_t from = read_node_name(p), to = read_node_name(p), n_points;
	struct layout_arrow *a = p->rc == 0 ? find_arrow(p, from, to) : NULL;
	struct layout_point *point;
	size_t n;
	const char *word = plain_next_word(p, &n);

	if (!a) {
		plain_fail(p, "an unknown edge");
		return;
	}
	n_points = read_count(p, word, n, POINTS_MAX);
	if (n_points < 4 || n_points % 3 != 1) {
		plain_fail(p, "an incomplete curve");
		return;
	}
	a->point = point = arena_alloc(p->mem, n_points, sizeof(*point));
	for (uint32_t i = 0; i < n_points && p->rc == 0; i++)
		point[i] = read_point(p);
	a->n_points = n_points;
	if (a->lines) {
		word = plain_next_word(p, &n);
		if (n == 0 || !memchr(word, 'x', n))
			plain_fail(p, "no label");
		a->label = read_point(p);
	}
	expect_word(p, "solid");
	expect_word(p, "black");
	expect_line_end(p);
}

/* An arrow with its number, since qsort takes no context. */
struct numbered_arrow {
	uint32_t from, to, number;
};

static int by_ends(const void *a, const void *b)
{
	const struct numbered_arrow *l = a, *r = b;

	if (l->from != r->from)
		return l->from < r->from ? -1 : 1;
	if (l->to != r->to)
		return l->to < r->to ? -1 : 1;
	return l->number < r->number ? -1 : l->number > r->number;
}

static void sort_arrows(struct graph_plain *p)
{
	uint32_t n = p->l->n_arrows;
	struct numbered_arrow *a = mem_alloc(n, sizeof(*a));

	p->order = mem_alloc(n, sizeof(*p->order));
	for (uint32_t i = 0; i < n; i++) {
		a[i] = (struct numbered_arrow){ p->l->arrow[i].from, p->l->arrow[i].to, i };
		p->l->arrow[i].n_points = 0;
	}
	if (n)
		qsort(a, n, sizeof(*a), by_ends);
	for (uint32_t i = 0; i < n; i++)
		p->order[i] = a[i].number;
	free(a);
}

static void check_complete(struct graph_plain *p)
{
	for (uint32_t i = 0; i < p->l->n_boxes; i++)
		if (!p->has_node[i])
			plain_fail(p, "a node is missing");
	for (uint32_t i = 0; i < p->l->n_arrows; i++)
		if (!p->l->arrow[i].n_points)
			plain_fail(p, "an edge is missing");
	if (p->at != p->end)
		plain_fail(p, "text after the end");
}

int layout_read(struct layout *l, const char *text, size_t n, struct arena *mem, struct err *err)
{
	struct graph_plain p = { .at = text, .end = text + n, .line = 1, .l = l, .mem = mem, .err = err };
	bool has_ended = false;

	p.has_node = mem_zalloc(l->n_boxes, sizeof(*p.has_node));
	sort_arrows(&p);
	plain_read_head(&p);
	while (p.rc == 0 && !has_ended) {
		size_t length;
		const char *word = plain_next_word(&p, &length);

		has_ended = plain_is_word(word, length, "stop");
		if (has_ended)
			expect_line_end(&p);
		else if (plain_is_word(word, length, "node"))
			read_node(&p);
		else if (plain_is_word(word, length, "edge"))
			read_edge(&p);
		else
			plain_fail(&p, "an unknown line");
	}
	if (p.rc == 0)
		check_complete(&p);
	free(p.order);
	free(p.has_node);
	return p.rc;
}
