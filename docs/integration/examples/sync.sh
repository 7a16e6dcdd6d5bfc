#!/bin/sh
# Fetches the data that has changed, with curl and awk. Set BASE_URL, CLIENT_ID and CLIENT_SECRET. The folder STATE
# holds the data.
#
# Exits with 20 at a new API profile, and with 21 if a fifth of the elements would disappear (--allow-removals).
set -eu
api_version=2026-04 # the API profile that this script expects
pause=2             # seconds before the first retry
case " $* " in *' --allow-removals '*) allow_removals=1 ;; *) allow_removals= ;; esac
umask 077
state=${STATE:-customer-data}
mkdir -p "$state"
work=$(mktemp -d "$state/.work.XXXXXX")
# Every user of this machine can see the arguments of curl. curl therefore reads secrets from files.
secrets=$(mktemp -d)
trap 'rm -rf "$work" "$secrets"' EXIT
trap 'exit 1' HUP INT TERM
printf %s "$CLIENT_SECRET" >"$secrets/key"
token=

log() { echo "$*" >&2; }

# send URL ARGUMENTS...: runs curl. Retries after 429, 5xx, a connection error or a truncated response. Sets $status,
# and writes the headers and the body to files in $work.
send() {
  url=$1
  attempt=0
  while :; do
    rm -f "$work/headers"
    : >"$work/body"
    status=$(curl -sS --compressed --max-time 900 -D "$work/headers" -o "$work/body" -w '%{http_code}' "$@") || status=0
    ! is_data || is_complete || status=truncated
    case $status in 429 | 0 | truncated | 5??) ;; *) return ;; esac
    attempt=$((attempt + 1))
    [ $attempt -lt 6 ] || { log "Gave up after $attempt attempts: $status"; exit 1; }
    wait=$(header Retry-After)
    # Without Retry-After, wait about 2, 4, 8 … seconds. The random part spreads the retries of many clients.
    case $wait in
    '' | *[!0-9]*)
      random=$(od -An -N2 -tu2 /dev/urandom) # from 0 to 65535; awk has no better seed than the time
      wait=$(awk -v n=$attempt -v pause=$pause -v r="$random" 'BEGIN { print pause * 2 ^ (n - 1) * (0.5 + r / 65535) }')
      ;;
    esac
    log "Status $status; retrying in $wait s"
    sleep "$wait"
  done
}

is_data() { case "$status $(header Content-Type)" in 200\ application/x-ndjson*) ;; *) return 1 ;; esac }

# True if the response is complete: its last line is {"End":true} (/changes) or the element that X-Last-SKU names.
# The JSON of a SKU escapes only quotes and backslashes.
is_complete() {
  [ -z "$(tail -c 1 "$work/body")" ] || return # The last line is incomplete.
  case $url in */changes) [ "$(tail -n 1 "$work/body")" = '{"End":true}' ]; return ;; esac
  tail -n 1 "$work/body" | LC_ALL=C awk -v last="$(header X-Last-SKU)" '
    BEGIN {
      for (i = 1; i < 256; i++) byte[sprintf("%%%02X", i)] = (i == 34 || i == 92 ? "\\" : "") sprintf("%c", i)
      while (match(last, /%[0-9A-F][0-9A-F]/)) {
        decoded = decoded substr(last, 1, RSTART - 1) byte[substr(last, RSTART, 3)]
        last = substr(last, RSTART + 3)
      }
    }
    match($0, /"SKU":"([^"\\]|\\.)*"/) { sku = substr($0, RSTART + 7, RLENGTH - 8) }
    END { exit (decoded last != sku) }'
}

header() { tr -d '\r' <"$work/headers" 2>/dev/null | awk -F': ' -v name="$1" 'tolower($1) == tolower(name) { print $2 }'; }

new_token() {
  send "$BASE_URL/auth/token" -d grant_type=client_credentials \
    --data-urlencode "client_id=$CLIENT_ID" --data-urlencode "client_secret@$secrets/key"
  [ "$status" = 200 ] || { log "No token: $status $(cat "$work/body")"; exit 1; }
  token=$(sed 's/.*"access_token":"\([^"]*\)".*/\1/' "$work/body")
  printf 'Authorization: Bearer %s\n' "$token" >"$secrets/authorization"
}

