# src/formats/otlp - OpenTelemetry profiles

src_formats_libformats_a_SOURCES += \
	src/formats/otlp/attributes.c \
	src/formats/otlp/fields.c \
	src/formats/otlp/frames.c \
	src/formats/otlp/json.c \
	src/formats/otlp/otlp.h \
	src/formats/otlp/otlp_int.h \
	src/formats/otlp/read.c \
	src/formats/otlp/samples.c \
	src/formats/otlp/sources.c \
	src/formats/otlp/tables.c \
	src/formats/otlp/write.c
