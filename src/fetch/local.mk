# src/fetch - read profiles from files and servers

noinst_LIBRARIES += src/fetch/libfetch.a
src_fetch_libfetch_a_SOURCES = \
	src/fetch/ask.c \
	src/fetch/ask.h \
	src/fetch/fetch.h \
	src/fetch/folder.c \
	src/fetch/folder.h \
	src/fetch/secrets.c \
	src/fetch/secrets.h \
	src/fetch/source.c \
	src/fetch/source.h \
	src/fetch/url.c \
	src/fetch/url.h
if WITH_CURL
src_fetch_libfetch_a_SOURCES += src/fetch/curl.c src/fetch/curl.h src/fetch/fetch.c src/fetch/loop.c src/fetch/loop.h src/fetch/transfer.c src/fetch/transfer.h
else
src_fetch_libfetch_a_SOURCES += src/fetch/missing.c
endif
