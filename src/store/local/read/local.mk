# src/store/local/read - answers queries of a store

src_store_libstore_a_SOURCES += \
	src/store/local/read/each.c \
	src/store/local/read/listing.c \
	src/store/local/read/listing.h \
	src/store/local/read/local.c \
	src/store/local/read/local.h \
	src/store/local/read/nearest.c \
	src/store/local/read/read.c \
	src/store/local/read/read_tier.c \
	src/store/local/read/read_tier.h \
	src/store/local/read/reduce.c \
	src/store/local/read/reduce.h \
	src/store/local/read/reduce_chapter.c \
	src/store/local/read/reduce_columns.c \
	src/store/local/read/reduce_forest.c \
	src/store/local/read/reduce_int.h \
	src/store/local/read/reduce_join.c \
	src/store/local/read/reduce_mean.c \
	src/store/local/read/reduce_order.c \
	src/store/local/read/reduce_profile.c \
	src/store/local/read/reduce_series.c \
	src/store/local/read/reduce_slice.c \
	src/store/local/read/reduce_slot.c \
	src/store/local/read/reduce_state.c \
	src/store/local/read/reduce_sum.c \
	src/store/local/read/select.c \
	src/store/local/read/select.h \
	src/store/local/read/select_samples.c \
	src/store/local/read/select_time.c \
	src/store/local/read/totals.c
