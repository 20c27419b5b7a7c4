#!/bin/sh
# Creates the root folder of the image: `root.sh BINARY FOLDER`. The folder must not exist.
set -eu

if [ $# -ne 2 ]; then
    echo "root.sh: expected BINARY FOLDER; found $# arguments" >&2
    exit 2
fi
binary=$1
root=$2
certificates=/etc/ssl/certs/ca-certificates.crt

if [ ! -x "$binary" ]; then
    echo "root.sh: no program at $binary; run 'make static' first" >&2
    exit 1
fi
if [ ! -r "$certificates" ]; then
    echo "root.sh: no root certificates at $certificates; install the package ca-certificates" >&2
    exit 1
fi
if [ -e "$root" ]; then
    echo "root.sh: $root exists; remove it or name another folder" >&2
    exit 1
fi

mkdir -p "$root/usr/bin" "$root/etc/ssl/certs" "$root/var/lib/daicho" "$root/tmp"
cp "$binary" "$root/usr/bin/daicho"
cp -L "$certificates" "$root/etc/ssl/certs/"
echo 'daicho:x:65532:65532:daicho:/var/lib/daicho:/nonexistent' >"$root/etc/passwd"
echo 'daicho:x:65532:' >"$root/etc/group"
chmod 1777 "$root/tmp"
chown 65532:65532 "$root/var/lib/daicho"
