# src/api - <cpa/pprof.h>: what a program that links libcpaprof.so can ask for
#
# The sources are part of that library (src/runtime/local.mk), with those of the collector.

include src/api/cpa/local.mk

# The interface of gperftools, for programs that ask for it; without sanitizers, as the library.
lib_LIBRARIES += src/api/libcpaprof_gperf.a
src_api_libcpaprof_gperf_a_CFLAGS = -std=gnu17 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -fPIC
src_api_libcpaprof_gperf_a_SOURCES = src/api/gperf.c

pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = src/api/cpaprof.pc src/api/cpaprof-gperf.pc
