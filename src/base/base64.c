/*
 * base64.c - encode and decode base64
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/base64.h"

static int digit64(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+' || c == '-')
		return 62;
	return c == '/' || c == '_' ? 63 : -1;
}

bool base64_decode(const char *s, size_t n, uint8_t *out, size_t *n_out)
{
	uint32_t bits = 0;
	unsigned n_bits = 0;

	while (n && s[n - 1] == '=')
		n--;
	*n_out = 0;
	for (size_t i = 0; i < n; i++) {
		int d = digit64(s[i]);

		if (d < 0)
			return false;
		bits = bits << 6 | (uint32_t)d;
		n_bits += 6;
		if (n_bits >= 8) {
			n_bits -= 8;
			out[(*n_out)++] = (uint8_t)(bits >> n_bits);
		}
	}
	return n_bits < 6;
}

void base64_add(struct buf *out, const void *data, size_t n)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint8_t *s = data;
	char *to = buf_room(out, (n + 2) / 3 * 4);

	for (size_t i = 0; i < n; i += 3) {
		uint32_t bits =
			(uint32_t)s[i] << 16 | (i + 1 < n ? (uint32_t)s[i + 1] << 8 : 0) | (i + 2 < n ? s[i + 2] : 0);

		*to++ = digit[bits >> 18];
		*to++ = digit[bits >> 12 & 63];
		*to++ = i + 1 < n ? digit[bits >> 6 & 63] : '=';
		*to++ = i + 2 < n ? digit[bits & 63] : '=';
	}
	out->len += (n + 2) / 3 * 4;
	out->data[out->len] = '\0';
}
