# tests/browser - pictures and pages in a headless Chromium
#
# A new test: its name here; NAME.t draws files and hands them to NAME.py.

browser_tests = \
	tests/browser/t241-browser-svg.t \
	tests/browser/t251-browser-html.t

TESTS += $(browser_tests)
EXTRA_DIST += $(browser_tests) tests/browser/browser.py tests/browser/browser.sh \
	tests/browser/flame_html.py \
	tests/browser/hostile.py tests/browser/large.py tests/browser/many.py tests/browser/svg.py
