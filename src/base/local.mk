# src/base - general utilities of the analysis program

noinst_LIBRARIES += src/base/libbase.a
src_base_libbase_a_CFLAGS = $(AM_CFLAGS) $(PCRE2_CFLAGS) $(JANSSON_CFLAGS) $(ZSTD_CFLAGS) $(LZ4_CFLAGS)
src_base_libbase_a_SOURCES = \
	src/base/amount.c \
	src/base/amount.h \
	src/base/arena.c \
	src/base/arena.h \
	src/base/base64.c \
	src/base/base64.h \
	src/base/buf.c \
	src/base/buf.h \
	src/base/child.c \
	src/base/child.h \
	src/base/cond.c \
	src/base/cond.h \
	src/base/err.c \
	src/base/err.h \
	src/base/hash.c \
	src/base/hash.h \
	src/base/http.c \
	src/base/http.h \
	src/base/idtab.c \
	src/base/idtab.h \
	src/base/io.c \
	src/base/io.h \
	src/base/jansson.c \
	src/base/jansson.h \
	src/base/jsonw.c \
	src/base/jsonw.h \
	src/base/library.c \
	src/base/library.h \
	src/base/lz4.c \
	src/base/lz4.h \
	src/base/mem.c \
	src/base/mem.h \
	src/base/num.h \
	src/base/opt.c \
	src/base/opt.h \
	src/base/path.c \
	src/base/path.h \
	src/base/pcre2.c \
	src/base/pcre2.h \
	src/base/pool.c \
	src/base/pool.h \
	src/base/regex.c \
	src/base/regex.h \
	src/base/regex_syntax.c \
	src/base/regex_syntax.h \
	src/base/search.h \
	src/base/stop.c \
	src/base/stop.h \
	src/base/str.h \
	src/base/strtab.c \
	src/base/strtab.h \
	src/base/utf8.c \
	src/base/utf8.h \
	src/base/string_list.h \
	src/base/unit.c \
	src/base/unit.h \
	src/base/url_escape.c \
	src/base/url_escape.h \
	src/base/words.c \
	src/base/words.h \
	src/base/zstd.c \
	src/base/zstd.h
