//! Checks that the source files of a crate have no import cycles, neither of two files nor of more.
//!
//! Draws an edge from each file to every file that defines an item which it names. A re-export (`pub use`) adds no
//! edge: a name that goes through it leads to the file that defines the item. Unit tests do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::shipped_code::{Code, Import, shipped};
use super::{PACKAGES, root};

/// The path of a module in the crate: `["snapshot", "open"]` for `src/snapshot/open.rs`.
type Module = Vec<String>;

/// The declarations and the names of one file.
struct Source {
    path: PathBuf,
    module: Module,
    /// Child modules in files of their own.
    children: BTreeSet<String>,
    /// Absolute paths of the items that the code names.
    named: BTreeSet<Module>,
    /// The absolute path of each name that `use` brings into scope.
    imported: BTreeMap<String, Module>,
    /// Re-exports: public name to the path of the item.
    exported: BTreeMap<String, Module>,
}

#[test]
fn source_files_have_no_import_cycles() {
    for folder in PACKAGES {
        let sources = read(&root().join(folder));
        assert!(sources.len() > 30, "too few source files found in {folder}");
        let cycles = cycles(&edges(&sources));
        assert!(cycles.is_empty(), "import cycles:\n{}", cycles.join("\n"));
    }
}

/// Every file below a folder, except files of unit tests.
fn read(folder: &Path) -> BTreeMap<Module, Source> {
    let source = |(path, code): (PathBuf, Code)| {
        let inside = path.strip_prefix(folder).expect("below the folder");
        let module = module_of(inside);
        (module.clone(), Source::of(inside.to_owned(), module, code))
    };
    shipped(folder).into_iter().map(source).collect()
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

impl Source {
    fn of(path: PathBuf, module: Module, code: Code) -> Source {
        let mut source = Source {
            path,
            module,
            children: code.children,
            named: BTreeSet::new(),
            imported: BTreeMap::new(),
            exported: BTreeMap::new(),
        };
        for import in code.imports {
            source.import(import);
        }
        // Once all imports are known.
        let named: Vec<Module> =
            code.paths.iter().filter_map(|written| source.resolve(written)).collect();
        source.named.extend(named);
        source
    }

    /// The absolute path for a path as written; `None` if it leads out of the crate.
    fn resolve(&self, written: &[String]) -> Option<Module> {
        let (first, mut rest) = written.split_first()?;
        let mut path = match first.as_str() {
            "crate" => Module::new(),
            "self" => self.module.clone(),
            "super" => self.module.split_last()?.1.to_vec(),
            name => match self.imported.get(name) {
                Some(imported) => imported.clone(),
                None if self.children.contains(name) => [&self.module[..], &written[..1]].concat(),
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

    fn import(&mut self, import: Import) {
        // Imports of other crates do not resolve.
        let Some(path) = self.resolve(&import.path) else { return };
        if import.is_public {
            // This file itself does not use a re-export.
            self.exported.insert(import.name, path);
        } else {
            self.named.insert(path.clone());
            // A name of a module with braces does not hide that of the file.
            self.imported.entry(import.name).or_insert(path);
        }
    }
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
