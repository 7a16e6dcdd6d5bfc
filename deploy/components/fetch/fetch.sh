#!/bin/sh
# Fetches what an import job needs into the current folder, complete or not at all. If this script fails, Kubernetes
# does not start the import. `source` is a remote of rclone.conf. FILES is the path of a file or a folder there.
# FILES.sha256 is the output of `sha256sum` for each file, with paths as in the source.
# Usage: FILES=… CHECKSUMS=required|none sh fetch.sh FOLDER-OF-RCLONE.CONF
set -eu
config=$1

copy() { # ARGUMENT...
  # Without the option, rclone would trust any SFTP server. An option wins over rclone.conf.
  rclone --config "$config/rclone.conf" --sftp-known-hosts-file "$config/known_hosts" "$@" ||
    fail "rclone could not fetch it; the lines above have the reason."
}

fail() { # REASON
  echo "$FILES: nothing was imported: $1" >&2
  exit 1
}

if [ "$CHECKSUMS" = none ]; then
  copy copyto "source:$FILES" "$FILES"
  exit
fi
copy copyto "source:$FILES.sha256" "$FILES.sha256"
# Some storages have no error for a missing path.
[ -s "$FILES.sha256" ] || fail "the source has no $FILES.sha256, or it is empty."
# After 64 digits, a space, and a space or an asterisk, each line has a path.
cut -c 67- "$FILES.sha256" > files
copy copy --files-from-raw files source: .
sha256sum -c "$FILES.sha256" || fail "the files do not match $FILES.sha256; a delivery may be in progress."
