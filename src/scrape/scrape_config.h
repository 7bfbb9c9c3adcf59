/*
 * scrape_config.h - the configuration of the collector: collect.cpa, or the arguments of cpa collect
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SCRAPE_SCRAPE_CONFIG_H
#define SCRAPE_SCRAPE_CONFIG_H

#include "base/arena.h"
#include "base/err.h"
#include "sinks/sink.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCRAPE_FOLDER_DEFAULT "/debug/pprof"

enum {
	SCRAPE_JOBS_MAX = 10000,
	SCRAPE_KINDS_MAX = 32,       /* kinds of a job */
	SCRAPE_SOURCES_MAX = 100000, /* targets and lists of targets in a file */
	SCRAPE_FILE_MAX = 16 << 20,  /* bytes of a configuration file, or of a list of targets */
	SCRAPE_PUSH_RATE_DEFAULT = 50,
	SCRAPE_LIMIT_DEFAULT = 100, /* distinct values of a label, per service and day */
};

/* A profile that is scraped at intervals. */
struct scrape_kind {
	const char *name;   /* "cpu", "heap", ... */
	const char *path;   /* name in the folder: "profile" for cpu, else the name */
	int64_t every_ns;   /* interval between the starts of two scrapes */
	int64_t capture_ns; /* duration that is requested with seconds=; 0 for a snapshot */
};

enum scrape_source_type { SCRAPE_STATIC, SCRAPE_FILE, SCRAPE_DNS, SCRAPE_SRV };

/* A target, or a list of targets. */
struct scrape_source {
	enum scrape_source_type type;
	const char *address;             /* a target, a path, HOST:PORT or the name of an SRV record */
	const struct store_label *label; /* [n_labels] */
	size_t n_labels;
	uint32_t line; /* 0 for an argument */
};

/* Sources of the version of a program, in the order in which they are tried. */
enum scrape_version_source {
	SCRAPE_VERSION_LABEL,
	SCRAPE_VERSION_COMMENT,
	SCRAPE_VERSION_URL,
	SCRAPE_VERSION_BUILD_ID,
	N_SCRAPE_VERSION_SOURCES
};

/* Targets with the same settings. Strings are "" if they are not set. */
struct scrape_job {
	const char *name;                   /* the label service; "": the file name of the program in each profile */
	const struct scrape_source *source; /* [n_sources] */
	size_t n_sources;
	const struct scrape_kind *kind; /* [n_kinds] in the order of requests: captures first */
	size_t n_kinds;
	int64_t timeout_ns;              /* added to the duration of the capture */
	const struct store_label *label; /* [n_labels] sorted by name: those of the file, then of the job */
	size_t n_labels;
	const char *folder;                                                          /* path of the profiles */
	const char *tls_cert, *tls_key, *tls_ca, *header_file, *bearer_file, *netrc; /* as in struct fetch_options */
	bool honors_labels; /* labels of samples that have the name of a label of the series remain */
	enum scrape_version_source version[N_SCRAPE_VERSION_SOURCES]; /* [n_versions] */
	size_t n_versions;
	const char *version_url;   /* path on the server, "/version" */
	const char *version_field; /* path of a member in a JSON object, "git.commit"; "": the first line of the text */
};

/* A label that has its own number of distinct values per service and day. */
struct scrape_limit {
	const char *name;
	uint32_t n;
};

/* Rewrites values of a label: a match of the expression is replaced, the rest of the value remains. */
struct scrape_shape {
	const char *name, *pattern, *to;
};

/* A secret of a listener, and the services that its holders may push. */
struct scrape_secret {
	const char *file;
	const char *const *service; /* [n_services] patterns with * and ?; none: all */
	size_t n_services;
};