# apply_changes RESPONSE OLD: applies a response of /changes to the old elements, and prints the result. A complete
# response replaces all of them.
apply_changes() {
  LC_ALL=C awk '
    function sku_of(element) { match(element, /"SKU":"([^"\\]|\\.)*"/); return substr(element, RSTART + 6, RLENGTH - 6) }
    function value() { return substr($0, index($0, ":") + 1, length($0) - index($0, ":") - 1) }
    FILENAME == ARGV[1] && FNR == 1 { complete = /"Complete":true/ }
    FILENAME == ARGV[1] && /^."Changed":/ { skus[++count] = sku_of(value()); changed[skus[count]] = value() }
    FILENAME == ARGV[1] && /^."Gone":/ { gone[value()] }
    FILENAME == ARGV[1] || complete { next }
    { sku = sku_of($0) }
    sku in changed { print changed[sku]; delete changed[sku]; next }
    !(sku in gone)
    END { for (i = 1; i <= count; i++) if (skus[i] in changed) print changed[skus[i]] }' "$1" "$2"
}

# Counts new, changed and gone elements. Each element is a line, and its SKU is the key.
compare() {
  awk -v name="$3" '
    { match($0, /"SKU":"([^"\\]|\\.)*"/); sku = substr($0, RSTART, RLENGTH) }
    FILENAME == ARGV[1] { old[sku] = $0; before++; next }
    { all++; if (!(sku in old)) new++; else { same++; if (old[sku] != $0) changed++ } }
    END { printf "%s: %d new, %d changed, %d gone, %d in all\n", name, new, changed, before - same, all }' "$1" "$2"
}

# get PATH
get() {
  for try in first second; do
    [ -n "$token" ] || new_token
    send "$BASE_URL$1" -H "@$secrets/authorization" -H 'Accept: application/x-ndjson' -H "If-None-Match: $tag"
    [ "$status" = 401 ] || break
    token= # The token is no longer valid: request one new token.
  done
}

check_version() {
  tag=
  get /api/version
  found=$(sed -n 's/.*"apiVersion":"\([^"]*\)".*/\1/p' "$work/body")
  [ "$status" = 200 ] && [ -n "$found" ] || { log "/api/version: $status $(cat "$work/body")"; exit 1; }
  [ "$found" = $api_version ] && return
  log "The service has API profile $found, but this script expects $api_version." \
    "Read the changelog, then change api_version."
  exit 20
}

# check_removals OLD NEW NAME: stops if a fifth or more of the old elements are not in the new file.
check_removals() {
  [ -z "$allow_removals" ] || return 0
  awk -v name="$3" '
    { match($0, /"SKU":"([^"\\]|\\.)*"/); sku = substr($0, RSTART, RLENGTH) }
    FILENAME == ARGV[1] { old[sku]; before++; next }
    sku in old { same++ }
    END {
      gone = before - same
      if (!gone || gone * 5 < before) exit
      printf "%s: %d of %d elements would disappear, so the stored data was kept. ", name, gone, before
      print "If they are really gone, run the script with --allow-removals."
      exit 21
    }' "$1" "$2" >&2 || exit
}

sync() {
  file=$state/$1.ndjson
  tag=
  [ -f "$file" ] && [ -f "$state/$1.etag" ] && tag=$(cat "$state/$1.etag")
  get "/$1/changes"
  [ "$status" != 404 ] || get "/$1" # An older release of the service has only whole responses.
  # A 200 with another type comes from a proxy and contains no products.
  [ "$status" != 200 ] || is_data || status="200 of another type"
  case $status in
  304) echo "$1: unchanged" ;;
  200)
    [ -f "$file" ] || : >"$file"
    case $url in
    */changes) apply_changes "$work/body" "$file" >"$work/new" ;;
    *) cp "$work/body" "$work/new" ;;
    esac
    check_removals "$file" "$work/new" "$1"
    compare "$file" "$work/new" "$1"
    # This order is safe if the script is killed: the ETag file belongs to the stored data, or does not exist.
    rm -f "$state/$1.etag"
    mv "$work/new" "$file"
    printf %s "$(header ETag)" >"$work/etag"
    mv "$work/etag" "$state/$1.etag"
    ;;
  *)
    log "$1: $status $(cat "$work/body")"
    exit 1
    ;;
  esac
}

check_version
for endpoint in products prices stock; do sync $endpoint; done
