# src/sources - from arguments to a sealed profile

noinst_LIBRARIES += src/sources/libsources.a
src_sources_libsources_a_SOURCES = \
	src/sources/bundle.c \
	src/sources/bundle.h \
	src/sources/load.c \
	src/sources/load.h \
	src/sources/process.c \
	src/sources/process.h \
	src/sources/profile_server.c \
	src/sources/profile_server.h \
	src/sources/read.c \
	src/sources/read.h \
	src/sources/remote.c \
	src/sources/remote.h \
	src/sources/rewrite.c \
	src/sources/rewrite.h \
	src/sources/save.c \
	src/sources/save.h \
	src/sources/series.c \
	src/sources/series.h \
	src/sources/series_read.c \
	src/sources/sides.c \
	src/sources/sides.h \
	src/sources/sides_join.c \
	src/sources/sides_split.c \
	src/sources/sources.c \
	src/sources/sources.h \
	src/sources/stored.c \
	src/sources/stored.h \
	src/sources/stored_browse.c \
	src/sources/stored_browse.h \
	src/sources/stored_due.c \
	src/sources/stored_labels.c \
	src/sources/stored_labels.h \
	src/sources/stored_release.c \
	src/sources/stored_split.c \
	src/sources/stored_totals.c \
	src/sources/stored_totals.h \
	src/sources/stored_traffic.c \
	src/sources/sums.c \
	src/sources/sums.h \
	src/sources/symbolize.c \
	src/sources/symbolize.h \
	src/sources/symbolz.c
