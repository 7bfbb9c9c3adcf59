/*
 * utf8.c - UTF-8, and escaping of untrusted text
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/utf8.h"

#include <assert.h>
#include <string.h>

size_t utf8_decode(const char *s, size_t n, uint32_t *out)
{
	const unsigned char *p = (const unsigned char *)s;
	static const uint32_t code_min[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;
	uint32_t c;

	if (len == 0 || len > n)
		return 0;
	c = len == 1 ? p[0] : p[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < code_min[len] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		return 0;
	*out = c;
	return len;
}

size_t utf8_prefix(const char *s, size_t n, size_t max)
{
	size_t end = max;

	if (n <= max)
		return n;
	while (end > 0 && max - end < 3 && ((unsigned char)s[end] & 0xc0) == 0x80)
		end--;
	return ((unsigned char)s[end] & 0xc0) == 0x80 ? max
						      : end; /* not a character that is split, if it is longer than 4 */
}

size_t utf8_count(const char *s, size_t n)
{
	size_t count = 0;
	uint32_t c;

	for (size_t i = 0, len; i < n; i += len ? len : 1, count++)
		len = utf8_decode(s + i, n - i, &c);
	return count;
}

bool utf8_is_safe(uint32_t c)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0))
		return false;
	if (c == 0x61c || (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e))
		return false;
	return !(c >= 0x2060 && c <= 0x206f) && c != 0xfeff && !(c >= 0xfff9 && c <= 0xfffb) &&
	       !(c >= 0xe0000 && c <= 0xe007f);
}

void utf8_add_char(struct buf *b, uint32_t c)
{
	static const uint32_t above[] = { 0x80, 0x800, 0x10000 };
	static const unsigned char lead[] = { 0, 0xc0, 0xe0, 0xf0 };
	unsigned char out[4];
	size_t n = 0;

	if ((c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		c = 0xfffd;
	while (n < 3 && c >= above[n])
		n++;
	for (size_t i = n; i > 0; i--, c >>= 6)
		out[i] = (unsigned char)(0x80 | (c & 0x3f));
	out[0] = (unsigned char)(lead[n] | c);
	buf_add(b, out, n + 1);
}

static void add_escape(struct buf *b, uint32_t c)
{
	switch (c) {
	case '\n':
		buf_addz(b, "\\n");
		break;
	case '\r':
		buf_addz(b, "\\r");
		break;
	default:
		buf_addf(b, c < 0x80 ? "\\x%02x" : "\\u{%x}", c);
	}
}

/* The number of first bytes that are printable ASCII, up to seven fewer. */
static size_t utf8_plain_words(const char *s, size_t n)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), high = 0x80 * ones;
	size_t i = 0;

	for (; n - i >= sizeof(uint64_t); i += sizeof(uint64_t)) {
		uint64_t x, del;

		memcpy(&x, s + i, sizeof(x));
		del = x ^ 0x7f * ones;
		if ((x | (x - 0x20 * ones) | (del - ones)) & high) /* a byte is above 0x7e, below 0x20, or 0x7f */
			break;
	}
	return i;
}

void utf8_add_safe(struct buf *b, const char *s, size_t n)
{
	size_t plain = 0; /* start of the bytes not copied yet */

	for (size_t i = utf8_plain_words(s, n); i < n;) {
		uint32_t c = (unsigned char)s[i];
		size_t len;

		if (c >= 0x20 && c < 0x7f) {
			i++;
			continue;
		}
		len = utf8_decode(s + i, n - i, &c);
		if (len && (utf8_is_safe(c) || c == '\t')) {
			i += len;
			continue;
		}
		buf_add(b, s + plain, i - plain);
		if (len)
			add_escape(b, c);
		else
			buf_addf(b, "\\x%02x", (unsigned char)s[i]);
		i += len ? len : 1;
		plain = i;
	}
	buf_add(b, s + plain, n - plain);
}

/*
 * Length of the longest sequence of backquotes. The fence of a code span must be longer. A | is escaped, because
 * Markdown splits table cells before it parses code spans (GFM 4.10).
 */
static size_t longest_backquotes(const char *s)
{
	size_t longest = 0;

	for (size_t run; *s; s += run ? run : 1) {
		run = strspn(s, "`");
		if (run > longest)
			longest = run;
	}
	return longest;
}

void utf8_add_code(struct buf *b, const char *s)
{
	struct buf safe = { 0 };
	size_t fence;

	if (!*s) /* a code span cannot be empty */
		return;
	utf8_add_safe(&safe, s, strlen(s));
	fence = longest_backquotes(buf_text(&safe)) + 1;
	buf_fill(b, '`', fence);
	if (fence > 1)
		buf_add(b, " ", 1);
	for (size_t i = 0; i < safe.len; i++) {
		if (safe.data[i] == '|')
			buf_add(b, "\\", 1);
		buf_add(b, safe.data + i, 1);
	}
	if (fence > 1)
		buf_add(b, " ", 1);
	buf_fill(b, '`', fence);
	buf_release(&safe);
}

/* Is s[i] a continuation byte? */
static bool utf8_is_inside(const char *s, size_t i)
{
	return ((unsigned char)s[i] & 0xc0) == 0x80;
}

void utf8_add_short(struct buf *b, const char *s, size_t n, size_t max)
{
	static const char dots[] = "\xe2\x80\xa6";
	enum { INSIDE = 3 }; /* continuation bytes of the longest character */
	size_t room = max - (sizeof(dots) - 1), head = (room + 1) / 2, tail = n - room / 2;

	assert(max >= sizeof(dots) - 1);
	if (n <= max) {
		buf_add(b, s, n);
		return;
	}
	for (int i = 0; i < INSIDE && head && utf8_is_inside(s, head); i++)
		head--;
	for (int i = 0; i < INSIDE && tail < n && utf8_is_inside(s, tail); i++)
		tail++;
	assert(head <= room && tail <= n && head + (n - tail) <= max);
	buf_add(b, s, head);
	buf_addz(b, dots);
	buf_add(b, s + tail, n - tail);
}

enum { WORD_MAX = 64 };

size_t utf8_distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b);
	size_t row[3][WORD_MAX + 1];

	if (la > WORD_MAX || lb > WORD_MAX)
		return la > lb ? la : lb;
	for (size_t j = 0; j <= lb; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= la; i++) {
		size_t *now = row[i % 3], *one = row[(i + 2) % 3], *two = row[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			size_t best = one[j - 1] + (a[i - 1] != b[j - 1]);

			if (one[j] + 1 < best)
				best = one[j] + 1;
			if (now[j - 1] + 1 < best)
				best = now[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && two[j - 2] + 1 < best)
				best = two[j - 2] + 1;
			now[j] = best;
		}
	}
	return row[la % 3][lb];
}

bool utf8_keep_similar(const char *word, const char *name, const char **found)
{
	size_t n = strlen(word), errors_max = n < 5 ? n > 1 : 2;
	bool is_nearer = utf8_distance(word, name) < (*found ? utf8_distance(word, *found) : errors_max + 1);

	if (is_nearer)
		*found = name;
	return is_nearer;
}
