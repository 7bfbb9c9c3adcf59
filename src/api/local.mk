# src/api - <cpa/pprof.h>: what a program that links libcpaprof.so can ask for
#
# The sources are part of that library (src/runtime/local.mk), with those of the collector.

include src/api/cpa/local.mk

pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = src/api/cpaprof.pc
