/*
 * package.c - the package of a function
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Profiles do not contain packages. The language follows from the suffix of the file, else it is guessed from the name;
 * each language has its own rule. In C++ and Rust the package is the outermost namespace or crate:
 * std::vector<a::b>::push_back is in std, whatever its return type, template arguments and parameters are.
 */
#include "config.h"

#include "viewers/flame/flame.h"

#include "base/path.h"
#include "base/str.h"
#include "viewers/flame/flame_int.h"
#include "viewers/flame/name_syntax.h"

#include <ctype.h>
#include <string.h>

/* Skip the return type: "void std::sort<...>(...)". */
static const char *skip_result(const char *name)
{
	const char *start = name;

	for (const char *s = name; *s;) {
		if (name_operator(name, s))
			break;
		if (starts_with(s, "decltype") && (s[8] == '(' || starts_with(s + 8, " ("))) {
			s = name_skip_brackets(s + 8 + (s[8] == ' '));
		} else if (*s == '(') {
			break; /* parameters, or an anonymous namespace */
		} else if (strchr("<([{", *s)) {
			s = name_skip_brackets(s);
		} else if (*s == ' ' && !starts_with(s, " [clone")) {
			start = ++s;
		} else {
			s++;
		}
	}
	return *start ? start : name;
}

/* Append the first part of a::b::c; nothing for a name without a scope or with an anonymous one. */
static void package_add_first(const char *s, bool is_rust, struct buf *out)
{
	size_t n = 0;

	while (name_is_word(s[n]) || s[n] == '$' || s[n] == '\\' || s[n] == '.')
		n++;
	if (n == 0)
		return;
	if (s[n] == '<' || s[n] == '[')
		n = (size_t)(name_skip_brackets(s + n) - s);
	if (!starts_with(s + n, "::") || (!is_rust && s[n + 2] == '{'))
		return; /* a{lambda()} is in the function a, which has no scope */
	buf_add(out, s, strcspn(s, "<[:"));
}

/* The trait of "<T as trait>::f", NULL when there is none. */
static const char *find_trait(const char *s)
{
	size_t depth = 0;

	for (; *s; s++) {
		if (strchr("<([{", *s))
			depth++;
		else if (strchr(">)]}", *s) && s[-1] != '-' && --depth == 0)
			return NULL;
		else if (depth == 1 && starts_with(s, " as "))
			return s + 4;
	}
	return NULL;
}

/* Skip the references and qualifiers before the path of a Rust type. */
static const char *skip_marks(const char *s)
{
	static const char *const mark[] = { "dyn ", "mut ", "const ", "impl " };

	for (bool found = true; found;) {
		size_t n = strspn(s, "&*[(<' ");

		found = n > 0;
		s += n;
		for (size_t i = 0; i < sizeof(mark) / sizeof(mark[0]); i++) {
			if (starts_with(s, mark[i])) {
				s += strlen(mark[i]);
				found = true;
			}
		}
	}
	return s;
}

/* Append the outermost namespace of a C++ or Rust name; nothing when it has none. */
static void add_scope(const char *name, bool is_rust, struct buf *out)
{
	const char *trait = *name == '<' || *name == '_' ? find_trait(name + (*name == '_')) : NULL;
	size_t before = out->len;

	if (!is_rust && *name != '<' && !starts_with(name, "_<")) {
		package_add_first(skip_result(name), false, out);
		return;
	}
	package_add_first(skip_marks(name + starts_with(name, "_<")), true, out);
	if (out->len == before && trait)
		package_add_first(skip_marks(trait), true, out);
	else if (out->len == before && *name == '<')
		buf_addz(out, "core"); /* <u64>::f: only core has methods of primitive types */
}

enum language { LANGUAGE_UNKNOWN, LANGUAGE_GO, LANGUAGE_JAVA, LANGUAGE_SCRIPT, LANGUAGE_RUST, LANGUAGE_C };

