/*
 * demangle_cplus.c - C++ names
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * libiberty parses the symbol and prints the tree, but it cannot omit template arguments. They must stay in the tree,
 * since other parts of the name refer to them, so the tree is marked: a byte is added after the name of each template,
 * another after its arguments, and the printed text between these bytes is removed.
 *
 * Even the tree of a short symbol can take nearly forever to print. So the number of nodes that printing would visit is
 * computed first, by visiting each node once, and printing stops when the text becomes too long.
 */
#include "config.h"

#include "symbol/demangle/demangle_int.h"

#include "base/mem.h"
#include "base/str.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	SYMBOL_MAX = 1 << 14, /* libiberty recurses once per byte, 100 bytes of stack per call */
	VISITS_MAX = 50 << 20,
	CUT_FROM = 1, /* bytes that do not occur in symbols */
	CUT_TO = 2,
	MORE_NODES = 2, /* per template */
};

typedef struct demangle_component node;

struct demangle_cplus_tree {
	node *top, *all; /* [n] nodes of the tree, made by libiberty */
	size_t n;
	node *more; /* nodes for marks, enough for the whole tree; NULL until needed */
	size_t n_more;
};

static bool is_leaf(const node *c)
{
	switch (c->type) {
	case DEMANGLE_COMPONENT_NAME:
	case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
	case DEMANGLE_COMPONENT_FUNCTION_PARAM:
	case DEMANGLE_COMPONENT_SUB_STD:
	case DEMANGLE_COMPONENT_OPERATOR:
	case DEMANGLE_COMPONENT_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_CHARACTER:
	case DEMANGLE_COMPONENT_NUMBER:
	case DEMANGLE_COMPONENT_UNNAMED_TYPE:
		return true;
	default:
		return false;
	}
}

/* The children of a node. */
static void children(const node *c, node *out[2])
{
	out[0] = out[1] = NULL;
	if (is_leaf(c))
		return;
	switch (c->type) {
	case DEMANGLE_COMPONENT_CTOR:
		out[0] = c->u.s_ctor.name;
		break;
	case DEMANGLE_COMPONENT_DTOR:
		out[0] = c->u.s_dtor.name;
		break;
	case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
		out[0] = c->u.s_extended_operator.name;
		break;
	case DEMANGLE_COMPONENT_FIXED_TYPE:
		out[0] = c->u.s_fixed.length;
		break;
	case DEMANGLE_COMPONENT_LAMBDA:
	case DEMANGLE_COMPONENT_DEFAULT_ARG:
		out[0] = c->u.s_unary_num.sub;
		break;
	default:
		out[0] = c->u.s_binary.left;
		out[1] = c->u.s_binary.right;
		break;
	}
}

static bool demangle_cplus_is_known(const struct demangle_cplus_tree *t, const node *c)
{
	return c && c >= t->all && c < t->all + t->n;
}

/* List all nodes below top once, children before parents. Returns their number. */
static size_t bottom_up(const struct demangle_cplus_tree *t, uint32_t *order)
{
	uint8_t *state = mem_zalloc(t->n, sizeof(*state)); /* 1: children pending; 2: done */
	uint32_t *stack = mem_alloc(t->n + 1, 3 * sizeof(*stack));
	size_t n = 0, depth = 0;

	stack[depth++] = (uint32_t)(t->top - t->all);
	while (depth) {
		uint32_t at = stack[depth - 1];
		node *below[2];

		if (state[at]) {
			depth--;
			if (state[at] == 1)
				order[n++] = at;
			state[at] = 2;
			continue;
		}
		state[at] = 1;
		children(&t->all[at], below);
		for (int i = 1; i >= 0; i--)
			if (demangle_cplus_is_known(t, below[i]) && !state[below[i] - t->all])
				stack[depth++] = (uint32_t)(below[i] - t->all);
	}
	free(stack);
	free(state);
	return n;
}

/* Upper bound on the nodes that printing visits, if it visits param nodes per template parameter. */
static uint64_t visits(const struct demangle_cplus_tree *t, const uint32_t *order, size_t n, uint64_t param)
{
	uint64_t *sum = mem_zalloc(t->n, sizeof(*sum)), total;

	for (size_t i = 0; i < n; i++) {
		const node *c = &t->all[order[i]];
		uint64_t s = c->type == DEMANGLE_COMPONENT_TEMPLATE_PARAM ? param : 1;
		node *below[2];

		children(c, below);
		for (int k = 0; k < 2; k++)
			if (demangle_cplus_is_known(t, below[k]))
				s += sum[below[k] - t->all];
		sum[order[i]] = s < UINT32_MAX ? s : UINT32_MAX;
	}
	total = sum[t->top - t->all];
	free(sum);
	return total;
}

