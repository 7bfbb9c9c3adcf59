/*
 * write.h - the output formats of a snap
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_WRITE_WRITE_H
#define LIBCPAPROF_COLLECTOR_WRITE_WRITE_H

#include "libcpaprof/collector/read/maps.h"
#include "libcpaprof/collector/snap.h"

/* Times in ns; time_ns since 1970. Texts are NULL if there are none. */
struct snap_header {
	uint64_t time_ns, duration_ns, period;
	struct snap_value_type period_type;
	const char *drop_frames, *default_type;
};

/*
 * The parts of a snap, as functions that write_snap_parts calls in this order: types, header, comments, mappings,
 * locations, texts, samples. Locations and mappings are numbered from 0. Texts are valid during the call, arrays of a
 * sample until sample_end.
 */
struct snap_parts {
	void (*type)(void *arg, const char *name, const char *unit);
	void (*header)(void *arg, const struct snap_header *h);
	void (*comment)(void *arg, const char *text);
	/* path: [m->n_path]; id: [m->n_id] */
	void (*mapping)(void *arg, const struct map *m, const char *path, const char *id);
	/* A location, then its functions, innermost first. map: number of its mapping + 1; 0: none */
	void (*location)(void *arg, uint64_t addr, uint32_t map);
	void (*line)(void *arg, const struct snap_name *name);
	void (*location_end)(void *arg);
	/* Each text of the labels of all samples, in their order, also repeated ones; then texts_end. NULL: not wanted */
	void (*text)(void *arg, const char *text, size_t n);
	void (*texts_end)(void *arg);
	/* A sample, then its labels. loc: [n] leaf first; value: [n_values] */
	void (*sample)(void *arg, const uint32_t *loc, size_t n, const int64_t *value, size_t n_values);
	void (*label)(void *arg, const char *key, size_t n_key, const char *value, size_t n_value);
	void (*number)(void *arg, const char *key, uint64_t value);
	void (*sample_end)(void *arg);
};

/* Call the functions for a snap. names: as for write_snap. Returns 0 or -ENOMEM. */
int write_snap_parts(const struct snap *s, snap_names_fn *names, void *names_arg, const struct snap_parts *to,
		     void *arg);

/*
 * Write a snap.
 *
 * debug   0: profile.proto, compressed with gzip; 1, 2: text in the format of Go's runtime/pprof (2: thread by thread)
 * names   NULL: addresses only (text then has addresses and mappings). In profile.proto names are hints: mappings are
 *         not marked as having functions, so readers look up names in the files if they have them, else use the hints
 * Returns 0, -errno, or the error of the sink; -EINVAL for a CPU profile as text, which does not exist
 */
int write_snap(const struct snap *s, int debug, snap_names_fn *names, void *names_arg, snap_sink_fn *sink, void *arg);

/* The implementation of write_snap for one format. */
int write_snap_proto(const struct snap *s, snap_names_fn *names, void *names_arg, snap_sink_fn *sink, void *arg);
int write_snap_text(const struct snap *s, int debug, snap_names_fn *names, void *names_arg, snap_sink_fn *sink,
		    void *arg);

/*
 * Write a CPU profile: 64-bit words, then the mappings. Returns 0, or the error of the sink.
 *
 * Like    gperftools' docs/cpuprofile-fileformat.html
 */
int write_snap_legacy(const struct snap *s, snap_sink_fn *sink, void *arg);

#endif
