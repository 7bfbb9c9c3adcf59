# src/formats/pprof - profile.proto

src_formats_libformats_a_SOURCES += \
	src/formats/pprof/annotate.c \
	src/formats/pprof/cursor.h \
	src/formats/pprof/idmap.c \
	src/formats/pprof/packed.c \
	src/formats/pprof/pprof.h \
	src/formats/pprof/proto.c \
	src/formats/pprof/proto_int.h \
	src/formats/pprof/proto_label_sets.c \
	src/formats/pprof/proto_labels.c \
	src/formats/pprof/proto_pipeline.h \
	src/formats/pprof/proto_sample.c \
	src/formats/pprof/proto_spans.c \
	src/formats/pprof/proto_spans.h \
	src/formats/pprof/proto_stream.c \
	src/formats/pprof/write.c
