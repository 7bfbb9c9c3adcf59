# src/formats/callgrind - call costs of Valgrind

src_formats_libformats_a_SOURCES += \
	src/formats/callgrind/callgrind.h \
	src/formats/callgrind/names.c \
	src/formats/callgrind/names.h \
	src/formats/callgrind/read.c
