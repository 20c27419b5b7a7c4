#!/bin/sh
# Stands for a C compiler and an archiver of another system in `make platforms`. `cargo check` links nothing, so it writes
# empty files: those after -o, and libraries. What the preprocessor says, by which build scripts recognise a compiler,
# comes from the compiler of this machine.
case " $* " in *" -E "*) exec cc "$@" ;; esac
previous=
for argument in "$@"; do
    case "$argument" in *.a|*.lib) : >"$argument" ;; esac
    [ "$previous" = -o ] && : >"$argument"
    previous=$argument
done
exit 0
