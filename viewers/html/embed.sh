# embed.sh - convert files to one C string, with its SHA-256 for the content security policy
# SPDX-License-Identifier: Apache-2.0
#
# usage: embed.sh NAME FILE...; prints #define NAME and #define NAME_SUM. Strips indentation, empty lines, and comments
# on their own lines.

set -e
name=$1
shift
export LC_ALL=C
tmp=$(mktemp)
trap 'rm -f "$tmp"' EXIT
cat -- "$@" | sed -e 's/^	*//' -e '/^\/\*$/,/^ *\*\/$/d' -e '/^\/\*.*\*\/$/d' -e '/^\/\//d' -e '/^$/d' >"$tmp"
hex=$(sha256sum <"$tmp" | cut -d ' ' -f 1 | tr a-f A-F)
sum=$(printf %s "$hex" | basenc --base16 -d | base64)
[ ${#sum} -eq 44 ]
printf '#define %s_SUM "%s"\n#define %s \\\n' "$name" "$sum" "$name"
sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/?/\\?/g' -e 's/^/"/' -e 's/$/\\n" \\/' "$tmp"
echo
