#!/bin/sh
# t295-browser-store.t - choose windows of a store in a browser: dragging, fields, without scripts
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/browser/browser.sh"

export CPA
CPA_STORE=$tmp/store
export CPA_STORE
"$CPA" store import --label=env=prod gate/base-?.pb.gz >"$tmp/import" 2>&1 || echo "Bail out! $(cat "$tmp/import")"
browser web_store.py
