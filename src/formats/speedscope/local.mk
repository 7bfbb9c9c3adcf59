# src/formats/speedscope - files of speedscope.app

src_formats_libformats_a_SOURCES += \
	src/formats/speedscope/read.c \
	src/formats/speedscope/speedscope.h
