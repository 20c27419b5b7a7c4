//! No two source files import each other, directly or around several files.
//!
//! Each file is parsed; an arrow leads from it to every file whose items it names. A re-export
//! (`pub use`) is no arrow of its own: whoever names the item through it names the file that defines
//! it. Unit tests do not count. Names inside macro calls are found as text, by `crate::`, `super::` and `self::`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree, Visibility};

use super::{code_of_tests, root, rust_files};

/// A module as its path in the crate: `["snapshot", "open"]` for `src/snapshot/open.rs`.
type Module = Vec<String>;

/// What one file declares and names.
#[derive(Default)]
struct Source {
    path: PathBuf,
    /// Child modules that are files.
    children: BTreeSet<String>,
    /// Absolute paths named by the code.
    named: BTreeSet<Module>,
    /// What the names that `use` brings in stand for.
    imported: BTreeMap<String, Module>,
    /// Paths as they are written, until all imports are known.
    written: BTreeSet<Vec<String>>,
    /// Public names that stand for an item of another module.
    exported: BTreeMap<String, Module>,
}

#[test]
fn no_circle_of_files() {
    for folder in ["src", "build-tools/src"] {
        let sources = parse(&root().join(folder));
        assert!(sources.len() > 30, "{folder} was read");
        let circles = circles(&arrows(&sources));
        assert!(circles.is_empty(), "files that import each other:\n{}", circles.join("\n"));
    }
}

/// Every file below a folder that is not made of unit tests.
fn parse(folder: &Path) -> BTreeMap<Module, Source> {
    let mut sources = BTreeMap::new();
    for path in rust_files(folder) {
        let inside = path.strip_prefix(folder).expect("below the folder");
        if code_of_tests(&path) || inside.components().any(|part| part.as_os_str() == "tests") {
            continue;
        }
        let module = module_of(inside);
        let text = std::fs::read_to_string(&path).expect("a source file");
        let file = syn::parse_file(&text).expect("it compiles");
        let source = Source { path: inside.to_owned(), ..Source::default() };
        let mut reader = Reader { module: module.clone(), source };
        reader.visit_file(&file);
        reader.resolve_written();
        sources.insert(module, reader.source);
    }
    sources
}

/// `snapshot/open.rs` and `snapshot/mod.rs` to their modules; `lib.rs` and `main.rs` to the root.
fn module_of(inside: &Path) -> Module {
    let mut module: Module =
        inside.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if module.last().is_some_and(|last| last == "mod" || last == "lib") {
        module.pop();
    }
    module
}

/// Reads the names of one file.
struct Reader {
    module: Module,
    source: Source,
}

impl Reader {
    /// The absolute path of a path as it is written; `None` where it leads out of the crate.
    fn resolve(&self, written: &[String]) -> Option<Module> {
        let (first, mut rest) = written.split_first()?;
        let mut path = match first.as_str() {
            "crate" => Module::new(),
            "self" => self.module.clone(),
            "super" => self.module.split_last()?.1.to_vec(),
            name => match self.source.imported.get(name) {
                Some(imported) => imported.clone(),
                None if self.source.children.contains(name) => {
                    [&self.module[..], &written[..1]].concat()
                }
                None => return None,
            },
        };
        while let Some((_, after)) = rest.split_first().filter(|(first, _)| *first == "super") {
            path.pop();
            rest = after;
        }
        path.extend(rest.iter().cloned());
        Some(path)
    }

    fn resolve_written(&mut self) {
        for written in std::mem::take(&mut self.source.written) {
            let named = self.resolve(&written);
            self.source.named.extend(named);
        }
    }

