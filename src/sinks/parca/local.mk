# src/sinks/parca - Parca and Polar Signals

src_sinks_libsinks_a_SOURCES += \
	src/sinks/parca/grpc.c \
	src/sinks/parca/parca.c \
	src/sinks/parca/parca.h \
	src/sinks/parca/parca_int.h \
	src/sinks/parca/request.c
