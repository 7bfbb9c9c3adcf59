# src/libcpaprof/api - <cpa/pprof.h>: functions for programs that link libcpaprof.so
#
# The sources are part of that library (src/libcpaprof/target/local.mk), with those of the collector.

include src/libcpaprof/api/cpa/local.mk

api_sources = \
	src/libcpaprof/api/env_profiles.c \
	src/libcpaprof/api/env_profiles.h \
	src/libcpaprof/api/collector.c \
	src/libcpaprof/api/collector.h \
	src/libcpaprof/api/context.c \
	src/libcpaprof/api/context.h \
	src/libcpaprof/api/context_attributes.c \
	src/libcpaprof/api/context_records.c \
	src/libcpaprof/api/cpu.c \
	src/libcpaprof/api/profiles.c \
	src/libcpaprof/api/handle.c \
	src/libcpaprof/api/rates.h \
	src/libcpaprof/api/host.c \
	src/libcpaprof/api/http.c \
	src/libcpaprof/api/http.h \
	src/libcpaprof/api/init.c \
	src/libcpaprof/api/labels.c \
	src/libcpaprof/api/rates.c \
	src/libcpaprof/api/options.c \
	src/libcpaprof/api/options.h \
	src/libcpaprof/api/out.c \
	src/libcpaprof/api/out.h \
	src/libcpaprof/api/cpu.h \
	src/libcpaprof/api/status.c

# The interface of gperftools, for programs that use it; without sanitizers, like the library.
lib_LIBRARIES += src/libcpaprof/api/libcpaprof_gperf.a
src_libcpaprof_api_libcpaprof_gperf_a_CFLAGS = -std=gnu17 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -fPIC
src_libcpaprof_api_libcpaprof_gperf_a_SOURCES = src/libcpaprof/api/gperf.c

pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = src/libcpaprof/api/cpaprof.pc src/libcpaprof/api/cpaprof-gperf.pc
