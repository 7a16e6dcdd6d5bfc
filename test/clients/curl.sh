#!/bin/sh
# A client that uses curl, sed and awk. session.mjs describes its steps.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
grant='grant_type=client_credentials'

by_body() { curl -s "$BASE/auth/token" -d "$grant" -d "client_id=$CLIENT_ID" --data-urlencode "client_secret=$1"; }
by_basic() { curl -s "$BASE/auth/token" -d "$grant" -u "$CLIENT_ID:$1"; }
text() { sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }
number() { sed "s/.*\"$1\":\([0-9]*\).*/\1/"; }
header() { tr -d '\r' <"$folder/headers" | sed -n "s/^$1: //Ip"; }

body=$(by_body "$CLIENT_SECRET")
basic=$(by_basic "$CLIENT_SECRET")
token=$(echo "$basic" | text access_token)

# Prints the status; writes the headers and the body to files.
get() { curl -s -o "$folder/body" -D "$folder/headers" -w '%{http_code}' -H "Authorization: Bearer $token" "$@" "$BASE/stock"; }

get >/dev/null
cp "$folder/body" "$folder/plain"
etag=$(header ETag)
again=$(get -H "If-None-Match: $etag")
get --compressed -H 'Accept-Encoding: gzip' >/dev/null
encoding=$(header Content-Encoding)
same=$(cmp -s "$folder/body" "$folder/plain" && echo true || echo false)
skus=$(tr '{' '\n' <"$folder/plain" | sed -n 's/.*"SKU":\("[^"]*"\).*/\1/p' | paste -sd,)
last=$(header X-Last-SKU | LC_ALL=C awk '
  BEGIN { for (i = 1; i < 256; i++) byte[sprintf("%%%02X", i)] = sprintf("%c", i) }
  { while (match($0, /%[0-9A-F][0-9A-F]/)) { printf "%s%s", substr($0, 1, RSTART - 1), byte[substr($0, RSTART, 3)]; $0 = substr($0, RSTART + 3) } print }')
complete=$(case $skus in *"\"$last\"") echo true ;; *) echo false ;; esac)
calls=0
while status=$(get) && [ "$status" = 200 ] && [ $calls -lt 50 ]; do calls=$((calls + 1)); done
wait=$([ "$(header Retry-After)" -gt 0 ] && echo true || echo false)

lower() { tr '[:upper:]' '[:lower:]'; }
cat <<REPORT
{"types":["$(echo "$body" | text token_type | lower)","$(echo "$basic" | text token_type | lower)"],
"expires":[$(echo "$body" | number expires_in),$(echo "$basic" | number expires_in)],
"wrong":["$(by_body wrong | text error)","$(by_basic wrong | text error)"],
"skus":[$skus],"complete":$complete,"again":$again,"gzip":["$encoding",$same],
"quota":[$status,$wait,"$(text message <"$folder/body")"]}
REPORT
