#!/bin/sh
# Writes SHA256SUMS, the checksums of the files of a folder, and signs it with the OpenSSH key DAICHO_SIGNING_KEY.
# packaging/README.md says how to check both.
set -eu

if [ $# -ne 1 ] || [ ! -d "$1" ]; then
    echo "sign.sh: expected one folder of files; found '$*'" >&2
    exit 2
fi
cd "$1"

rm -f SHA256SUMS SHA256SUMS.sig
set -- *
if [ ! -e "$1" ]; then
    echo 'sign.sh: expected files to sign; found an empty folder' >&2
    exit 1
fi
sha256sum -- "$@" >SHA256SUMS
cat SHA256SUMS

if [ -z "${DAICHO_SIGNING_KEY:-}" ]; then
    echo 'sign.sh: skipped the signature: set DAICHO_SIGNING_KEY to the file of an OpenSSH key' >&2
elif ! ssh-keygen -Y sign -f "$DAICHO_SIGNING_KEY" -n file SHA256SUMS; then
    echo "sign.sh: cannot sign with $DAICHO_SIGNING_KEY: expected the file of a private OpenSSH key" >&2
    exit 1
fi
