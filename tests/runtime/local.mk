# tests/runtime - programs under cpa run: what they used is in their profiles, and they behave as alone

runtime_tests = \
	tests/runtime/t100-cpu.t \
	tests/runtime/t110-shares.t \
	tests/runtime/t120-odd.t \
	tests/runtime/t130-refused.t \
	tests/runtime/t140-stress.t

TESTS += $(runtime_tests)
EXTRA_DIST += $(runtime_tests) tests/runtime/burn.c tests/runtime/lib.sh tests/runtime/odd.c \
	tests/runtime/scribble.c \
	tests/runtime/stress.c
