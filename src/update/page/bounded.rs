//! Parses a page into a tree of bounded size, whatever the page contains.
//!
//! A parser of HTML repairs what it reads, so that a small page can make a huge tree: each paragraph repeats all
//! formatting elements that were left open. A tree can also be too deep for its readers, and the parser compares each
//! attribute of a tag with all before it. So the page is fed in small pieces, and after each piece the tree is compared
//! with the limits.

use std::borrow::Cow;
use std::cell::{Cell, Ref};

use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, ParseOpts, QualName, parse_document};
use scraper::{Html, HtmlTreeSink};

/// Elements and comments; texts stand between them. The largest known page has about a fifth of it.
const NODES_MAX: usize = 50_000;

/// Known pages have a few dozen levels. The readers' work grows with the product of nodes and levels.
const DEPTH_MAX: usize = 200;

/// Of one element.
const ATTRIBUTES_MAX: usize = 256;

/// Of one tag or comment.
const TAG_BYTES_MAX: usize = 64 << 10;

/// Between two comparisons. A tag in it adds at most a few nodes for each level.
const PIECE_BYTES: usize = 256;

/// A limit that a page exceeds; its text says what was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, derive_more::Display)]
pub enum Excess {
    #[display("at most {NODES_MAX} elements")]
    Nodes,
    #[display("at most {DEPTH_MAX} levels of elements")]
    Depth,
    #[display("at most {ATTRIBUTES_MAX} attributes of an element")]
    Attributes,
    #[display("tags and comments of at most {TAG_BYTES_MAX} bytes")]
    TagBytes,
}

pub fn parse(page: &str) -> Result<Html, Excess> {
    let mut parser = parse_document(BoundedSink::default(), ParseOpts::default());
    let (mut rest, mut bytes_of_tag) = (page, 0);
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(piece_length(rest));
        rest = after;
        parser.process(StrTendril::from_slice(piece));
        let sink = &parser.tokenizer.sink.sink;
        bytes_of_tag = if sink.has_changed.take() { 0 } else { bytes_of_tag + piece.len() };
        if bytes_of_tag > TAG_BYTES_MAX {
            return Err(Excess::TagBytes);
        }
        sink.check()?;
    }
    let sink = parser.finish();
    sink.check()?;
    let html = sink.html.finish();
    // The parser may have moved elements below others after it added them.
    let is_too_deep = html.tree.nodes().any(|node| node.ancestors().nth(DEPTH_MAX).is_some());
    if is_too_deep { Err(Excess::Depth) } else { Ok(html) }
}

/// The bytes of the next piece, which ends between two characters.
fn piece_length(text: &str) -> usize {
    let longest = text.len().min(PIECE_BYTES);
    (1..=longest).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(text.len())
}

/// The tree, and what of its limits is used.
struct BoundedSink {
    html: HtmlTreeSink,
    nodes: Cell<usize>,
    /// Of tags that add their attributes to an element that is there.
    added_attributes: Cell<usize>,
    excess: Cell<Option<Excess>>,
    /// Whether something was added since the last look: then the tag before it has ended.
    has_changed: Cell<bool>,
}

impl Default for BoundedSink {
    fn default() -> BoundedSink {
        let html = HtmlTreeSink::new(Html::new_document());
        let (nodes, added_attributes) = (Cell::new(0), Cell::new(0));
        let (excess, has_changed) = (Cell::new(None), Cell::new(false));
        BoundedSink { html, nodes, added_attributes, excess, has_changed }
    }
}

impl BoundedSink {
    fn check(&self) -> Result<(), Excess> {
        self.excess.get().map_or(Ok(()), Err)
    }

    fn exceed(&self, excess: Excess) {
        self.excess.set(self.excess.get().or(Some(excess)));
    }

    fn count_node(&self) {
        self.has_changed.set(true);
        self.nodes.set(self.nodes.get() + 1);
        if self.nodes.get() > NODES_MAX {
            self.exceed(Excess::Nodes);
        }
    }

    fn count_depth(&self, parent: <HtmlTreeSink as TreeSink>::Handle) {
        self.has_changed.set(true);
        let html = self.html.0.borrow();
        let parent = html.tree.get(parent);
        if parent.is_some_and(|parent| parent.ancestors().nth(DEPTH_MAX - 1).is_some()) {
            self.exceed(Excess::Depth);
        }
    }
}

