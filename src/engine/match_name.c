/*
 * match_name.c - the part of a function name that is stable between builds
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/match.h"

#include <stdbool.h>
#include <string.h>

enum { RUST_HASH = 16 };

static bool match_name_ends_with(const char *s, size_t n, const char *end)
{
	size_t len = strlen(end);

	return n > len && memcmp(s + n - len, end, len) == 0;
}

/* The length without a final dot and digits: for "f.part.12", that of "f.part". */
static size_t without_number(const char *s, size_t n)
{
	size_t k = n;

	while (k > 0 && s[k - 1] >= '0' && s[k - 1] <= '9')
		k--;
	return k < n && k > 1 && s[k - 1] == '.' ? k - 1 : n;
}

/* The length without one suffix of a C compiler, or n. */
static size_t without_suffix(const char *s, size_t n)
{
	static const struct {
		const char *text;
		bool numbered; /* must a number follow the suffix? */
	} suffix[] = { { ".cold", false }, { ".part", true },        { ".constprop", true },
		       { ".isra", true },  { ".clone", true },       { ".lto_priv", true },
		       { ".llvm", true },  { ".localalias", false }, { ".__uniq", true } };
	size_t bare = without_number(s, n);

	for (size_t i = 0; i < sizeof(suffix) / sizeof(suffix[0]); i++)
		if (match_name_ends_with(s, bare, suffix[i].text) && (bare < n || !suffix[i].numbered))
			return bare - strlen(suffix[i].text);
	return n;
}

/* The length without a known suffix in brackets: "f(int) [clone .part.0]". */
static size_t without_clone(const char *s, size_t n)
{
	static const char open[] = " [clone ";
	size_t len = sizeof(open) - 1, start;

	if (n == 0 || s[n - 1] != ']')
		return n;
	for (start = n - 1; start > 0 && s[start] != '['; start--)
		;
	if (start < 2 || n - start < len || memcmp(s + start - 1, open, len) != 0)
		return n;
	/* check the suffix with a character before it, as in "x.cold" */
	return without_suffix(s + start + len - 2, n - 1 - (start + len - 2)) == 1 ? start - 1 : n;
}

/* The length without the hash: "::h" and the hash after a demangled name; "17h", the hash and "E" after a mangled
   one. */
static size_t without_rust_hash(const char *s, size_t n)
{
	bool mangled = n > 3 && memcmp(s, "_ZN", 3) == 0 && s[n - 1] == 'E';
	size_t start = n - mangled;

	if (start <= RUST_HASH + 3)
		return n;
	start -= RUST_HASH;
	for (size_t i = start; i < start + RUST_HASH; i++)
		if (!((s[i] >= '0' && s[i] <= '9') || (s[i] >= 'a' && s[i] <= 'f')))
			return n;
	return memcmp(s + start - 3, mangled ? "17h" : "::h", 3) == 0 ? start - 3 : n;
}

/* Is it a source file of a language with dots in names? */
static bool is_dotted(const char *file)
{
	static const char *const end[] = { ".go", ".java", ".kt", ".scala", ".py",  ".js", ".mjs",
					   ".ts", ".rb",   ".cs", ".php",   ".lua", ".clj" };

	for (size_t i = 0; i < sizeof(end) / sizeof(end[0]); i++)
		if (match_name_ends_with(file, strlen(file), end[i]))
			return true;
	return false;
}

/* Can the first n bytes be a whole name of C, C++ or Rust, mangled or not? */
static bool is_c_like(const char *s, size_t n)
{
	if (n > 2 && s[0] == '_' && (s[1] == 'Z' || s[1] == 'R'))
		return true;
	for (size_t i = 0; i + 1 < n; i++)
		if (s[i] == ':' && s[i + 1] == ':')
			return true;
	return n > 0 && !memchr(s, '.', n);
}

/* The length without all suffixes of C compilers, if the rest can be a C name. */
static size_t without_suffixes(const char *s, size_t n)
{
	size_t k = n, before;

	do {
		before = k;
		k = without_suffix(s, k);
	} while (k < before);
	return is_c_like(s, k) ? k : n;
}

size_t match_name_start(const char *name, size_t n)
{
	static const char *const kind[] = { "JS:", "LazyCompile:", "Function:", "Script:", "Eval:" };

	for (size_t i = 0; i < sizeof(kind) / sizeof(kind[0]); i++) {
		size_t k = strlen(kind[i]);

		if (n <= k + 1 || memcmp(name, kind[i], k) != 0 || !strchr("~^+*", name[k]))
			continue;
		k++;
		return k + 1 < n && name[k] == ' ' ? k + 1 : k;
	}
	return 0;
}

size_t match_name_len(const char *name, size_t n, const char *file)
{
	size_t before;

	if (match_name_ends_with(name, n, ".abi0") && memchr(name, '.', n - strlen(".abi0")))
		return n - strlen(".abi0");
	if (is_dotted(file))
		return n;
	do {
		before = n;
		n = without_clone(name, n);
		n = without_suffixes(name, n);
		n = without_rust_hash(name, n);
	} while (n < before);
	return n;
}
