# src/source - where bytes come from

noinst_LIBRARIES += src/source/libsource.a
src_source_libsource_a_SOURCES = \
	src/source/fetch.h \
	src/source/source.c \
	src/source/source.h \
	src/source/url.h
