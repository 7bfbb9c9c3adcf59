#!/bin/sh
# t295-browser-store.t - choose windows of a store in a browser: dragging, fields, without scripts
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/browser/browser.sh"

export CPA
CPA_STORE=$tmp/store
export CPA_STORE
"$CPA" store import --label=env=prod gate/base-?.pb.gz >"$tmp/import" 2>&1 || echo "Bail out! $(cat "$tmp/import")"
"$CPA" store mark base deploy 2.4.1 --time=2026-11-22T09:19 && "$CPA" store mark base watch 'cpu PASS deploy 2.4.1' --time=2026-11-22T09:19:30 &&
	"$CPA" store mark base watch 'cpu FAIL +31% <img>' --time=2026-11-22T09:20 || exit 1
browser web_store.py
