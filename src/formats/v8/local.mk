# src/formats/v8 - profiles of V8: Node.js, Deno, Chromium

src_formats_libformats_a_SOURCES += \
	src/formats/v8/nodes.c \
	src/formats/v8/profile.c \
	src/formats/v8/samples.c \
	src/formats/v8/trace.c \
	src/formats/v8/v8.h \
	src/formats/v8/v8_int.h