/// Passes everything on to the tree. The methods that add to it count.
impl TreeSink for BoundedSink {
    type Handle = <HtmlTreeSink as TreeSink>::Handle;
    type Output = BoundedSink;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> BoundedSink {
        self
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> Self::Handle {
        self.count_node();
        if attributes.len() > ATTRIBUTES_MAX {
            self.exceed(Excess::Attributes);
        }
        self.html.create_element(name, attributes, flags)
    }

    fn create_comment(&self, text: StrTendril) -> Self::Handle {
        self.count_node();
        self.html.create_comment(text)
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> Self::Handle {
        self.count_node();
        self.html.create_pi(target, data)
    }

    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        self.count_node();
        self.html.append_doctype_to_document(name, public, system);
    }

    fn append(&self, parent: &Self::Handle, child: NodeOrText<Self::Handle>) {
        self.count_depth(*parent);
        self.html.append(parent, child);
    }

    fn append_before_sibling(&self, sibling: &Self::Handle, child: NodeOrText<Self::Handle>) {
        self.count_depth(*sibling);
        self.html.append_before_sibling(sibling, child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Self::Handle,
        previous: &Self::Handle,
        child: NodeOrText<Self::Handle>,
    ) {
        self.count_depth(*element);
        self.html.append_based_on_parent_node(element, previous, child);
    }

    fn add_attrs_if_missing(&self, target: &Self::Handle, attributes: Vec<Attribute>) {
        self.has_changed.set(true);
        self.added_attributes.set(self.added_attributes.get() + attributes.len());
        if self.added_attributes.get() > ATTRIBUTES_MAX {
            self.exceed(Excess::Attributes);
        }
        self.html.add_attrs_if_missing(target, attributes);
    }

    fn reparent_children(&self, node: &Self::Handle, parent: &Self::Handle) {
        self.html.reparent_children(node, parent);
    }

    fn remove_from_parent(&self, target: &Self::Handle) {
        self.html.remove_from_parent(target);
    }

    /// Nobody reads the faults of a page, of which it may have as many as bytes.
    fn parse_error(&self, _fault: Cow<'static, str>) {}

    fn get_document(&self) -> Self::Handle {
        self.html.get_document()
    }

    fn elem_name<'a>(&'a self, target: &'a Self::Handle) -> Ref<'a, QualName> {
        self.html.elem_name(target)
    }

    fn get_template_contents(&self, target: &Self::Handle) -> Self::Handle {
        self.html.get_template_contents(target)
    }

    fn same_node(&self, one: &Self::Handle, other: &Self::Handle) -> bool {
        self.html.same_node(one, other)
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.html.set_quirks_mode(mode);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbered copies of a text that has `#` where the number stands.
    fn numbered(text: &str, count: usize) -> String {
        (0..count).map(|number| text.replace('#', &number.to_string())).collect()
    }

    #[test]
    fn a_page_is_refused_before_its_tree_is_large() {
        let open = numbered("<b a#>", DEPTH_MAX / 2);
        let attributes = numbered(" a#", ATTRIBUTES_MAX + 1);
        for (name, page, expected) in [
            ("elements", "<br>".repeat(NODES_MAX + 1), Excess::Nodes),
            ("comments", "<!---->".repeat(NODES_MAX + 1), Excess::Nodes),
            ("open formatting", format!("<p>{open}{}", "<p>x".repeat(5_000)), Excess::Nodes),
            ("levels", "<div>".repeat(DEPTH_MAX), Excess::Depth),
            ("levels of formatting", numbered("<b a#>", 3_500), Excess::Depth),
            ("levels of tables", "<table><tr><td>".repeat(100), Excess::Depth),
            ("attributes", format!("<a{attributes}>"), Excess::Attributes),
            ("attributes of the root", numbered("<html a#>", 300), Excess::Attributes),
            ("a tag", format!("<a{}", numbered(" a#", 100_000)), Excess::TagBytes),
            ("an end tag", format!("<p></p{}>", numbered(" a#", 100_000)), Excess::TagBytes),
            ("a comment", format!("<!--{}", "x".repeat(200_000)), Excess::TagBytes),
        ] {
            assert_eq!(parse(&page).err(), Some(expected), "{name}");
        }
    }

    #[test]
    fn a_page_within_the_limits_is_the_same_tree() {
        let rows =
            "<tr><td class='a'>令和8年<b>8月<i>21日</b>x</i><td><a href='?a=1&amp;b'>zip</a>";
        for page in [
            String::new(),
            format!("<!DOCTYPE html><title>都\r\n</title><table>{}</table>", rows.repeat(1_000)),
            format!("<p>{}", "都".repeat(300_000)),
            format!("<script>{}</script>", "if (a < b) {}".repeat(10_000)),
            "<div>".repeat(DEPTH_MAX - 5),
            "<template><b>x</template><svg><style><a b></svg><!-- c --><p>&amp;&#x90fd;".to_owned(),
        ] {
            let html = parse(&page).unwrap_or_else(|excess| panic!("{excess:?}"));
            assert_eq!(html.html(), Html::parse_document(&page).html());
        }
    }
}
