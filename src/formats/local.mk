# src/formats - readers of all profile formats; each directory adds its files

noinst_LIBRARIES += src/formats/libformats.a
src_formats_libformats_a_CFLAGS = $(AM_CFLAGS) $(ZLIB_CFLAGS) $(DEFLATE_CFLAGS) $(ZSTD_CFLAGS) $(LZ4_CFLAGS) $(ISAL_CFLAGS)
src_formats_libformats_a_CPPFLAGS = $(AM_CPPFLAGS) -Iproto $(JANSSON_CFLAGS)
src_formats_libformats_a_SOURCES = \
	src/formats/formats.c \
	src/formats/formats.h

include src/formats/callgrind/local.mk
include src/formats/common/local.mk
include src/formats/dump/local.mk
include src/formats/firefox/local.mk
include src/formats/folded/local.mk
include src/formats/foreign/local.mk
include src/formats/jemalloc/local.mk
include src/formats/jfr/local.mk
include src/formats/json/local.mk
include src/formats/legacy/local.mk
include src/formats/otlp/local.mk
include src/formats/perf/local.mk
include src/formats/perfscript/local.mk
include src/formats/pprof/local.mk
include src/formats/push/local.mk
include src/formats/speedscope/local.mk
include src/formats/v8/local.mk
