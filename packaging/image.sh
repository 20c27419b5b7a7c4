#!/bin/sh
# `make image`: the image daicho:latest by podman, buildah or docker, whichever can build here. Where none
# can, its root folder is made by hand in target/image and the program is started in it.
set -eu

dockerfile=packaging/docker/Dockerfile

if command -v podman >/dev/null && podman info >/dev/null 2>&1; then
    exec podman build -f "$dockerfile" -t daicho .
elif command -v buildah >/dev/null && buildah info >/dev/null 2>&1; then
    exec buildah build -f "$dockerfile" -t daicho .
elif command -v docker >/dev/null && docker info >/dev/null 2>&1; then
    exec docker build -f "$dockerfile" -t daicho .
fi

echo 'neither podman nor buildah nor docker can build here; making the root folder of the image by hand'
make static
rm -rf target/image
sh packaging/docker/root.sh target/static/daicho target/image
tar --numeric-owner -C target/image -cf target/daicho-root.tar .
chroot --userspec=65532:65532 target/image /usr/bin/daicho --version
chroot --userspec=65532:65532 target/image /usr/bin/daicho build included --out /var/lib/daicho/snapshots
state=/tmp/try.db
chroot --userspec=65532:65532 target/image /usr/bin/daicho account create try --plan standard --state "$state"
chroot --userspec=65532:65532 target/image /usr/bin/daicho key create --account try --kind secret --state "$state"
rm -f "target/image$state"*
echo 'the program runs in target/image; target/daicho-root.tar is that folder, for docker import'
