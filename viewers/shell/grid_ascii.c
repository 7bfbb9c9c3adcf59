/*
 * grid_ascii.c - characters of ASCII that look like others
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/search.h"
#include "viewers/shell/grid_int.h"

/* Characters lo to hi, which all look like one. In order. */
struct like {
	uint16_t lo, hi;
	char ascii;
};

static const struct like likes[] = {
	{ 0xa0, 0xa0, ' ' },                                                        /* a blank that does not break */
	{ 0xab, 0xab, '<' },                                                        /* quotes of French */
	{ 0xb5, 0xb5, 'u' },                                                        /* micro */
	{ 0xb7, 0xb7, '.' },                                                        /* dot in the middle */
	{ 0xbb, 0xbb, '>' },                                                        /* */
	{ 0xd7, 0xd7, 'x' },                                                        /* times */
	{ 0x394, 0x394, 'd' },                                                      /* delta */
	{ 0x3bc, 0x3bc, 'u' },                                                      /* mu */
	{ 0x2010, 0x2015, '-' },                                                    /* dashes */
	{ 0x2018, 0x2019, '\'' }, { 0x201c, 0x201d, '"' }, { 0x2022, 0x2022, '*' }, /* bullet */
	{ 0x2026, 0x2026, '~' },                                                    /* ellipsis */
	{ 0x2039, 0x2039, '<' },  { 0x203a, 0x203a, '>' }, { 0x2190, 0x2190, '<' }, /* arrows */
	{ 0x2191, 0x2191, '^' },  { 0x2192, 0x2192, '>' }, { 0x2193, 0x2193, 'v' },
	{ 0x21a9, 0x21a9, '<' },  { 0x21aa, 0x21aa, '>' }, { 0x21b5, 0x21b5, '<' },
	{ 0x21d0, 0x21d0, '<' },  { 0x21d1, 0x21d1, '^' }, { 0x21d2, 0x21d2, '>' },
	{ 0x21d3, 0x21d3, 'v' },  { 0x2212, 0x2212, '-' }, /* minus */
	{ 0x2248, 0x2248, '~' },  { 0x2260, 0x2260, '#' }, { 0x2264, 0x2264, '<' },
	{ 0x2265, 0x2265, '>' },  { 0x22ee, 0x22ee, ':' }, /* dots one above the other */
	{ 0x22ef, 0x22ef, '~' },  { 0x23ce, 0x23ce, '<' }, /* Return */
	{ 0x2500, 0x2501, '-' },                           /* lines */
	{ 0x2502, 0x2503, '|' },  { 0x2504, 0x2505, '-' }, { 0x2506, 0x2507, '|' },
	{ 0x2508, 0x2509, '-' },  { 0x250a, 0x250b, '|' }, { 0x250c, 0x254b, '+' },
	{ 0x254c, 0x254d, '-' },  { 0x254e, 0x254f, '|' }, { 0x2550, 0x2550, '=' },
	{ 0x2551, 0x2551, '|' },  { 0x2552, 0x2570, '+' }, { 0x2574, 0x2574, '-' },
	{ 0x2575, 0x2575, '|' },  { 0x2576, 0x2576, '-' }, { 0x2577, 0x2577, '|' },
	{ 0x2578, 0x2578, '-' },  { 0x2579, 0x2579, '|' }, { 0x257a, 0x257a, '-' },
	{ 0x257b, 0x257b, '|' },  { 0x257c, 0x257c, '-' }, { 0x257d, 0x257d, '|' },
	{ 0x257e, 0x257e, '-' },  { 0x257f, 0x257f, '|' }, { 0x2580, 0x2580, '"' }, /* blocks: upper half */
	{ 0x2581, 0x2583, '_' },                                                    /* low ones */
	{ 0x2584, 0x2586, '=' },  { 0x2587, 0x258c, '#' },                          /* full to half */
	{ 0x258d, 0x258f, '|' },                                                    /* narrow */
	{ 0x2590, 0x2590, '#' },  { 0x2591, 0x2591, '.' },                          /* shades */
	{ 0x2592, 0x2592, ':' },  { 0x2593, 0x2593, '#' }, { 0x2594, 0x2594, '"' },
	{ 0x2595, 0x2595, '|' },  { 0x2596, 0x259f, '#' }, { 0x25a0, 0x25a0, '#' }, /* squares */
	{ 0x25a1, 0x25a1, 'o' },  { 0x25aa, 0x25ab, '*' }, { 0x25b2, 0x25b5, '^' }, /* triangles */
	{ 0x25b6, 0x25bb, '>' },  { 0x25bc, 0x25bf, 'v' }, { 0x25c0, 0x25c5, '<' },
	{ 0x25c6, 0x25c8, '*' },  { 0x25cb, 0x25cb, 'o' }, { 0x25cf, 0x25cf, '*' },
	{ 0x2605, 0x2606, '*' },  { 0x2713, 0x2714, 'v' }, { 0x2715, 0x2718, 'x' },
	{ 0x276e, 0x276e, '<' },  { 0x276f, 0x276f, '>' }, { 0x27e8, 0x27e8, '<' },
	{ 0x27e9, 0x27e9, '>' },
};

static bool is_before(const void *arg, size_t i)
{
	const uint32_t *ch = arg;

	return likes[i].hi < *ch;
}

char glyph_ascii(uint32_t ch)
{
	size_t i, n = sizeof(likes) / sizeof(likes[0]);

	if (ch < 0x80)
		return (char)ch;
	i = lower_bound(0, n, is_before, &ch);
	return i < n && ch >= likes[i].lo ? likes[i].ascii : '?';
}
