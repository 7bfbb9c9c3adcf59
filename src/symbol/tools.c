/*
 * tools.c - find programs of other packages
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/tools.h"

#include "base/buf.h"
#include "base/child.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VERSION_BYTES = 1 << 20, VERSION_SECONDS = 30, LLVM_VERSION_MIN = 8 };

bool tools_is_llvm(const char *version)
{
	const char *at = strstr(version, "LLVM version ");
	unsigned major = 0;

	if (!at)
		return false;
	at += strlen("LLVM version ");
	for (; *at >= '0' && *at <= '9' && major < LLVM_VERSION_MIN; at++)
		major = major * 10 + (unsigned)(*at - '0');
	return major >= LLVM_VERSION_MIN || memmem(at, strcspn(at, "\n"), "trunk", strlen("trunk"));
}

static bool tools_is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* Search a folder for a program; "" means the folders of PATH. */
static bool search_folder(const char *folder, size_t n, const char *name, struct buf *path)
{
	path->len = 0;
	if (n) {
		buf_add(path, folder, n);
		buf_addf(path, "/%s", name);
		return tools_is_program(buf_text(path));
	}
	for (const char *dir = getenv("PATH"); dir; dir = strchr(dir, ':') ? strchr(dir, ':') + 1 : NULL) {
		size_t len = strcspn(dir, ":");

		path->len = 0;
		buf_add(path, len ? dir : ".", len ? len : 1);
		buf_addf(path, "/%s", name);
		if (tools_is_program(buf_text(path)))
			return true;
	}
	return false;
}

/* The length of the TOOL prefix of an entry; 0 if the entry is for all tools. */
static size_t tool_prefix_len(const char *entry, size_t n)
{
	static const char *const tools[] = { "llvm-symbolizer", "addr2line", "nm", "objdump" };

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		size_t len = strlen(tools[i]);

		if (n > len && entry[len] == ':' && memcmp(entry, tools[i], len) == 0)
			return len;
	}
	return 0;
}

/* Search the entries for this tool first, then those for all tools. */
static bool find_in_list(const char *list, const char *name, struct buf *path)
{
	static const char own[] = "objdump";

	for (int all = 0; all < 2; all++) {
		for (const char *entry = list; entry; entry = strchr(entry, ',') ? strchr(entry, ',') + 1 : NULL) {
			size_t n = strcspn(entry, ","), tool = tool_prefix_len(entry, n);

			if (all && tool == 0 && search_folder(entry, n, name, path))
				return true;
			if (!all && tool == sizeof(own) - 1 && memcmp(entry, own, tool) == 0 &&
			    search_folder(entry + tool + 1, n - tool - 1, name, path))
				return true;
		}
	}
	return false;
}

/* Is a program objdump, by its --version output? */
static bool is_objdump(const char *path, bool *is_llvm)
{
	struct buf out = { 0 };
	bool yes;

	yes = child_read((const char *const[]){ path, "--version", NULL }, VERSION_BYTES, VERSION_SECONDS, NULL, &out,
			 NULL) == 0;
	*is_llvm = yes && tools_is_llvm(buf_text(&out));
	yes = *is_llvm || (yes && strstr(buf_text(&out), "GNU objdump"));
	buf_release(&out);
	return yes;
}

int tools_find_objdump(const struct symbol_options *w, struct arena *mem, struct objdump *out, struct err *err)
{
	static const char *const names[] = { "llvm-objdump", "objdump" };
	struct buf path = { 0 };
	bool found = false;

	for (size_t i = 0; !found && i < sizeof(names) / sizeof(names[0]); i++)
		found = find_in_list(w->tools, names[i], &path) && is_objdump(buf_text(&path), &out->is_llvm);
	out->path = arena_move(mem, &path);
	if (found)
		return 0;
	return err_set(err, ERR_UNKNOWN,
		       "no objdump found in %s%s; install binutils or llvm, or set its folder with -tools=DIR",
		       *w->tools ? "-tools=" : "PATH", w->tools);
}
