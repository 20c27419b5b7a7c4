#!/bin/sh
# `make image`: builds the image daicho:latest with podman, buildah or docker, whichever works here. If none
# works, builds its root folder in target/image and runs the program in it as a test.
set -eu

dockerfile=packaging/docker/Dockerfile

if command -v podman >/dev/null && podman info >/dev/null 2>&1; then
    exec podman build -f "$dockerfile" -t daicho .
elif command -v buildah >/dev/null && buildah info >/dev/null 2>&1; then
    exec buildah build -f "$dockerfile" -t daicho .
elif command -v docker >/dev/null && docker info >/dev/null 2>&1; then
    exec docker build -f "$dockerfile" -t daicho .
fi

echo 'podman, buildah and docker cannot build here; building the root folder of the image instead'
make static notices
rm -rf target/image
sh packaging/docker/root.sh target/static/daicho target/THIRD-PARTY-NOTICES.txt target/image
tar --numeric-owner -C target/image -cf target/daicho-root.tar .
chroot --userspec=65532:65532 target/image /usr/bin/daicho --version
chroot --userspec=65532:65532 target/image /usr/bin/daicho build included --out /var/lib/daicho/snapshots
state=/tmp/try.db
chroot --userspec=65532:65532 target/image /usr/bin/daicho account create try --plan standard --state "$state"
chroot --userspec=65532:65532 target/image /usr/bin/daicho key create --account try --kind secret --state "$state"
rm -f "target/image$state"*
echo 'tested the program in target/image; import target/daicho-root.tar with docker import'
