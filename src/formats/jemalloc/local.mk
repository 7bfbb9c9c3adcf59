# src/formats/jemalloc - heap profiles of jemalloc

src_formats_libformats_a_SOURCES += \
	src/formats/jemalloc/jemalloc.h \
	src/formats/jemalloc/read.c
