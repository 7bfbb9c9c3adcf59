# src/api - <cpa/pprof.h>: what a program that links libcpaprof.so can ask for
#
# The sources are part of that library (src/runtime/local.mk), with those of the collector.

include src/api/cpa/local.mk

api_sources = \
	src/api/asked.c \
	src/api/asked.h \
	src/api/collector.c \
	src/api/collector.h \
	src/api/cpu.c \
	src/api/custom.c \
	src/api/daemon.c \
	src/api/exit.c \
	src/api/handle.c \
	src/api/heap_rate.c \
	src/api/heap_rate.h \
	src/api/host.c \
	src/api/host.h \
	src/api/http.c \
	src/api/http.h \
	src/api/init.c \
	src/api/labels.c \
	src/api/locks.c \
	src/api/options.c \
	src/api/options.h \
	src/api/out.c \
	src/api/out.h \
	src/api/profiles.c \
	src/api/profiles.h \
	src/api/session.h \
	src/api/status.c \
	src/api/values.c \
	src/api/values.h

# The interface of gperftools, for programs that ask for it; without sanitizers, as the library.
lib_LIBRARIES += src/api/libcpaprof_gperf.a
src_api_libcpaprof_gperf_a_CFLAGS = -std=gnu17 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -fPIC
src_api_libcpaprof_gperf_a_SOURCES = src/api/gperf.c

pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = src/api/cpaprof.pc src/api/cpaprof-gperf.pc
