#!/bin/sh
# Writes the MCP bundle of a program, which agents install, and the entry for the registry of MCP servers with the
# checksum of the bundle: bundle.sh PROGRAM NOTICES NAME FOLDER writes FOLDER/NAME.mcpb and FOLDER/server.json.
set -eu

if [ $# -ne 4 ] || [ ! -f "$1" ] || [ ! -f "$2" ] || [ ! -d "$4" ]; then
    echo "bundle.sh: expected PROGRAM NOTICES NAME FOLDER, two existing files, a name and an existing folder; found '$*'" >&2
    exit 2
fi
program=$1 notices=$2 name=$3 folder=$4
here=$(dirname "$0")

# A zip whose members have a fixed time, so that the same program gives the same bytes.
python3 - "$program" "$notices" "$here/manifest.json" "$folder/$name.mcpb" <<'PYTHON'
import sys, zipfile

program, notices, manifest, bundle = sys.argv[1:]
members = [
    ("manifest.json", manifest, 0o644),
    ("THIRD-PARTY-NOTICES.txt", notices, 0o644),
    ("server/daicho", program, 0o755),
]
with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    for name, path, mode in members:
        member = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        member.external_attr = (0o100000 | mode) << 16
        member.compress_type = zipfile.ZIP_DEFLATED
        with open(path, "rb") as file:
            archive.writestr(member, file.read())
PYTHON

sum=$(sha256sum "$folder/$name.mcpb" | cut -d ' ' -f 1)
sed -e "s/\"fileSha256\": \"0*\"/\"fileSha256\": \"$sum\"/" -e "s|/daicho-[^/]*\.mcpb\"|/$name.mcpb\"|" \
    "$here/server.json" >"$folder/server.json"
