#!/usr/bin/env python3
"""Writes the licences and copyright notices of every crate in the program: notices.py FILE [TARGET].

The crates are those that `cargo metadata` names for this target as normal dependencies with the default features; the
texts are the files in the crates themselves. A text that several crates share is written once. The same sources give
the same bytes. It fails if a crate has neither a file nor a licence whose text is known here.
"""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

FILE_NAME = re.compile(r"(un)?licen[cs]es?|copying|notice|copyright|patents", re.IGNORECASE)

# Sources and documents whose names begin like that of a licence.
OTHER_SUFFIXES = {".rs", ".c", ".h", ".py", ".go", ".html", ".json", ".toml", ".yml", ".sh"}

# Folders of a crate that are not compiled into the program.
OTHER_FOLDERS = {"tests", "test", "benches", "examples", "fuzz", "contrib", "doc", "docs"}

HEADER = """\
Third-party notices of daicho

The program daicho contains the packages below. Each has its licence, where its source is, and the numbers of its texts:
licences and copyright notices as the package has them. The texts follow the list. The notices of official data are in
DATA-LICENCES.md.
"""

SHARED_LICENCE = "MPL-2.0"

MIT = """\
Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""


def main():
    if len(sys.argv) not in (2, 3):
        found = len(sys.argv) - 1
        sys.exit(f"notices.py: expected FILE [TARGET]; found {found} arguments")
    target = sys.argv[2] if len(sys.argv) == 3 else host()
    metadata = cargo_metadata(target)
    crates = [with_texts(crate) for crate in in_program(metadata)]
    crates = [*with_shared_texts(crates), *libraries_of_the_toolchain(target)]
    out = pathlib.Path(sys.argv[1])
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(document(crates), encoding="utf-8")
    print(f"wrote the notices of {len(crates)} packages to {out}")


def output(*command):
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def host():
    return re.search(r"^host: (.*)$", output("rustc", "-vV"), re.MULTILINE).group(1)


def cargo_metadata(target):
    options = ("--locked", "--format-version", "1", "--filter-platform", target)
    return json.loads(output("cargo", "metadata", *options))


def in_program(metadata):
    """The packages that the program depends on, without those of this repository, by name and version."""
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    found, queue = set(), [metadata["resolve"]["root"]]
    while queue:
        for dependency in nodes[queue.pop()]["deps"]:
            is_normal = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if is_normal and dependency["pkg"] not in found:
                found.add(dependency["pkg"])
                queue.append(dependency["pkg"])
    others = found - set(metadata["workspace_members"])
    return sorted((packages[id] for id in others), key=lambda crate: (crate["name"], crate["version"]))


def with_texts(crate):
    folder = pathlib.Path(crate["manifest_path"]).parent
    texts = texts_in(folder, crate.get("license_file"))
    name, licence = crate["name"], crate["license"] or "see its text"
    if not texts and licence != SHARED_LICENCE:
        texts = standard_texts(name, licence, crate["authors"])
    source = crate["repository"] or crate["homepage"] or f"the package {name} of crates.io"
    return f"{name} {crate['version']}", licence, source, texts


def with_shared_texts(crates):
    """Gives crates under the MPL that have no file the text of another one: it names no holder."""
    shared = [texts for _, licence, _, texts in crates if licence == SHARED_LICENCE and texts]
    for name, licence, source, texts in crates:
        if not texts and not shared:
            sys.exit(f"notices.py: expected a file with the {licence} in a crate; found none; add it to {name}")
        yield name, licence, source, texts or shared[0]


def texts_in(folder, named=None):
    """The texts of the files of licences in a folder, in the order of their paths."""
    paths = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and FILE_NAME.match(path.name)
        and path.suffix.lower() not in OTHER_SUFFIXES
        and not OTHER_FOLDERS.intersection(path.relative_to(folder).parts[:-1])
    )
    if named and folder / named not in paths:
        paths.append(folder / named)
    texts = (clean(path.read_text(encoding="utf-8", errors="replace")) for path in paths)
    return [text for text in texts if text and not is_unused_alternative(text)]


def clean(text):
    lines = (line.rstrip() for line in text.replace("\f", "").splitlines())
    return "\n".join(lines).strip("\n") + "\n" if text.strip() else ""


def is_unused_alternative(text):
    """Whether a text is of the GPL, which some libraries in C offer beside the licence under which they are used here."""
    begin = " ".join(text.split()[:12]).upper()
    return "GNU GENERAL PUBLIC LICENSE" in begin or "GNU LESSER GENERAL" in begin


def standard_texts(name, licence, authors):
    """The text of the licence of a crate that has no file."""
    options = {part.strip("() ") for part in re.split(r"\bOR\b|/", licence)}
    if "MIT" in options:
        holders = ", ".join(authors) or f"the authors of {name}"
        return [f"Copyright (c) {holders}\n\n{MIT}"]
    if "Apache-2.0" in options:
        return [clean((ROOT / "LICENSE-APACHE").read_text(encoding="utf-8"))]
    sys.exit(f"notices.py: expected a file with the licence in {name}, or MIT or Apache-2.0; found {licence!r} without "
             "a file; add its text to this script")


def libraries_of_the_toolchain(target):
    """What the toolchain links into the program beside the crates."""
    version = output("rustc", "--version").split()[1]
    licence = "MIT OR Apache-2.0"
    texts = standard_texts("Rust", licence, ["The Rust Project Developers"])
    source = "https://github.com/rust-lang/rust"
    yield f"The standard library of Rust {version}", licence, source, texts
    if target.endswith("-musl"):
        texts = standard_texts("musl", "MIT", ["2005-2020 Rich Felker, et al."])
        yield "musl", "MIT", "https://musl.libc.org", texts


def document(crates):
    numbers, entries = {}, []
    for name, licence, source, texts in crates:
        # Texts that differ only in their line breaks are the same.
        keys = [numbers.setdefault(" ".join(text.split()), (len(numbers) + 1, text))[0] for text in texts]
        keys = ", ".join(str(number) for number in sorted(set(keys)))
        entries.append(f"{name}\n    {licence}\n    {source}\n    texts: {keys}\n")
    texts = (f"{'-' * 80}\n[{number}]\n\n{text}" for number, text in numbers.values())
    return "\n".join([HEADER, *entries, *texts])


if __name__ == "__main__":
    main()
