# tests/browser - pictures and pages in a headless Chromium
#
# To add a test, list it here; NAME.t draws files and runs NAME.py on them, or a script that starts cpa -http.

browser_tests = \
	tests/browser/t280-browser-access.t \
	tests/browser/t293-browser-loading.t \
	tests/browser/t295-browser-store.t

# Mostly the scripts of pages. script/test all runs them once, not also with sanitizers, which do not see scripts.
SCRIPT_TESTS = \
	tests/browser/t241-browser-svg.t \
	tests/browser/t251-browser-html.t \
	tests/browser/t266-browser-web-flame.t \
	tests/browser/t267-browser-menus.t \
	tests/browser/t285-browser-tables.t \
	tests/browser/t287-browser-graph.t \
	tests/browser/t288-browser-profiles.t \
	tests/browser/t290-browser-pages.t \
	tests/browser/t291-browser-random.t \
	tests/browser/t296-browser-numbers.t

browser_scripts = \
	tests/browser/access_pages.py \
	tests/browser/browser.py \
	tests/browser/browser.sh \
	tests/browser/flame_html.py \
	tests/browser/graph_pages.py \
	tests/browser/hostile.py \
	tests/browser/large.py \
	tests/browser/many.py \
	tests/browser/one_number.py \
	tests/browser/server.py \
	tests/browser/svg.py \
	tests/browser/table_pages.py \
	tests/browser/web_flame.py \
	tests/browser/web_loading.py \
	tests/browser/web_menus.py \
	tests/browser/web_pages.py \
	tests/browser/web_profiles.py \
	tests/browser/web_random.py \
	tests/browser/web_store.py

TESTS += $(browser_tests) $(SCRIPT_TESTS)
EXTRA_DIST += $(browser_tests) $(SCRIPT_TESTS) $(browser_scripts)
