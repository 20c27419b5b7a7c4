#!/bin/sh
# `make release`: writes the files of a release to target/release-files: an archive with the static binary, manual pages,
# completions and units; the .deb; the bundle for agents with its entry for the registry of MCP servers; the list of
# packages (SBOM); checksums and their signature. TARGET is that of `make static`.
set -eu

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
out=target/release-files
rm -rf "$out"
mkdir -p "$out"

make static notices pages ${TARGET:+"TARGET=$TARGET"}
machine=${TARGET:-$(uname -m)}
machine=${machine%%-*}
name="daicho-$version-$machine-linux"
folder="$out/$name"
mkdir -p "$folder"
cp target/static/daicho README.md README.ja.md CHANGELOG.md DATA-LICENCES.md LICENSE LICENSE-APACHE LICENSE-MIT \
    target/THIRD-PARTY-NOTICES.txt "$folder/"
cp -r target/pages/man target/pages/completions packaging/systemd packaging/monitoring "$folder/"
# Reproducible archive: fixed times, owners and order.
date=$(git log -1 --format=%cI)
tar --sort=name --mtime="$date" --owner=0 --group=0 --numeric-owner -C "$out" -cf - "$name" | xz -9 >"$out/$name.tar.xz"
rm -r "$folder"

sh packaging/mcp/bundle.sh target/static/daicho target/THIRD-PARTY-NOTICES.txt "$name" "$out"

if [ "$machine" != "$(uname -m)" ]; then
    echo "release.sh: skipped the .deb: it is built on a machine with $machine" >&2
elif cargo deb --version >/dev/null 2>&1; then
    cargo deb --no-build --no-strip --output "$out/"
else
    echo 'release.sh: skipped the .deb: cargo-deb is not installed; run: cargo install cargo-deb' >&2
fi

# The packages in the binary, with versions and licences, in CycloneDX format.
if cargo cyclonedx --version >/dev/null 2>&1; then
    cargo cyclonedx --format json --spec-version 1.5 --target "${TARGET:-$(rustc -vV | sed -n 's/^host: //p')}" --override-filename daicho-sbom
    mv daicho-sbom.json "$out/daicho-$version-sbom.cdx.json"
    rm -f core/daicho-sbom.json build-tools/daicho-sbom.json tests/needs/daicho-sbom.json
else
    echo 'release.sh: skipped the list of packages (SBOM): cargo-cyclonedx is not installed; run: cargo install cargo-cyclonedx' >&2
fi

sh packaging/sign.sh "$out"
