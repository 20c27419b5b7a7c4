//! Checks that the source files of a crate have no import cycles, neither of two files nor of more.
//!
//! Parses each file with `syn` and draws an edge to every file that defines an item which it names. A re-export
//! (`pub use`) adds no edge: a name that goes through it leads to the file that defines the item. Unit tests do not
//! count. Inside macro calls, paths are found as text, by `crate::`, `super::` and `self::`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree, Visibility};

use super::{is_test_file, root, rust_files};

/// The path of a module in the crate: `["snapshot", "open"]` for `src/snapshot/open.rs`.
type Module = Vec<String>;

/// The declarations and the names of one file.
#[derive(Default)]
struct Source {
    path: PathBuf,
    /// Child modules in files of their own.
    children: BTreeSet<String>,
    /// Absolute paths of the items that the code names.
    named: BTreeSet<Module>,
    /// The absolute path of each name that `use` brings into scope.
    imported: BTreeMap<String, Module>,
    /// Paths as written in the code; resolved once all imports are known.
    written: BTreeSet<Vec<String>>,
    /// Re-exports: public name to the path of the item.
    exported: BTreeMap<String, Module>,
}

#[test]
fn source_files_have_no_import_cycles() {
    for folder in ["src", "build-tools/src"] {
        let sources = parse(&root().join(folder));
        assert!(sources.len() > 30, "too few source files found in {folder}");
        let cycles = cycles(&edges(&sources));
        assert!(cycles.is_empty(), "import cycles:\n{}", cycles.join("\n"));
    }
}

/// Parses every file below a folder, except files of unit tests.
fn parse(folder: &Path) -> BTreeMap<Module, Source> {
    let mut sources = BTreeMap::new();
    for path in rust_files(folder) {
        let inside = path.strip_prefix(folder).expect("below the folder");
        if is_test_file(&path) || inside.components().any(|part| part.as_os_str() == "tests") {
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

/// The module of a file: `snapshot` for `snapshot/mod.rs`, the crate root for `lib.rs`.
fn module_of(inside: &Path) -> Module {
    let mut module: Module =
        inside.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if module.last().is_some_and(|last| last == "mod" || last == "lib") {
        module.pop();
    }
    module
}

/// Visits the syntax tree of one file and fills its [`Source`].
struct Reader {
    module: Module,
    source: Source,
}

impl Reader {
    /// The absolute path for a path as written; `None` if it leads out of the crate.
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

    /// Reads one `use`. `exports` says that it is public: a re-export, which this file itself does not use.
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
        // Imports of other crates do not resolve.
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
                && !is_test_only(&child.attrs)
            {
                self.source.children.insert(child.ident.to_string());
            }
        }
        visit::visit_file(self, file);
    }

    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Mod(module) if is_test_only(&module.attrs) => {}
            Item::Fn(function) if is_test_only(&function.attrs) => {}
            Item::Impl(block) if is_test_only(&block.attrs) => {}
            Item::Use(import) if is_test_only(&import.attrs) => {}
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

fn is_test_only(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

/// The edges of the graph: for each file, the files that it names.
fn edges(sources: &BTreeMap<Module, Source>) -> BTreeMap<&Path, BTreeSet<&Path>> {
    let edge = |source: &Source, named: &Module| {
        let target = file_of(sources, named.clone())?;
        (target.path != source.path).then_some(target.path.as_path())
    };
    sources
        .values()
        .map(|source| {
            let targets = source.named.iter().filter_map(|named| edge(source, named)).collect();
            (source.path.as_path(), targets)
        })
        .collect()
}

/// The file that defines the item of a path: the file of the deepest module on the path or, if that
/// module re-exports the name, the file that the re-export leads to. `None` if the path ends at a module: naming a
/// module alone is no edge.
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

/// The groups of files that reach each other. One comma-separated text for each group.
fn cycles(edges: &BTreeMap<&Path, BTreeSet<&Path>>) -> Vec<String> {
    let reached: BTreeMap<&Path, BTreeSet<&Path>> =
        edges.keys().map(|file| (*file, reach(edges, file))).collect();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for file in edges.keys().filter(|file| reached[**file].contains(**file)) {
        let cycle = reached[*file].iter().filter(|other| reached[**other].contains(*file));
        let cycle: Vec<String> =
            cycle.filter(|o| seen.insert(**o)).map(|o| o.display().to_string()).collect();
        if !cycle.is_empty() {
            found.push(cycle.join(", "));
        }
    }
    found
}

fn reach<'a>(edges: &BTreeMap<&'a Path, BTreeSet<&'a Path>>, from: &Path) -> BTreeSet<&'a Path> {
    let mut reached = BTreeSet::new();
    let mut waiting: Vec<&Path> = edges[from].iter().copied().collect();
    while let Some(file) = waiting.pop() {
        if reached.insert(file) {
            waiting.extend(&edges[file]);
        }
    }
    reached
}
