#!/bin/sh
# Creates the root folder of the image: `root.sh BINARY NOTICES FOLDER`. The folder must not exist.
set -eu

if [ $# -ne 3 ]; then
    echo "root.sh: expected BINARY NOTICES FOLDER; found $# arguments" >&2
    exit 2
fi
binary=$1
notices=$2
root=$3
here=$(dirname "$0")
certificates=/etc/ssl/certs/ca-certificates.crt

if [ ! -x "$binary" ]; then
    echo "root.sh: no program at $binary; run 'make static' first" >&2
    exit 1
fi
if [ ! -r "$notices" ]; then
    echo "root.sh: no notices of licences at $notices; run 'make notices' first" >&2
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

documents="$root/usr/share/doc/daicho"
mkdir -p "$root/usr/bin" "$root/etc/ssl/certs" "$root/var/lib/daicho" "$root/tmp" "$documents"
cp "$binary" "$root/usr/bin/daicho"
cp "$here"/../../LICENSE* "$here/../../DATA-LICENCES.md" "$documents/"
cp "$notices" "$documents/THIRD-PARTY-NOTICES.txt"
cp -L "$certificates" "$root/etc/ssl/certs/"
echo 'daicho:x:65532:65532:daicho:/var/lib/daicho:/nonexistent' >"$root/etc/passwd"
echo 'daicho:x:65532:' >"$root/etc/group"
chmod 1777 "$root/tmp"
chown 65532:65532 "$root/var/lib/daicho"
