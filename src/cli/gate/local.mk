# src/cli/gate - the exit status for CI: did a function become slower?

src_cpa_SOURCES += \
	src/cli/gate/flame.c \
	src/cli/gate/gate.c \
	src/cli/gate/gate.h \
	src/cli/gate/self_test.c \
	src/cli/gate/write.c