    /// Reads one `use`; `exports` where it is public, and so no use of this file's own.
    fn read_use(&mut self, tree: &UseTree, prefix: &[String], exports: bool) {
        let below = |name: &syn::Ident| [prefix, &[name.to_string()]].concat();
        match tree {
            UseTree::Name(name) if name.ident == "self" => {
                let alias = prefix.last().cloned().unwrap_or_default();
                self.import(prefix.to_vec(), alias, exports);
            }
            UseTree::Name(name) => self.import(below(&name.ident), name.ident.to_string(), exports),
            UseTree::Rename(name) => {
                self.import(below(&name.ident), name.rename.to_string(), exports);
            }
            UseTree::Glob(_) => {
                let all = [prefix, &["*".to_owned()]].concat();
                self.source.written.insert(all);
            }
            UseTree::Path(path) => self.read_use(&path.tree, &below(&path.ident), exports),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.read_use(tree, prefix, exports);
                }
            }
        }
    }

    fn import(&mut self, written: Vec<String>, alias: String, exports: bool) {
        // An import of another crate resolves to nothing.
        let Some(path) = self.resolve(&written) else { return };
        if exports {
            self.source.exported.insert(alias, path);
        } else {
            self.source.named.insert(path.clone());
            self.source.imported.insert(alias, path);
        }
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_file(&mut self, file: &'ast syn::File) {
        for item in &file.items {
            if let Item::Mod(child) = item
                && child.content.is_none()
                && !of_tests(&child.attrs)
            {
                self.source.children.insert(child.ident.to_string());
            }
        }
        visit::visit_file(self, file);
    }

    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Mod(module) if of_tests(&module.attrs) => {}
            Item::Fn(function) if of_tests(&function.attrs) => {}
            Item::Impl(block) if of_tests(&block.attrs) => {}
            Item::Use(import) if of_tests(&import.attrs) => {}
            Item::Use(import) => {
                let exports = !matches!(import.vis, Visibility::Inherited);
                self.read_use(&import.tree, &[], exports);
            }
            _ => visit::visit_item(self, item),
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let written: Vec<String> =
            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.source.written.insert(written);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let text = call.tokens.to_string().replace(' ', "");
        for start in ["crate::", "super::", "self::"] {
            for (at, _) in text.match_indices(start) {
                let path = text[at..].split(|c: char| !c.is_alphanumeric() && !"_:".contains(c));
                let written = path.take(1).flat_map(|path| path.split("::"));
                self.source.written.insert(written.map(str::to_owned).collect());
            }
        }
        visit::visit_macro(self, call);
    }
}

fn of_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

/// The files that each file names.
fn arrows(sources: &BTreeMap<Module, Source>) -> BTreeMap<&Path, BTreeSet<&Path>> {
    let arrow = |source: &Source, named: &Module| {
        let target = file_of(sources, named.clone())?;
        (target.path != source.path).then_some(target.path.as_path())
    };
    sources
        .values()
        .map(|source| {
            let targets = source.named.iter().filter_map(|named| arrow(source, named)).collect();
            (source.path.as_path(), targets)
        })
        .collect()
}

/// The file that defines what a path names: the deepest module on the path, or where that module
/// re-exports the name from. A path that ends at a module names its file only by its items.
fn file_of(sources: &BTreeMap<Module, Source>, mut path: Module) -> Option<&Source> {
    for _ in 0..8 {
        let depth = (0..=path.len()).rev().find(|depth| sources.contains_key(&path[..*depth]))?;
        let source = &sources[&path[..depth]];
        let item = path.get(depth)?;
        match source.exported.get(item) {
            Some(target) => {
                let rest = path.split_off(depth + 1);
                path = target.clone();
                path.extend(rest);
            }
            None => return Some(source),
        }
    }
    None
}

/// Groups of files that reach each other, one text each.
fn circles(arrows: &BTreeMap<&Path, BTreeSet<&Path>>) -> Vec<String> {
    let reached: BTreeMap<&Path, BTreeSet<&Path>> =
        arrows.keys().map(|file| (*file, reach(arrows, file))).collect();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for file in arrows.keys().filter(|file| reached[**file].contains(**file)) {
        let circle = reached[*file].iter().filter(|other| reached[**other].contains(*file));
        let circle: Vec<String> =
            circle.filter(|o| seen.insert(**o)).map(|o| o.display().to_string()).collect();
        if !circle.is_empty() {
            found.push(circle.join(", "));
        }
    }
    found
}

fn reach<'a>(arrows: &BTreeMap<&'a Path, BTreeSet<&'a Path>>, from: &Path) -> BTreeSet<&'a Path> {
    let mut reached = BTreeSet::new();
    let mut waiting: Vec<&Path> = arrows[from].iter().copied().collect();
    while let Some(file) = waiting.pop() {
        if reached.insert(file) {
            waiting.extend(&arrows[file]);
        }
    }
    reached
}
