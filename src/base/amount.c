/*
 * amount.c - parse sizes and durations of options and configuration files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/amount.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *name;
	double ns;
} durations[] = {
	{ "ns", 1 },      { "us", 1e3 },     { "ms", 1e6 },        { "min", 60e9 },
	{ "s", 1e9 },     { "sec", 1e9 },    { "m", 60e9 },        { "h", 3600e9 },
	{ "hr", 3600e9 }, { "hrs", 3600e9 }, { "d", 24 * 3600e9 }, { "w", 7 * 24 * 3600e9 },
};

/* Parse a decimal number without a sign. Returns its length. */
static size_t scan_number(const char *text, double *out)
{
	size_t n = strspn(text, "0123456789.");
	char *end;

	if (n == 0 || *text == '.')
		return 0;
	errno = 0;
	*out = strtod(text, &end);
	return errno || end != text + n ? 0 : n;
}

static double unit_ns(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(durations) / sizeof(durations[0]); i++)
		if (strlen(durations[i].name) == n && memcmp(durations[i].name, name, n) == 0)
			return durations[i].ns;
	return 0;
}

int amount_scan_duration(const char *text, int64_t *out)
{
	const char *at = text;
	double sum = 0, value;
	size_t n, n_unit;

	while ((n = scan_number(at, &value)) > 0) {
		double ns;

		n_unit = strspn(at + n, "abcdefghijklmnopqrstuvwxyz");
		ns = unit_ns(at + n, n_unit);
		if (ns == 0)
			break;
		sum += value * ns;
		at += n + n_unit;
	}
	if (at == text || sum >= 0x1p62)
		return 0;
	*out = (int64_t)sum;
	return (int)(at - text);
}

int amount_parse_duration(const char *option, const char *text, int64_t *out, struct err *err)
{
	int64_t ns = 0;
	int n = amount_scan_duration(text, &ns);

	if (strcmp(text, "0") != 0 && (n == 0 || text[n]))
		return err_set(err, ERR_USAGE, "%s=%s: not a duration such as 30s, 10m or 1h30m", option, text);
	*out = ns;
	return 0;
}

int amount_parse_bytes(const char *option, const char *text, uint64_t *out, struct err *err)
{
	static const char prefixes[] = "kMGTP";
	double value = 0;
	size_t n = scan_number(text, &value);
	const char *unit = text + n, *prefix = *unit ? strchr("kKMGTPmgtp", *unit) : NULL;
	bool is_valid = n > 0;

	if (prefix) {
		for (const char *p = prefixes; *p; p++) {
			value *= 1024;
			if ((*p | 0x20) == (*unit | 0x20))
				break;
		}
		unit++;
		if (*unit == 'i')
			unit++;
	}
	if (*unit && strcasecmp(unit, "b") != 0 && strcasecmp(unit, "byte") != 0 && strcasecmp(unit, "bytes") != 0)
		is_valid = false;
	if (!is_valid || value >= 0x1p62)
		return err_set(err, ERR_USAGE, "%s=%s: not a size such as 256MB or 20GiB", option, text);
	*out = (uint64_t)value;
	return 0;
}
