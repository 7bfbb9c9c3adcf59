/*
 * package.c - which package a function belongs to
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Profiles do not say it. The file's ending tells the language, else the look of the name does, and
 * each language has its own rule.
 */
#include "config.h"

#include "base/path.h"
#include "base/str.h"
#include "viewers/flame/flame_int.h"

#include <ctype.h>
#include <string.h>

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
	size_t n = dot ? strcspn(dot, ":") : 0; /* a line may follow */

	if (starts_with(file, "node:"))
		return LANGUAGE_SCRIPT;
	if (n && dot[n] && !isdigit((unsigned char)dot[n + 1]))
		return LANGUAGE_UNKNOWN;
	for (size_t i = 0; n && i < sizeof(endings) / sizeof(endings[0]); i++)
		if (strncmp(dot, endings[i].ending, n) == 0 && !endings[i].ending[n])
			return endings[i].language;
	return LANGUAGE_UNKNOWN;
}

/* The .v2 of gopkg.in/yaml.v2.Unmarshal */
static bool is_version(const char *s)
{
	size_t n = starts_with(s, ".v") ? strspn(s + 2, "0123456789") : 0;

	return n && s[2 + n] == '.';
}

/* github.com/a/b.(*T).M, runtime.mallocgc, github.com/a/b.F[...]: up to the first dot behind the last slash. */
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

/* Does a name part from s on start with an upper case letter, as classes do? */
static bool is_class(const char *s)
{
	return isupper((unsigned char)*s);
}

/*
 * java.util.HashMap$Node.get, java/util/HashMap.get: up to the class; a class that is in no package
 * stands for one.
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

/* The folder behind a marker and what follows it (with @scope/, two), as packages are installed. */
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

/* The last two folders of a path: /srv/shop/src/routes/tour.js is of src/routes. */
static bool add_folder(const char *file, struct buf *out)
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
	while (start < end && (file[start] == '.' || file[start] == '/')) /* ./malloc/malloc.c */
		start++;
	buf_add(out, file + start, end - start);
	return end > start;
}

static bool add_script(const char *file, struct buf *out)
{
	if (starts_with(file, "node:")) {
		buf_add(out, file, strcspn(file, "/"));
		return true;
	}
	return add_installed(file, "/node_modules/", out) || add_installed(file, "/site-packages/", out) ||
	       add_installed(file, "/dist-packages/", out) || add_folder(file, out);
}

static bool add_module(const char *module, struct buf *out)
{
	if (*module)
		path_add_base(out, module);
	return *module;
}

/* A name whose file does not tell the language. */
static bool add_by_look(const char *name, struct buf *out)
{
	size_t n = strcspn(name, "([<{ $"), part = strcspn(name, "./");
	const char *slash = memrchr(name, '/', n);
	size_t before = out->len;

	if (strstr(name, "::"))
		package_add_scope(name, false, out);
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

/* Append a name without its address in front and its file behind, which -addresses and -lines give it. */
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
		return add_script(file, out);
	case LANGUAGE_RUST:
	case LANGUAGE_C:
		package_add_scope(name, language == LANGUAGE_RUST, out);
		return out->len > before;
	default:
		return add_by_look(name, out);
	}
}

void package_add(const struct flame_frame *f, struct buf *out)
{
	struct buf name = { 0 };
	bool done;

	if (f->name[0] == '[' && add_module(f->module, out)) /* a binary without functions */
		return;
	add_bare(f, &name);
	if (package_is_file(buf_text(&name))) /* of -files, or Node.js */
		done = add_script(buf_text(&name), out);
	else
		done = add_by_name(buf_text(&name), f->file, out);
	if (!done && !add_module(f->module, out))
		add_folder(f->file, out);
	buf_release(&name);
}