static const struct {
	const char *ending;
	enum language language;
} endings[] = {
	{ ".go", LANGUAGE_GO },      { ".java", LANGUAGE_JAVA },  { ".kt", LANGUAGE_JAVA },
	{ ".scala", LANGUAGE_JAVA }, { ".clj", LANGUAGE_JAVA },   { ".groovy", LANGUAGE_JAVA },
	{ ".js", LANGUAGE_SCRIPT },  { ".mjs", LANGUAGE_SCRIPT }, { ".cjs", LANGUAGE_SCRIPT },
	{ ".jsx", LANGUAGE_SCRIPT }, { ".ts", LANGUAGE_SCRIPT },  { ".tsx", LANGUAGE_SCRIPT },
	{ ".py", LANGUAGE_SCRIPT },  { ".pyx", LANGUAGE_SCRIPT }, { ".rb", LANGUAGE_SCRIPT },
	{ ".php", LANGUAGE_SCRIPT }, { ".lua", LANGUAGE_SCRIPT }, { ".rs", LANGUAGE_RUST },
	{ ".c", LANGUAGE_C },        { ".h", LANGUAGE_C },        { ".cc", LANGUAGE_C },
	{ ".cpp", LANGUAGE_C },      { ".cxx", LANGUAGE_C },      { ".hpp", LANGUAGE_C },
	{ ".hh", LANGUAGE_C },       { ".S", LANGUAGE_C },        { ".tcc", LANGUAGE_C },
	{ ".inl", LANGUAGE_C },
};

static enum language language_of(const char *file)
{
	const char *dot = strrchr(path_base(file), '.');
	size_t n = dot ? strcspn(dot, ":") : 0; /* a line number may follow */

	if (starts_with(file, "node:"))
		return LANGUAGE_SCRIPT;
	if (n && dot[n] && !isdigit((unsigned char)dot[n + 1]))
		return LANGUAGE_UNKNOWN;
	for (size_t i = 0; n && i < sizeof(endings) / sizeof(endings[0]); i++)
		if (strncmp(dot, endings[i].ending, n) == 0 && !endings[i].ending[n])
			return endings[i].language;
	return LANGUAGE_UNKNOWN;
}

/* Is s a version such as .v2 in gopkg.in/yaml.v2.Unmarshal? */
static bool is_version(const char *s)
{
	size_t n = starts_with(s, ".v") ? strspn(s + 2, "0123456789") : 0;

	return n && s[2 + n] == '.';
}

/*
 * The part before the first dot after the last slash: github.com/a/b.(*T).M, runtime.mallocgc, github.com/a/b.F[...].
 */
static bool add_go(const char *name, struct buf *out)
{
	size_t n = strcspn(name, "([ "), slash = n;

	while (slash && name[slash - 1] != '/')
		slash--;
	for (size_t i = slash; i < n; i++) {
		if (name[i] != '.' || i == slash || is_version(name + i))
			continue;
		buf_add(out, name, i);
		return true;
	}
	return false;
}

/* Does a part of a name start with an upper-case letter, like a class? */
static bool is_class(const char *s)
{
	return isupper((unsigned char)*s);
}

/*
 * The part before the class: java.util.HashMap$Node.get, java/util/HashMap.get. A class without a package is its own
 * package.
 */
static bool add_java(const char *name, struct buf *out)
{
	size_t n = strcspn(name, "$(<; "), at = 0;

	while (at < n && !is_class(name + at)) {
		size_t part = strcspn(name + at, "./");

		if (at + part >= n)
			return false;
		at += part + 1;
	}
	if (at == 0)
		at = strcspn(name, "$(<; ./") + 1;
	if (at <= 1 || !name[at - 1])
		return false;
	for (size_t i = 0; i + 1 < at; i++)
		buf_add(out, name[i] == '/' ? "." : name + i, 1);
	return true;
}