static node *demangle_cplus_mark(struct demangle_cplus_tree *t, char *byte)
{
	node *c = &t->more[t->n_more++];

	*c = (node){ .type = DEMANGLE_COMPONENT_NAME };
	c->u.s_name.s = byte;
	c->u.s_name.len = 1;
	return c;
}

static node *pair(struct demangle_cplus_tree *t, enum demangle_component_type type, node *left, node *right)
{
	node *c = &t->more[t->n_more++];

	*c = (node){ .type = type };
	c->u.s_binary.left = left;
	c->u.s_binary.right = right;
	return c;
}

/* Put marks around the arguments of a template. */
static void mark_template(struct demangle_cplus_tree *t, node *c)
{
	static char from[] = { CUT_FROM, 0 }, to[] = { CUT_TO, 0 };
	node **last = &c->u.s_binary.right;

	c->u.s_binary.left =
		pair(t, DEMANGLE_COMPONENT_COMPOUND_NAME, c->u.s_binary.left, demangle_cplus_mark(t, from));
	while (*last && (*last)->type == DEMANGLE_COMPONENT_TEMPLATE_ARGLIST)
		last = &(*last)->u.s_binary.right;
	if (!*last)
		*last = pair(t, DEMANGLE_COMPONENT_TEMPLATE_ARGLIST, demangle_cplus_mark(t, to), NULL);
}

static bool is_qualifier(const node *c)
{
	switch (c->type) {
	case DEMANGLE_COMPONENT_RESTRICT_THIS:
	case DEMANGLE_COMPONENT_VOLATILE_THIS:
	case DEMANGLE_COMPONENT_CONST_THIS:
	case DEMANGLE_COMPONENT_REFERENCE_THIS:
	case DEMANGLE_COMPONENT_RVALUE_REFERENCE_THIS:
	case DEMANGLE_COMPONENT_TRANSACTION_SAFE:
	case DEMANGLE_COMPONENT_NOEXCEPT:
	case DEMANGLE_COMPONENT_THROW_SPEC:
		return true;
	default:
		return false;
	}
}

static node *unqualified(node *c)
{
	while (c && is_qualifier(c))
		c = c->u.s_binary.left;
	return c;
}

/* Remove the parameters of an enclosing function. */
static void remove_params(node *function)
{
	node *c = unqualified(function);

	if (!c || c->type != DEMANGLE_COMPONENT_TYPED_NAME)
		return;
	c = unqualified(c->u.s_binary.right);
	if (c && c->type == DEMANGLE_COMPONENT_FUNCTION_TYPE)
		c->u.s_binary.right = NULL;
}

/* Cut the arguments of a standard abbreviation: std::basic_istream<char, std::char_traits<char> > */
static void cut_standard(node *c)
{
	const char *end = memchr(c->u.s_string.string, '<', (size_t)c->u.s_string.len);

	if (end)
		c->u.s_string.len = (int)(end - c->u.s_string.string);
}

static void apply_style(struct demangle_cplus_tree *t, const uint32_t *order, size_t n, struct cplus_style style)
{
	size_t n_templates = 0;

	for (size_t i = 0; i < n; i++)
		n_templates += t->all[order[i]].type == DEMANGLE_COMPONENT_TEMPLATE;
	if (!style.templates)
		t->more = mem_alloc(n_templates + 1, 2 * MORE_NODES * sizeof(*t->more));
	for (size_t i = 0; i < n; i++) {
		node *c = &t->all[order[i]];

		if (c->type == DEMANGLE_COMPONENT_LOCAL_NAME && !style.enclosing)
			remove_params(c->u.s_binary.left);
		if (c->type == DEMANGLE_COMPONENT_TEMPLATE && !style.templates)
			mark_template(t, c);
		if (c->type == DEMANGLE_COMPONENT_SUB_STD && !style.templates)
			cut_standard(c);
	}
}

static bool print_tree(node *top, int options, struct buf *out)
{
	struct demangle_print p = { .out = out, .max = out->len + DEMANGLED_MAX };

	if (setjmp(p.too_long))
		return false;
	return cplus_demangle_print_callback(options, top, demangle_add_piece, &p) != 0;
}

