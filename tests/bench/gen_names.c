/*
 * gen_names.c - names like in Go and C++ programs
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "gen_names.h"

#include <stdio.h>
#include <string.h>

enum { PACKAGE_BYTES = 96 };

/* clang-format off */
/* The functions on the two outermost levels. */
static const char *const entries[] = {
	"runtime.goexit", "runtime.mcall",
	"net/http.(*conn).serve", "main.main", "runtime.gcBgMarkWorker",
};

static const char *const std_packages[] = {
	"runtime", "net/http", "encoding/json", "bytes", "bufio", "compress/flate", "context",
	"crypto/tls", "database/sql", "fmt", "io", "internal/poll", "net", "reflect", "regexp",
	"sort", "strconv", "strings", "sync", "syscall", "text/template", "time", "math/big",
	"internal/runtime/maps",
};
static const char *const orgs[] = {
	"acme", "prometheus", "grpc-ecosystem", "hashicorp", "klauspost", "jackc", "cockroachdb",
	"uber",
};
static const char *const projects[] = {
	"shop", "pebble", "raft", "gateway", "billing", "catalog", "pgx", "compress", "tally",
	"search", "inventory", "ledger",
};
static const char *const folders[] = {
	"internal/store", "pkg/server", "internal/codec", "v2/client", "pkg/cache",
	"internal/plan", "api/v1", "internal/metrics", "pkg/queue", "internal/auth",
};
static const char *const namespaces[] = {
	"rocksdb", "folly", "absl", "std", "grpc_core", "leveldb", "arrow", "simdjson",
};
static const char *const types[] = {
	"Index", "Reader", "Writer", "Iterator", "Session", "Pool", "Buffer", "Encoder", "Decoder",
	"Batch", "Handler", "Router", "Scheduler", "Cursor", "Snapshot", "Builder", "Table",
	"Client", "Stream", "Codec",
};
static const char *const verbs[] = {
	"Read", "Write", "Lookup", "Append", "Encode", "Decode", "Flush", "Seek", "Next", "Merge",
	"Compact", "Serve", "Dispatch", "Validate", "Commit", "Apply", "Load", "Parse", "Hash",
	"Acquire", "Release", "Visit", "Resolve", "Scan",
};
static const char *const nouns[] = {
	"", "Block", "Row", "Key", "Value", "Header", "Frame", "Request", "Response", "Batch",
	"Entry", "Segment", "Page", "Token", "Record", "Bucket", "Range", "Path", "Chunk",
	"Column", "Filter", "Order", "Price", "Message",
};
static const struct cxx_args {
	const char *text, *mangled;
} cxx_args[] = {
	{ "()", "v" }, { "(int)", "i" }, { "(char const*, unsigned long)", "PKcm" },
	{ "(unsigned long)", "m" }, { "(void*, bool)", "Pvb" }, { "(unsigned int, int)", "ji" },
};
/* clang-format on */

static void go_package_name(char out[PACKAGE_BYTES], uint32_t package)
{
	uint32_t p = package - COUNT(std_packages);

	if (package < COUNT(std_packages))
		snprintf(out, PACKAGE_BYTES, "%s", std_packages[package]);
	else
		snprintf(out, PACKAGE_BYTES, "github.com/%s/%s/%s", orgs[p % COUNT(orgs)],
			 projects[p / COUNT(orgs) % COUNT(projects)],
			 folders[p / (COUNT(orgs) * COUNT(projects)) % COUNT(folders)]);
}

struct words {
	const char *type, *verb, *noun;
	uint32_t mix;
};

/* Three words, unique within the package: the mapping from numbers to words is a bijection. */
static struct words pick_words(const struct world *w, uint32_t f)
{
	uint32_t n = COUNT(types) * COUNT(verbs) * COUNT(nouns);
	uint32_t mix = (w->place[f] * 7919 + w->package[f] * 31) % n;

	return (struct words){ types[mix % COUNT(types)], verbs[mix / COUNT(types) % COUNT(verbs)],
			       nouns[mix / (COUNT(types) * COUNT(verbs))], mix };
}

static void go_name(char out[NAME_BYTES], const char *package, const struct words *x)
{
	static const char *const formats[] = {
		"%s.(*%s).%s%s",       "%s.(*%s).%s%s",         "%s.(*%s).%s%s",    "%s.%s.%s%s",
		"%s.(*%s).%s%s.func1", "%s.new%s%s%s",          "%s.(*%s).%s%s-fm", "%s.%s%s%s[go.shape.string]",
		"%s.(*%s[...]).%s%s",  "%s.(*%s).%s%s.func2.1",
	};

	/* the words select the format, so that different words make different names */
	snprintf(out, NAME_BYTES, formats[x->mix % COUNT(formats)], package, x->type, x->verb, x->noun);
}

static void cxx_names(char name[NAME_BYTES], char mangled[NAME_BYTES], uint32_t package, const struct words *x)
{
	const struct cxx_args *args = &cxx_args[x->mix % COUNT(cxx_args)];
	const char *ns = namespaces[package % COUNT(namespaces)];
	bool template = x->mix % 3 == 0;
	char inner[16];

	snprintf(inner, sizeof(inner), "detail%u", (unsigned)package);
	snprintf(name, NAME_BYTES, "%s::%s::%s%s::%s%s%s", ns, inner, x->type, template ? "<int>" : "", x->verb,
		 x->noun, args->text);
	snprintf(mangled, NAME_BYTES, "_ZN%zu%s%zu%s%zu%s%s%zu%s%sE%s", strlen(ns), ns, strlen(inner), inner,
		 strlen(x->type), x->type, template ? "IiE" : "", strlen(x->verb) + strlen(x->noun), x->verb, x->noun,
		 args->mangled);
}

void name_function(char name[NAME_BYTES], char mangled[NAME_BYTES], const struct world *w, uint32_t f)
{
	struct words words = pick_words(w, f);
	char package[PACKAGE_BYTES];

	mangled[0] = 0;
	go_package_name(package, w->package[f]);
	if (f < COUNT(entries))
		snprintf(name, NAME_BYTES, "%s", entries[f]);
	else if (world_mapping(w, w->package[f]))
		cxx_names(name, mangled, w->package[f], &words);
	else
		go_name(name, package, &words);
}

void name_file(char out[NAME_BYTES], const struct world *w, uint32_t f)
{
	uint32_t package = w->package[f], file = w->place[f] / FILE_FUNCS;
	const char *noun = nouns[1 + file % (COUNT(nouns) - 1)];
	char name[PACKAGE_BYTES];

	go_package_name(name, package);
	if (world_mapping(w, package))
		snprintf(out, NAME_BYTES, "/build/%s-%u/src/%s_%u.cc", namespaces[package % COUNT(namespaces)],
			 (unsigned)package, noun, (unsigned)file);
	else if (package < COUNT(std_packages))
		snprintf(out, NAME_BYTES, "/usr/local/go/src/%s/%s%u.go", name, noun, (unsigned)file);
	else
		snprintf(out, NAME_BYTES, "/root/go/pkg/mod/%s@v1.%u.0/%s%u.go", name, (unsigned)(package % 30), noun,
			 (unsigned)file);
}

void name_route(char out[NAME_BYTES], uint32_t i)
{
	snprintf(out, NAME_BYTES, "/api/v1/%s/{id}/%s%u", projects[i % COUNT(projects)],
		 nouns[1 + i % (COUNT(nouns) - 1)], (unsigned)i);
}