/* The folder of an installed package, which follows the last marker; two folders if the first one is a @scope. */
static bool add_installed(const char *file, const char *marker, struct buf *out)
{
	const char *at = NULL;
	size_t n;

	for (const char *s = strstr(file, marker); s; s = strstr(s + 1, marker))
		at = s + strlen(marker);
	if (!at)
		return false;
	n = strcspn(at, "/");
	if (*at == '@' && at[n] == '/')
		n += 1 + strcspn(at + n + 1, "/");
	buf_add(out, at, n);
	return n > 0;
}

/* The last two folders of a path: src/routes for /srv/shop/src/routes/tour.js. */
static bool package_add_folder(const char *file, struct buf *out)
{
	size_t end = strlen(file), start;

	while (end && file[end - 1] != '/')
		end--;
	if (end < 2)
		return false;
	start = --end;
	for (int parts = 0; start; start--)
		if (file[start - 1] == '/' && ++parts == 2)
			break;
	while (start < end && (file[start] == '.' || file[start] == '/')) /* for example ./malloc/malloc.c */
		start++;
	buf_add(out, file + start, end - start);
	return end > start;
}

static bool package_add_script(const char *file, struct buf *out)
{
	if (starts_with(file, "node:")) {
		buf_add(out, file, strcspn(file, "/"));
		return true;
	}
	return add_installed(file, "/node_modules/", out) || add_installed(file, "/site-packages/", out) ||
	       add_installed(file, "/dist-packages/", out) || package_add_folder(file, out);
}

static bool add_module(const char *module, struct buf *out)
{
	if (*module)
		path_add_base(out, module);
	return *module;
}

/* Guess the language from the name. */
static bool add_guessed(const char *name, struct buf *out)
{
	size_t n = strcspn(name, "([<{ $"), part = strcspn(name, "./");
	const char *slash = memrchr(name, '/', n);
	size_t before = out->len;

	if (strstr(name, "::"))
		add_scope(name, false, out);
	else if (name[0] == 'L' && strstr(name, ";"))
		add_java(name + 1, out);
	else if (part == 0 || !name[part] || n == 0)
		return false;
	else if (is_class(name) || is_class(slash ? slash + 1 : name))
		add_java(name, out);
	else if (slash || strcspn(name, "(/$ ") == part || !add_java(name, out))
		add_go(name, out);
	return out->len > before;
}

bool package_is_file(const char *name)
{
	return language_of(name) != LANGUAGE_UNKNOWN;
}

/* Append a name without the address before it and the file after it, which -addresses and -lines add. */
static void add_bare(const struct flame_frame *f, struct buf *out)
{
	enum { DIGITS = 16 };
	const char *name = f->name, *file;

	if (strspn(name, "0123456789abcdef") == DIGITS && name[DIGITS] == ' ')
		name += DIGITS + 1;
	file = *f->file ? strstr(name, f->file) : NULL;
	buf_add(out, name, file > name && file[-1] == ' ' ? (size_t)(file - name - 1) : strlen(name));
}

static bool add_by_name(const char *name, const char *file, struct buf *out)
{
	enum language language = language_of(file);
	size_t before = out->len;

	switch (language) {
	case LANGUAGE_GO:
		return add_go(name, out);
	case LANGUAGE_JAVA:
		return add_java(name, out);
	case LANGUAGE_SCRIPT:
		return package_add_script(file, out);
	case LANGUAGE_RUST:
	case LANGUAGE_C:
		add_scope(name, language == LANGUAGE_RUST, out);
		return out->len > before;
	default:
		return add_guessed(name, out);
	}
}

void package_add(const struct flame_frame *f, struct buf *out)
{
	struct buf name = { 0 };
	bool done;

	if (f->name[0] == '[' && add_module(f->module, out)) /* the name is that of a binary without symbols */
		return;
	add_bare(f, &name);
	if (package_is_file(buf_text(&name))) /* the name is a path: from -files, or from Node.js */
		done = package_add_script(buf_text(&name), out);
	else
		done = add_by_name(buf_text(&name), f->file, out);
	if (!done && !add_module(f->module, out))
		package_add_folder(f->file, out);
	buf_release(&name);
}
