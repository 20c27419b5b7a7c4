//! The paths in the code of source files, read with `syn`. Unit tests do not count: neither their files nor items under
//! `#[cfg(test)]`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, Item, UseTree, Visibility};

use super::{is_test_file, rust_files};

/// The paths of one file, as written.
#[derive(Default)]
pub struct Code {
    /// Child modules in files of their own.
    pub children: BTreeSet<String>,
    /// In the order of the file.
    pub imports: Vec<Import>,
    /// Paths outside imports, and inside macro calls those that start with `crate`, `super` or `self`. A glob import is
    /// here too, as a path that ends in `*`.
    pub paths: BTreeSet<Vec<String>>,
    /// The text of each macro call, without spaces.
    macro_calls: Vec<String>,
    /// How many modules with braces the visited item is in.
    depth: usize,
    /// Every name, and every text in quotes.
    words: BTreeSet<String>,
}

/// One name that a `use` brings into scope.
pub struct Import {
    pub path: Vec<String>,
    pub name: String,
    pub is_public: bool,
}

impl Code {
    fn of(text: &str) -> Code {
        let mut code = Code::default();
        code.visit_file(&syn::parse_file(text).expect("it compiles"));
        code
    }

    /// Whether a path has a part that starts like this, for example with `hyper::client`.
    pub fn names(&self, part: &str) -> bool {
        let imports = self.imports.iter().map(|import| &import.path);
        let mut paths = imports.chain(&self.paths).map(|path| format!("::{}", path.join("::")));
        let part_of_path = format!("::{part}");
        paths.any(|path| path.contains(&part_of_path))
            || self.macro_calls.iter().any(|call| call.contains(part))
    }

    /// Whether it names a dataset: as a name such as `school`, `School` or `SchoolData`, or as a text that is its name.
    pub fn has_word_of(&self, dataset: &str) -> bool {
        let (first, rest) = dataset.split_at(1);
        let capitalised = format!("{}{rest}", first.to_uppercase());
        let words = [dataset.to_owned(), format!("{capitalised}Data"), capitalised];
        words.iter().any(|word| self.words.contains(word) || self.children.contains(word))
            || self.imports.iter().any(|import| words.iter().any(|word| import.path.contains(word)))
    }

    /// A path as the file would write it: `super` leads out of the innermost module with braces.
    fn in_file(&self, mut path: Vec<String>) -> Vec<String> {
        let supers = path.iter().take_while(|part| *part == "super").count().min(self.depth);
        path.splice(..supers, (supers > 0).then(|| "self".to_owned()));
        path
    }

    fn read_use(&mut self, tree: &UseTree, prefix: &[String], is_public: bool) {
        let below = |name: &syn::Ident| [prefix, &[name.to_string()]].concat();
        match tree {
            UseTree::Name(name) if name.ident == "self" => {
                let name = prefix.last().cloned().unwrap_or_default();
                self.imports.push(Import { path: prefix.to_vec(), name, is_public });
            }
            UseTree::Name(name) => {
                let (path, name) = (self.in_file(below(&name.ident)), name.ident.to_string());
                self.imports.push(Import { path, name, is_public });
            }
            UseTree::Rename(name) => {
                let (path, name) = (self.in_file(below(&name.ident)), name.rename.to_string());
                self.imports.push(Import { path, name, is_public });
            }
            UseTree::Glob(_) => {
                self.paths.insert(self.in_file([prefix, &["*".to_owned()]].concat()));
            }
            UseTree::Path(path) => self.read_use(&path.tree, &below(&path.ident), is_public),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.read_use(tree, prefix, is_public);
                }
            }
        }
    }
}

impl<'ast> Visit<'ast> for Code {
    fn visit_file(&mut self, file: &'ast syn::File) {
        for item in &file.items {
            if let Item::Mod(child) = item
                && child.content.is_none()
                && !is_test_only(&child.attrs)
            {
                self.children.insert(child.ident.to_string());
            }
        }
        visit::visit_file(self, file);
    }

    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            _ if is_test_only(attributes(item)) => {}
            Item::Use(import) => {
                let is_public = !matches!(import.vis, Visibility::Inherited);
                self.read_use(&import.tree, &[], is_public);
            }
            _ => visit::visit_item(self, item),
        }
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        self.depth += 1;
        visit::visit_item_mod(self, module);
        self.depth -= 1;
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        match item {
            ImplItem::Fn(function) if is_test_only(&function.attrs) => {}
            ImplItem::Const(constant) if is_test_only(&constant.attrs) => {}
            _ => visit::visit_impl_item(self, item),
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let written = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.paths.insert(self.in_file(written));
        visit::visit_path(self, path);
    }

    fn visit_ident(&mut self, name: &'ast syn::Ident) {
        self.words.insert(name.to_string());
    }

    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        self.words.insert(text.value());
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let text = call.tokens.to_string().replace(' ', "");
        for start in ["crate::", "super::", "self::"] {
            for (at, _) in text.match_indices(start) {
                let path = text[at..].split(|c: char| !c.is_alphanumeric() && !"_:".contains(c));
                let written = path.take(1).flat_map(|path| path.split("::"));
                self.paths.insert(written.map(str::to_owned).collect());
            }
        }
        for (index, part) in text.split('"').enumerate() {
            // Every second part is a text in quotes.
            match index % 2 {
                0 => self.words.extend(names_in(part)),
                _ => self.words.extend([part.to_owned()]),
            }
        }
        self.macro_calls.push(text);
        visit::visit_macro(self, call);
    }
}

fn names_in(code: &str) -> impl Iterator<Item = String> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned)
}

/// The attributes of the items that can have `#[cfg(test)]` in this project.
pub fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

pub fn is_test_only(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

/// The code of every Rust file below a folder, except files of unit tests.
pub fn shipped(folder: &Path) -> Vec<(PathBuf, Code)> {
    let files = rust_files(folder).into_iter().filter(|path| !is_test_file(path));
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a source file");
        (path, Code::of(&text))
    };
    files.map(read).collect()
}

#[test]
fn unit_tests_are_no_part_of_the_code_and_what_follows_them_is() {
    let text = "
        #[cfg(test)]
        mod first_tests;
        use hyper::{client::conn, server as s};
        #[cfg(test)]
        use tokio::net::lookup_host;
        impl Thing {
            #[cfg(test)]
            fn made() -> ureq::Agent { todo() }
            fn kept() { select! { a = net::TcpStream::connect(address) => {} } }
        }
        #[cfg(test)]
        mod tests { use build_tools::Reject; }
        mod inside { use super::Outside; }
        mod last;
    ";
    let code = Code::of(text);
    for (part, expected) in [
        ("hyper::client", true),
        ("hyper::server", true),
        ("TcpStream::connect", true),
        ("lookup_host", false),
        ("ureq", false),
        ("build_tools", false),
    ] {
        assert_eq!(code.names(part), expected, "{part}");
    }
    let outside = code.imports.iter().find(|import| import.name == "Outside");
    assert_eq!(outside.expect("it is imported").path, ["self", "Outside"]);
    assert_eq!(code.children.into_iter().collect::<Vec<_>>(), ["last"]);
}
