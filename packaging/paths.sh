#!/bin/sh
# Fails if a program names folders of the machine that built it: paths.sh PROGRAM.
set -eu

if [ $# -ne 1 ] || [ ! -f "$1" ]; then
    echo "paths.sh: expected PROGRAM, an existing file; found '$*'" >&2
    exit 2
fi
root=$(cd "$(dirname "$0")/.." && pwd)
for folder in "${CARGO_HOME:-$HOME/.cargo}" "${RUSTUP_HOME:-$HOME/.rustup}" "$root/src" "$root/core" "$root/build-tools" \
    "$root/target"; do
    if grep -aqF -e "$folder/" "$1"; then
        echo "paths.sh: expected no folder of this machine in $1; found $folder/; build it with 'make static'" >&2
        exit 1
    fi
done