struct scrape_listen {
	const char *address;                /* "unix:auto", "unix:PATH", "HOST:PORT" */
	const struct scrape_secret *secret; /* [n_secrets] */
	size_t n_secrets;
	const char *tls, *client_ca; /* PEM files: certificate with key; authorities of clients */
	bool plain_text;             /* allow all addresses without TLS */
	uint32_t line;
};

/* The arguments of a cpa watch that runs beside the collector, on its store. */
struct scrape_watch {
	const char *const *word; /* [n] */
	size_t n;
	uint32_t line;
};

/* A system to which profiles are sent. */
struct scrape_sink {
	const char *name, *url, *match; /* match: "{env=prod}"; "" for all */
	struct sink_options options;
	uint64_t spool;   /* bytes; 0 for the default */
	const char *text; /* all words of the line, to find changes */
};

/* Protocols of pushes, as bits. */
enum { SCRAPE_PUSH_PPROF = 1, SCRAPE_PUSH_INGEST = 2, SCRAPE_PUSH_CONNECT = 4 };

/* Constant after reading. */
struct scrape_config {
	struct arena *mem;
	const char *file;              /* "" for arguments alone */
	const char *store;             /* directory; "" for the default */
	uint64_t cap;                  /* bytes; 0 for the value of the store */
	const char *retain;            /* lines, see store/local/write/retain.h; NULL for the rules of the store */
	const char *group;             /* members may read the store; "" for none */
	const char *const *keep_label; /* [n_keep_labels] sorted; none: labels of all names are kept */
	size_t n_keep_labels;
	const struct scrape_limit *limit; /* [n_limits] sorted by name */
	size_t n_limits;
	uint32_t limit_default;
	const struct scrape_shape *shape; /* [n_shapes] in order of the file */
	size_t n_shapes;
	const struct scrape_listen *listen; /* [n_listens] */
	size_t n_listens;
	const struct scrape_watch *watch; /* [n_watches] */
	size_t n_watches;
	const struct scrape_sink *sink; /* [n_sinks] */
	size_t n_sinks;
	unsigned push;                /* SCRAPE_PUSH_* */
	int64_t push_age_ns;          /* age up to which pushed profiles are accepted */
	uint32_t push_rate;           /* pushes per second and address of a client; 0: no limit */
	uint32_t shard, n_shards;     /* this collector scrapes the targets of shard 1..n_shards; 0 of 0: all */
	const struct scrape_job *job; /* [n_jobs] */
	size_t n_jobs;
};

/* Command line of cpa collect; "" or 0 if not given. */
struct scrape_arguments {
	const char *store, *cap, *every, *cpu, *kinds;
	const char *const *label; /* [n_labels] "K=V" or "K=V,K=V" */
	size_t n_labels;
	const char *const *keep_label; /* [n_keep_labels] "NAME" or "NAME,NAME" */
	size_t n_keep_labels;
	const char *const *listen; /* [n_listens] addresses */
	size_t n_listens;
	const char *const *target; /* [n_targets] */
	size_t n_targets;
	const char *dapr, *dendrite; /* addresses: targets with the service daprd or dendrite */
	bool continuous;
};

/*
 * Parse collect.cpa.
 *
 * text       [n]; a line is a keyword and its arguments, as in gate.cpa
 * arguments  options that replace values of the file, and more targets; NULL for none
 * out        released with scrape_config_unref
 * Fails      ERR_USAGE "FILE:LINE: problem; remedy"
 */
int scrape_config_parse(const char *text, size_t n, const char *file, const struct scrape_arguments *arguments,
			struct scrape_config **out, struct err *err);

/* Read a file (NULL: none) and the arguments. Fails like scrape_config_parse, and with ERR_IO. */
int scrape_config_read(const char *file, const struct scrape_arguments *arguments, struct scrape_config **out,
		       struct err *err);

/* The configuration is freed with its last reference. Callable by any thread; unref takes NULL. */
struct scrape_config *scrape_config_ref(struct scrape_config *c);
void scrape_config_unref(struct scrape_config *c);

#endif
