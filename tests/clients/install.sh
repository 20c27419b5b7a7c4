#!/bin/sh
# Installs the client libraries and the tools that tests run from their registries (npm, PyPI), each version once, into
# target/tools. target/tools/installed has a marker for each complete folder; without it its tests are ignored.
set -eu
cd "$(dirname "$0")/../.."
tools=$PWD/target/tools
mkdir -p "$tools/installed"

# Runs a command that fills the folder $1, unless its marker names the versions $2.
install() {
    name=$1 versions=$2
    shift 2
    marker=$tools/installed/$name
    if [ -e "$marker" ] && [ "$(cat "$marker")" = "$versions" ]; then return; fi
    echo "installing $name for the tests"
    rm -rf "$marker" "${tools:?}/$name"
    mkdir -p "$tools/$name"
    if "$@"; then printf '%s\n' "$versions" > "$marker";
    else echo "SKIPPED: cannot install $name; its tests are ignored" >&2; fi
}

npm_packages() {
    folder=$1
    shift
    mkdir -p "$folder"
    npm install --prefix "$folder" --no-save --no-package-lock --no-audit --no-fund --ignore-scripts --fetch-retries=1 --silent "$@"
}

python_packages() {
    folder=$1
    shift
    python3 -m venv "$folder" &&
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --retries=1 "$@"
}

javascript_clients() {
    for version in $JAVASCRIPT; do npm_packages "$tools/javascript-clients/$version" "@ken-all/kenall@$version" || return; done
}

python_clients() {
    for version in $PYTHON; do python_packages "$tools/python-clients/$version" "kenallclient==$version" || return; done
}

esbuild() {
    cp src/forms/assets/package.json "$tools/esbuild/" && npm_packages "$tools/esbuild"
}

COMPAT='jsdom@29.1.1 jquery@3.8.0 yubinbango-core@0.6.3 yubinbango-core2@0.6.3 japan-postal-code@0.3.0 jsonp@0.2.1 jquery-jpostal-ja@2.14.73 use-postal-jp@2.0.2 react@17.0.2 react-test-renderer@17.0.2 @geolonia/normalize-japanese-addresses@3.1.3 normalize-japanese-addresses-2@npm:@geolonia/normalize-japanese-addresses@2.10.1 fast-xml-parser@5.12.1'
KENDAMA='kendama==0.1.4'
JAVASCRIPT='2.4.0 2.2.0 1.9.1'
PYTHON='1.2.0 1.1.0 1.0.0'
COMPAT_PYTHON='jpzip==0.1.2'
OPENAPI='openapi-spec-validator==0.9.0 schemathesis==4.32.5'
MCP='mcp==2.3.0'
install javascript-clients "$JAVASCRIPT" javascript_clients
install python-clients "$PYTHON" python_clients
# shellcheck disable=SC2086 # Several requirements.
install openapi-tools "$OPENAPI" python_packages "$tools/openapi-tools" $OPENAPI
install mcp-sdk "$MCP" python_packages "$tools/mcp-sdk" "$MCP"
# shellcheck disable=SC2086 # Several packages.
install compat-clients "$COMPAT" npm_packages "$tools/compat-clients" $COMPAT
# shellcheck disable=SC2086 # Several packages.
install compat-python "$COMPAT_PYTHON" python_packages "$tools/compat-python" $COMPAT_PYTHON
install kendama "$KENDAMA" python_packages "$tools/kendama" "$KENDAMA"
install esbuild "$(cat src/forms/assets/package.json)" esbuild
