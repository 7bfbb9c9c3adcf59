# src/cli/gate - cpa gate: the exit status for CI if a function became slower

src_cpa_SOURCES += \
	src/cli/gate/discard.c \
	src/cli/gate/flame.c \
	src/cli/gate/gate.c \
	src/cli/gate/gate.h \
	src/cli/gate/self_test.c \
	src/cli/gate/write.c
