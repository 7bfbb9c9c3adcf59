# tests/shell - the full-screen shell: keys in, screens as text out
#
# To add a test, add its name here. Golden files are distributed with the folder.

shell_tests = \
	tests/shell/t310-frame.t \
	tests/shell/t311-top.t \
	tests/shell/t312-calls.t \
	tests/shell/t320-prompt.t \
	tests/shell/t321-pickers.t \
	tests/shell/t323-help.t \
	tests/shell/t324-save.t \
	tests/shell/t330-tree.t \
	tests/shell/t340-flame.t \
	tests/shell/t350-source.t \
	tests/shell/t360-asm.t \
	tests/shell/t370-traces.t \
	tests/shell/t380-labels.t \
	tests/shell/t390-live.t \
	tests/shell/terminal.t

TESTS += $(shell_tests)
EXTRA_DIST += $(shell_tests) tests/shell/lib.sh tests/shell/golden tests/shell/grand_calls.py \
	tests/shell/terminal.py

# A screen that lists events, for terminal.t.
check_PROGRAMS += tests/shell/screen_probe
tests_shell_screen_probe_LDADD = src/front/shell/libshell.a viewers/flame/libflame.a src/report/libreport.a \
	$(base_libs)
