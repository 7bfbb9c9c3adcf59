# src/source - where bytes come from

noinst_LIBRARIES += src/source/libsource.a
src_source_libsource_a_SOURCES = \
	src/source/curl.c \
	src/source/curl.h \
	src/source/fetch.c \
	src/source/fetch.h \
	src/source/judge.c \
	src/source/judge.h \
	src/source/secrets.c \
	src/source/secrets.h \
	src/source/source.c \
	src/source/source.h \
	src/source/transfer.c \
	src/source/transfer.h \
	src/source/url.c \
	src/source/url.h \
	src/source/url_query.c \
	src/source/url_query.h
