#!/bin/sh
# Nightly sync with curl and awk. Needs BASE_URL, CLIENT_ID, CLIENT_SECRET; keeps its state in the folder STATE.
set -eu
umask 077
state=${STATE:-customer-data}
mkdir -p "$state"
work=$(mktemp -d "$state/.work.XXXXXX")
# What is secret goes to curl in files: its arguments are for everybody on the machine to see.
secrets=$(mktemp -d)
trap 'rm -rf "$work" "$secrets"' EXIT
trap 'exit 1' HUP INT TERM
printf %s "$CLIENT_SECRET" >"$secrets/key"
token=

log() { echo "$*" >&2; }

# send ARGUMENTS...: calls curl until there is an answer that another try would not mend, and says its status.
# Headers and body are in $work. An answer that was cut is none: curl then fails.
send() {
  attempt=0
  while :; do
    rm -f "$work/headers"
    status=$(curl -sS --compressed --max-time 900 -D "$work/headers" -o "$work/body" -w '%{http_code}' "$@") || status=0
    case $status in 429 | 0 | 5??) ;; *) return ;; esac
    attempt=$((attempt + 1))
    [ $attempt -lt 6 ] || { log "Given up after $attempt attempts, the last one: $status"; exit 1; }
    wait=$(header Retry-After)
    # Without a number of seconds: 2, 4, 8 … of them, and a bit by chance, so that not all come back at once.
    case $wait in
    '' | *[!0-9]*) wait=$(awk -v n=$attempt -v seed=$$ 'BEGIN { srand(seed + n); print 2 ^ n * (0.5 + rand()) }') ;;
    esac
    log "Status $status; again in $wait s"
    sleep "$wait"
  done
}

header() { tr -d '\r' <"$work/headers" 2>/dev/null | awk -F': ' -v name="$1" 'tolower($1) == tolower(name) { print $2 }'; }

new_token() {
  send "$BASE_URL/auth/token" -d grant_type=client_credentials \
    --data-urlencode "client_id=$CLIENT_ID" --data-urlencode "client_secret@$secrets/key"
  [ "$status" = 200 ] || { log "No token: $status $(cat "$work/body")"; exit 1; }
  token=$(sed 's/.*"access_token":"\([^"]*\)".*/\1/' "$work/body")
  printf 'Authorization: Bearer %s\n' "$token" >"$secrets/authorization"
}

# How many elements are new, changed and gone. SKU is the key, and each element is a line.
compare() {
  awk -v name="$3" '
    { match($0, /"SKU":"([^"\\]|\\.)*"/); sku = substr($0, RSTART, RLENGTH) }
    FILENAME == ARGV[1] { old[sku] = $0; before++; next }
    { all++; if (!(sku in old)) new++; else { same++; if (old[sku] != $0) changed++ } }
    END { printf "%s: %d new, %d changed, %d gone, %d in all\n", name, new, changed, before - same, all }' "$1" "$2"
}

sync() {
  file=$state/$1.ndjson
  tag=
  [ -f "$file" ] && [ -f "$state/$1.etag" ] && tag=$(cat "$state/$1.etag")
  for try in first second; do
    [ -n "$token" ] || new_token
    send "$BASE_URL/$1" -H "@$secrets/authorization" -H 'Accept: application/x-ndjson' -H "If-None-Match: $tag"
    [ "$status" = 401 ] || break
    token= # It has expired: a new one, once.
  done
  # Something in between may answer in good order, and what it says is no product.
  case "$status $(header Content-Type)" in 200\ application/x-ndjson*) ;; 200*) status="200 of another type" ;; esac
  case $status in
  304) echo "$1: unchanged" ;;
  200)
    cp "$work/body" "$work/new"
    [ -f "$file" ] || : >"$file"
    compare "$file" "$work/new" "$1"
    # In this order the tag never speaks of another file than the one beside it, whenever this is killed.
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

for endpoint in products prices stock; do sync $endpoint; done
