#!/bin/sh
# t335-web-configs.t - saved configs and options of the command line in the web UI
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/page.sh"

export XDG_CONFIG_HOME="$tmp/config"
settings=$XDG_CONFIG_HOME/pprof/settings.json

# change METHOD PATH [TOKEN]: sets status, writes the answer to $tmp/page
change() {
	status=$(curl -s -g -m 60 -X "$1" -H "X-Cpa-Token: ${3-$token}" -o "$tmp/page" -w '%{http_code}' "$url/ui/$2")
}

# is STATUS NAME: checks the status of the last request
is() {
	[ "$status" = "$1" ] || cp "$tmp/page" "$tmp/note"
	[ "$status" = "$1" ]
	result $? "$2: $1"
}

page_start -symbolize=none -hide='^runtime' -cum go-cpu.pb.gz
page top
token=$(sed -n 's/.*name="token" content="\([^"]*\)".*/\1/p' "$tmp/page")
[ ! -e "$XDG_CONFIG_HOME" ]
result $? 'a page does not make the folder of saved configs'

change GET 'saveconfig?config=a'
is 405 'GET does not save'
change POST 'saveconfig?config=a' 00000000000000000000000000000000
is 403 'another token does not save'
change POST 'saveconfig?config='
is 400 'an empty name is refused'
has 'invalid config name'
result $? 'with the message of pprof'
change POST 'saveconfig?config=a&n=many'
is 400 'an invalid option is refused'
[ ! -e "$settings" ]
result $? 'nothing is written'

umask 022
change POST 'saveconfig?config=mine&f=depot&n=5&trim=f'
is 200 'a config is saved'
[ ! -s "$tmp/page" ]
result $? 'the response is empty'
[ "$(stat -c '%a' "$settings" "$XDG_CONFIG_HOME/pprof" "$XDG_CONFIG_HOME" | tr '\n' ' ')" = '644 700 700 ' ]
result $? 'the file has mode 644, its folders 700'
cat >"$tmp/want" <<'E2'
{
  "configs": [
    {
      "name": "mine",
      "unit": "minimum",
      "sort": "cum",
      "nodecount": 5,
      "nodefraction": 0.005,
      "edgefraction": 0.001,
      "focus": "depot",
      "hide": "^runtime"
    }
  ]
}
E2
printf '%s' "$(cat "$tmp/want")" | cmp - "$settings" >"$tmp/note" 2>&1
result $? 'the file has the options of the command line and of the request'
page top
has 'href="top?f=depot&amp;h=%5Eruntime&amp;n=5&amp;sort=cum&amp;trim=f"><bdi>mine</bdi>'
result $? 'the menu has the config'

page_stop
chmod 600 "$settings"
page_start -symbolize=none go-cpu.pb.gz
page 'top?trim=f&sort=cum&n=5&h=^runtime&f=depot'
has '<a aria-current="true" href="top?f=depot&amp;h=%5Eruntime&amp;n=5&amp;sort=cum&amp;trim=f"><bdi>mine</bdi>'
result $? 'another server offers it and marks it'
change DELETE 'deleteconfig?config=mine'
is 403 'the token of another start does not delete'
page top
token=$(sed -n 's/.*name="token" content="\([^"]*\)".*/\1/p' "$tmp/page")
change DELETE 'deleteconfig?config=mine'
is 200 'the config is deleted'
[ "$(stat -c %a "$settings")" = 600 ]
result $? 'the file keeps its mode'
change DELETE 'deleteconfig?config=mine'
is 400 'deleting it a second time is refused'
has 'config mine not found'
result $? 'with the message of pprof'
printf '{"configs": [' >"$settings"
change POST 'saveconfig?config=new'
is 400 'a file that cannot be parsed is not replaced'
[ "$(cat "$settings")" = '{"configs": [' ]
result $? 'its content remains'
page_stop

# the same numbers with an option switched off as without it
page_start -symbolize=none -focus=depot -cum -unit=ms go-cpu.pb.gz
page 'top.csv?off=f,sort,unit' '*/*'
"$CPA" top --csv -symbolize=none go-cpu.pb.gz >"$tmp/want"
cmp "$tmp/page" "$tmp/want" >"$tmp/note" 2>&1
result $? 'off= gives the numbers without the options of the command line'
page 'top.csv?f=route' '*/*'
"$CPA" top --csv -symbolize=none -focus=route -cum -unit=ms go-cpu.pb.gz >"$tmp/want"
cmp "$tmp/page" "$tmp/want" >"$tmp/note" 2>&1
result $? 'a parameter replaces an option of the command line'

# each command line of a page prints its numbers
for path in 'top?f=depot&h=^runtime' 'tree?i=json&n=7' 'peek?f=Planner' 'labels?tf=route' 'traces?f=depot'; do
	page "$path"
	sed -n 's/.*id="command">\(.*\)<\/code>.*/\1/p' "$tmp/page" | sed "s/&#39;/'/g; s/&amp;/\&/g" >"$tmp/command"
	page "${path%%\?*}.csv?${path#*\?}" '*/*'
	# shellcheck disable=SC2016 # for the other shell
	sed 's/^cpa \([a-z]*\)/"$CPA" \1 --csv/' "$tmp/command" >"$tmp/script"
	CPA=$CPA sh "$tmp/script" >"$tmp/want" 2>"$tmp/note"
	cmp "$tmp/page" "$tmp/want" >>"$tmp/note" 2>&1 || { cat "$tmp/command" >>"$tmp/note" && false; }
	result $? "the command line of $path prints its numbers"
done
page_stop
done_testing
