# src/collect - empties the segment of profiled processes, and makes profiles of it

noinst_LIBRARIES += src/collect/libcollect.a
src_collect_libcollect_a_SOURCES = \
	src/collect/alive.c \
	src/collect/build_id.c \
	src/collect/build_id.h \
	src/collect/collect.c \
	src/collect/collect.h \
	src/collect/collect_int.h \
	src/collect/counts.c \
	src/collect/counts.h \
	src/collect/elffile.c \
	src/collect/elffile.h \
	src/collect/elfnames.c \
	src/collect/elfnames.h \
	src/collect/gzip.c \
	src/collect/gzip.h \
	src/collect/how.c \
	src/collect/labels.c \
	src/collect/labels.h \
	src/collect/maps.c \
	src/collect/maps.h \
	src/collect/memory.c \
	src/collect/memory.h \
	src/collect/order.c \
	src/collect/order.h \
	src/collect/peek.c \
	src/collect/peek.h \
	src/collect/remarks.c \
	src/collect/remarks.h \
	src/collect/rings.c \
	src/collect/self.c \
	src/collect/snap.c \
	src/collect/snap.h \
	src/collect/space.c \
	src/collect/space.h \
	src/collect/strings.c \
	src/collect/strings.h \
	src/collect/sweep.c \
	src/collect/table.c \
	src/collect/table.h \
	src/collect/task.c \
	src/collect/task.h \
	src/collect/text.c \
	src/collect/text.h \
	src/collect/text_frames.c \
	src/collect/text_memory.c \
	src/collect/text_threads.c \
	src/collect/threads.c \
	src/collect/threads.h \
	src/collect/unseen.c \
	src/collect/waited.c \
	src/collect/waited.h \
	src/collect/write.c \
	src/collect/write.h
