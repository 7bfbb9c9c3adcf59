# src/store/local/catalogue - index.db: which segments, series, marks and pins a store has

src_store_libstore_a_SOURCES += \
	src/store/local/catalogue/catalogue.c \
	src/store/local/catalogue/catalogue.h \
	src/store/local/catalogue/catalogue_int.h \
	src/store/local/catalogue/catalogue_pages.c \
	src/store/local/catalogue/catalogue_read.c \
	src/store/local/catalogue/catalogue_write.c
