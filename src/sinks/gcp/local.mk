# src/sinks/gcp - Google's Cloud Profiler

src_sinks_libsinks_a_SOURCES += \
	src/sinks/gcp/body.c \
	src/sinks/gcp/gcp.c \
	src/sinks/gcp/gcp.h \
	src/sinks/gcp/gcp_int.h \
	src/sinks/gcp/response.c
