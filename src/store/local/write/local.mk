# src/store/local/write - appends profiles to a store, within its quota

src_store_libstore_a_SOURCES += \
	src/store/local/write/cap.c \
	src/store/local/write/cap.h \
	src/store/local/write/file.c \
	src/store/local/write/flush.c \
	src/store/local/write/journal_write.c \
	src/store/local/write/retain.c \
	src/store/local/write/retain.h \
	src/store/local/write/seen.c \
	src/store/local/write/spool.c \
	src/store/local/write/spool.h \
	src/store/local/write/spool_state.h \
	src/store/local/write/writer.c \
	src/store/local/write/writer.h \
	src/store/local/write/writer_journal.h \
	src/store/local/write/writer_state.h
