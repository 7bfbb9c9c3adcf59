# src/store/parca - Parca: its servers as stores

src_store_libstore_a_SOURCES += \
	src/store/parca/parca.c \
	src/store/parca/parca.h \
	src/store/parca/parca_int.h \
	src/store/parca/range.c