/* Remove the text between marks from the output after start. Returns false when marks are unmatched. */
static bool cut_marked(struct buf *out, size_t start)
{
	size_t *open = NULL, cap = 0, depth = 0, to = start;

	for (size_t i = start; i < out->len; i++) {
		if (out->data[i] == CUT_FROM) {
			open = mem_grow(open, &cap, depth + 1, sizeof(*open));
			open[depth++] = to;
		} else if (out->data[i] == CUT_TO) {
			if (depth == 0)
				break;
			to = open[--depth];
			i += i + 1 < out->len && out->data[i + 1] == '>';
		} else {
			out->data[to++] = out->data[i];
		}
	}
	free(open);
	out->len = to;
	out->data[to] = '\0';
	return depth == 0 && to > start;
}

/* Is this ">>" two closing brackets, as libiberty prints after an empty pack, and not operator>> or (a)>>(b)? */
static bool is_closing_pair(const char *s, size_t n, size_t at, size_t start)
{
	static const char word[] = "operator";
	size_t len = strlen(word);

	if (at + 1 >= n || s[at] != '>' || s[at + 1] != '>')
		return false;
	if (at >= start + len && memcmp(s + at - len, word, len) == 0)
		return false;
	return !(at > start && s[at - 1] == ')' && at + 2 < n && s[at + 2] == '(');
}

static void separate_brackets(struct buf *out, size_t start)
{
	struct buf separated = { 0 };

	for (size_t i = start; i < out->len; i++) {
		buf_add(&separated, out->data + i, 1);
		if (is_closing_pair(out->data, out->len, i, start))
			buf_add(&separated, " ", 1);
	}
	if (separated.len > out->len - start) {
		out->len = start;
		buf_add(out, separated.data, separated.len);
	}
	buf_release(&separated);
}

static bool demangle_cplus_print_name(struct demangle_cplus_tree *t, struct cplus_style style, struct buf *out)
{
	uint32_t *order = mem_alloc(t->n, sizeof(*order));
	size_t n = bottom_up(t, order), start = out->len;
	uint64_t once = visits(t, order, n, 1);
	bool ok = once < VISITS_MAX && visits(t, order, n, once) < VISITS_MAX;

	if (ok && t->top->type == DEMANGLE_COMPONENT_CLONE)
		ok = false;
	if (ok) {
		apply_style(t, order, n, style);
		ok = print_tree(t->top, style.params ? DMGL_PARAMS | DMGL_ANSI : DMGL_ANSI, out);
		ok = ok && (style.templates || cut_marked(out, start));
		if (ok && strstr(out->data + start, ">>"))
			separate_brackets(out, start);
	}
	if (!ok) {
		out->len = start;
		if (out->data)
			out->data[start] = '\0';
	}
	free(t->more);
	free(order);
	return ok;
}

/* Skip the nodes for clones, which enclose all others. */
static node *without_clones(node *c)
{
	while (c->type == DEMANGLE_COMPONENT_CLONE)
		c = c->u.s_binary.left;
	return c;
}

/* Demangle a symbol of n bytes. */
static bool demangle_cplus_demangle_part(const char *symbol, size_t n, struct cplus_style style, struct buf *out)
{
	struct demangle_cplus_tree t = { .n = 2 * n };
	void *mem = NULL;
	bool ok = false;

	t.top = cplus_demangle_v3_components(symbol, style.params ? DMGL_PARAMS | DMGL_ANSI : DMGL_ANSI, &mem);
	if (t.top) {
		t.all = mem;
		t.top = without_clones(t.top);
		ok = demangle_cplus_is_known(&t, t.top) && demangle_cplus_print_name(&t, style, out);
	}
	free(mem);
	return ok;
}

static bool demangle_cplus_is_plain(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < ' ')
			return false;
	return true;
}

bool demangle_cplus(const char *symbol, struct cplus_style style, struct buf *out)
{
	size_t n = strlen(symbol), end;
	char *part;
	bool ok;

	if (n > SYMBOL_MAX || !starts_with(symbol, "_Z") || !demangle_cplus_is_plain(symbol))
		return false;
	if (demangle_cplus_demangle_part(symbol, n, style, out))
		return true;
	end = strcspn(symbol, ".");
	if (!style.params || end == n)
		return false;
	part = mem_strndup(symbol, end);
	ok = demangle_cplus_demangle_part(part, end, style, out);
	free(part);
	return ok;
}
