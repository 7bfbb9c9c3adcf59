/*
 * config_int.h - internals shared by the files that parse collect.cpa
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SCRAPE_CONFIG_INT_H
#define SCRAPE_CONFIG_INT_H

#include "base/words.h"
#include "scrape/scrape_config.h"

#include <stdatomic.h>

/* The configuration with its reference count. */
struct scrape_config_counted {
	struct scrape_config config; /* first */
	atomic_uint refs;
};

/* The line of a kind: "cpu 30s every=1m", "block off". */
struct kind_setting {
	const char *name;
	enum { KIND_DEFAULT, KIND_ON, KIND_OFF } state;
	int64_t every_ns;   /* 0: that of the job */
	int64_t capture_ns; /* 0: default */
};

/* A job that is being read, or the defaults of all jobs. Arrays are in the arena of the configuration. */
struct job_draft {
	struct scrape_job job;
	uint32_t line; /* 0 for arguments */
	int64_t every_ns;
	const char **kind; /* [n_kinds] of the keyword kinds */
	size_t n_kinds;
	struct kind_setting *setting; /* [n_settings] */
	size_t n_settings;
};

struct scrape_parser {
	struct scrape_config *c;
	const struct scrape_arguments *arguments; /* NULL for none */
	struct job_draft defaults;
	struct job_draft *job;    /* NULL before the first job */
	size_t n_sources, n_pods; /* of all jobs */
	bool is_plain_text;
};

/* The draft to which lines apply now. */
static inline struct job_draft *scrape_config_draft(struct scrape_parser *p)
{
	return p->job ? p->job : &p->defaults;
}

/* Room for element n of an array in the arena; the array moves when n is a power of two. */
void *scrape_config_grow(struct arena *mem, const void *array, size_t n, size_t size);

/* Parse a line of a job, or of the defaults. Fails with ERR_UNKNOWN, without a message, if the keyword belongs to the file. */
int scrape_config_job_line(struct scrape_parser *p, const struct words *w, struct err *err);

/* Parse a line that applies to the whole file. Fails like scrape_config_job_line. */
int scrape_config_file_line(struct scrape_parser *p, const struct words *w, struct err *err);

/* Parse a line: sink NAME URL [KEY=VALUE]... */
int scrape_config_sink(struct scrape_parser *p, const struct words *w, struct err *err);

/* Make the kinds of a draft final. */
int scrape_config_finish_kinds(struct scrape_parser *p, struct job_draft *d, struct err *err);

/* Is it "K=V" with a valid name of a label? */
bool scrape_config_is_label(const char *word);

/* Add the label "K=V" to an array sorted by name; a label of the same name is replaced. */
int scrape_config_add_label(struct arena *mem, const struct store_label **label, size_t *n, const char *word,
			    const struct words *w, struct err *err);

/* Parse a duration of a line. */
int scrape_config_duration(const struct words *w, const char *text, int64_t min, int64_t max, int64_t *out,
			   struct err *err);

/* "expected USAGE" with file and line. */
int scrape_config_usage(const struct words *w, const char *usage, struct err *err);

#endif
