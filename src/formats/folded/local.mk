# src/formats/folded - folded stacks

src_formats_libformats_a_SOURCES += \
	src/formats/folded/folded.h \
	src/formats/folded/read.c
