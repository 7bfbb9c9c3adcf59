# src/store/gcp - Google's Cloud Profiler as a store

src_store_libstore_a_SOURCES += \
	src/store/gcp/chapters.c \
	src/store/gcp/gcp_store.c \
	src/store/gcp/gcp_store.h \
	src/store/gcp/gcp_store_int.h \
	src/store/gcp/list.c
