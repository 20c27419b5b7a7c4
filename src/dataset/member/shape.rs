//! The structure of a JSON body: a tree of values and named objects, with the API versions that have a member.
//!
//! The documentation describes it. A test compares real answers with it. The columns of an export follow from the
//! shape of a record: a column for each member, and for a member that is an object the columns of the object's
//! members, with its name in front.

use std::borrow::Cow;

use Shape::{Date, OrNull, Pattern, Text, Whole};

use crate::export::{Column, ColumnType};
use crate::language::Words;
use crate::text::codes::ApiVersion;

#[derive(Debug, Clone, Copy)]
pub enum Shape {
    Text,
    /// Text that this regular expression matches, as JSON Schema writes them.
    Pattern(&'static str),
    /// As [`Pattern`](Self::Pattern), for an expression that depends on the datasets.
    PatternOf(fn() -> String),
    /// A day, `YYYY-MM-DD`.
    Date,
    Whole {
        min: u64,
        max: u64,
    },
    Decimal,
    Bool,
    OneOf(&'static [&'static str]),
    OneNumber(&'static [u64]),
    List(&'static Shape),
    /// A list of at most this many values.
    UpTo(u64, &'static Shape),
    /// A list of exactly these values.
    Tuple(&'static [Shape]),
    /// An object whose names match the expression, with values of one shape.
    Map(&'static str, &'static Shape),
    Object(&'static Object),
    OrNull(&'static Shape),
    /// One shape before an API version, another one from it on.
    Changed {
        before: &'static Shape,
        since: ApiVersion,
        then: &'static Shape,
    },
}

/// A named object, which the documentation describes once.
#[derive(Debug, Clone, Copy)]
pub struct Object {
    pub name: &'static str,
    pub members: &'static [Member],
    /// Whether readers ignore unknown members.
    pub is_open: bool,
}

impl Object {
    pub const fn new(name: &'static str, members: &'static [Member]) -> Object {
        Object { name, members, is_open: false }
    }

    /// Marks a body that clients send: unknown members are ignored.
    pub const fn open(self) -> Object {
        Object { is_open: true, ..self }
    }
}

impl Shape {
    /// Whether a value of the shape `general` may be documented as this shape, which says the same or more.
    pub const fn narrows(&self, general: &Shape) -> bool {
        match (self, general) {
            (Shape::Text | Shape::Pattern(_) | Shape::OneOf(_), Shape::Text) => true,
            (Shape::Whole { .. } | Shape::OneNumber(_), Shape::Whole { .. }) => true,
            (Shape::Date, Shape::Date) | (Shape::Bool, Shape::Bool) => true,
            (Shape::Decimal, Shape::Decimal) | (Shape::Object(_), Shape::Object(_)) => true,
            (Shape::Tuple(of), Shape::Tuple(general)) => of.len() == general.len(),
            (Shape::OrNull(of), Shape::OrNull(general)) => of.narrows(general),
            (Shape::List(of), Shape::List(general)) => of.narrows(general),
            _ => false,
        }
    }

    /// The object that this is, or of which it is a list or null.
    pub const fn object(&self) -> Option<&'static Object> {
        match self {
            Shape::Object(object) => Some(object),
            Shape::OrNull(of) | Shape::List(of) => of.object(),
            _ => None,
        }
    }

    /// How many columns of an export it fills: those of its object, else one.
    pub const fn column_count(&self) -> usize {
        match self.object() {
            None => 1,
            Some(object) => count_columns(object.members),
        }
    }
}

/// How many columns these members fill.
pub const fn count_columns(members: &[Member]) -> usize {
    let (mut count, mut index) = (0, 0);
    while index < members.len() {
        count += members[index].column_count();
        index += 1;
    }
    count
}

/// The oldest API version since which these members have not changed.
pub const fn unchanged_since(members: &[Member]) -> ApiVersion {
    let (mut newest, mut index) = (ApiVersion::V2022_09_01, 0);
    while index < members.len() {
        let Member { since, until, shape, .. } = &members[index];
        newest = later(newest, *since);
        if let Some(until) = until {
            newest = later(newest, *until);
        }
        if let Shape::Changed { since, .. } = shape {
            newest = later(newest, *since);
        }
        index += 1;
    }
    newest
}

const fn later(one: ApiVersion, other: ApiVersion) -> ApiVersion {
    if one as u8 > other as u8 { one } else { other }
}

/// The members of several lists, one list after the other. `N` is their number.
pub const fn join<const N: usize>(lists: &[&[Member]]) -> [Member; N] {
    let mut joined = [member("", Shape::Text, Words::NONE); N];
    let (mut at, mut list) = (0, 0);
    while list < lists.len() {
        let mut index = 0;
        while index < lists[list].len() {
            joined[at] = lists[list][index];
            at += 1;
            index += 1;
        }
        list += 1;
    }
    joined
}

/// These `N` members, which an API version no longer has.
pub const fn ended<const N: usize>(members: &[Member], until: ApiVersion) -> [Member; N] {
    let mut ended = [member("", Shape::Text, Words::NONE); N];
    let mut index = 0;
    while index < N {
        ended[index] = members[index].until(until);
        index += 1;
    }
    ended
}

/// How many members these lists have together.
pub const fn count(lists: &[&[Member]]) -> usize {
    let (mut count, mut list) = (0, 0);
    while list < lists.len() {
        count += lists[list].len();
        list += 1;
    }
    count
}

/// The columns of an export that a member fills.
#[derive(Debug, Clone, Copy)]
pub struct Columns {
    /// The name of the column, or the beginning of the names of an object's columns; by default that of the member.
    pub name: Option<&'static str>,
    /// Whether they are null in some rows although the shape has no null.
    pub are_nullable: bool,
    /// Members of the object that exports leave out.
    pub without: &'static [&'static str],
    pub exist: bool,
}

impl Columns {
    pub const OWN: Columns = Columns { name: None, are_nullable: false, without: &[], exist: true };
    pub const NONE: Columns = Columns { exist: false, ..Columns::OWN };
    pub const NULLABLE: Columns = Columns { are_nullable: true, ..Columns::OWN };

    pub const fn named(name: &'static str) -> Columns {
        Columns { name: Some(name), ..Columns::OWN }
    }

    pub const fn without(members: &'static [&'static str]) -> Columns {
        Columns { without: members, ..Columns::OWN }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Member {
    pub name: &'static str,
    pub shape: Shape,
    pub meaning: Words,
    pub columns: Columns,
    pub is_optional: bool,
    /// The oldest API version that has it.
    pub since: ApiVersion,
    /// The first API version that no longer has it.
    pub until: Option<ApiVersion>,
}

pub const fn member(name: &'static str, shape: Shape, meaning: Words) -> Member {
    let since = ApiVersion::V2022_09_01;
    let columns = Columns::OWN;
    Member { name, shape, meaning, columns, is_optional: false, since, until: None }
}

impl Member {
    pub const fn optional(self) -> Member {
        Member { is_optional: true, ..self }
    }

    pub const fn since(self, since: ApiVersion) -> Member {
        Member { since, ..self }
    }

    pub const fn until(self, until: ApiVersion) -> Member {
        Member { until: Some(until), ..self }
    }

    pub const fn with_columns(self, columns: Columns) -> Member {
        Member { columns, ..self }
    }

    /// How many columns it fills: none if the newest API version lacks it.
    pub const fn column_count(&self) -> usize {
        match self.columns.exist && self.until.is_none() {
            true => self.shape.column_count(),
            false => 0,
        }
    }

    pub fn is_in(&self, version: ApiVersion) -> bool {
        version >= self.since && self.until.is_none_or(|until| version < until)
    }
}

/// A number of records.
pub const COUNT: Shape = Whole { min: 0, max: u64::MAX };

pub const POSTAL_CODE: Shape = Pattern("^[0-9]{7}$");
pub const JISX0402: Shape = Pattern("^[0-9]{5}$");
pub const CORPORATE_NUMBER: Shape = Pattern("^[0-9]{13}$");
pub const INVOICE_NUMBER: Shape = Pattern("^T[0-9]{13}$");
pub const SCHOOL_CODE: Shape = Pattern("^[A-Z][0-9]{12}$");
pub const TEXT_OR_NULL: Shape = OrNull(&Text);
pub const DATE_OR_NULL: Shape = OrNull(&Date);

/// A column and what it means.
#[derive(Debug, Clone)]
pub struct MemberColumn {
    pub column: Column,
    pub meaning: Words,
    /// What the object means whose member this is; `None` for a member of the record itself.
    pub of: Option<Words>,
}

/// The columns in the order in which [`fill`](super::MemberValue::fill) passes their values; `None` for a value that
/// exports leave out.
pub fn documented_columns(record: &Shape) -> Vec<Option<MemberColumn>> {
    record.object().map_or_else(Vec::new, documented)
}

/// The columns without their meaning.
pub fn columns(record: &Shape) -> Vec<Option<Column>> {
    let documented = documented_columns(record).into_iter();
    documented.map(|known| known.map(|known| known.column)).collect()
}

fn documented(object: &Object) -> Vec<Option<MemberColumn>> {
    let mut found = Vec::new();
    for member in object.members.iter().filter(|member| member.column_count() > 0) {
        let name = member.columns.name.unwrap_or(member.name);
        let is_nullable = member.columns.are_nullable || is_nullable(&member.shape);
        let Some(object) = member.shape.object() else {
            let column = column(name.into(), &member.shape, is_nullable);
            found.push(Some(MemberColumn { column, meaning: member.meaning, of: None }));
            continue;
        };
        found.extend(documented(object).into_iter().map(|inner| {
            let inner = inner.filter(|inner| !is_left_out(member, &inner.column))?;
            let name = format!("{name}_{}", inner.column.name).into();
            let nullable = is_nullable || inner.column.nullable;
            let column = Column { name, nullable, ..inner.column };
            Some(MemberColumn { column, of: Some(member.meaning), ..inner })
        }));
    }
    found
}

fn is_left_out(member: &Member, column: &Column) -> bool {
    member.columns.without.iter().any(|name| *name == column.name)
}

fn column(name: Cow<'static, str>, shape: &Shape, nullable: bool) -> Column {
    Column { name, kind: column_type(shape), nullable }
}

/// A list of texts is one text, and null if it is empty.
fn is_nullable(shape: &Shape) -> bool {
    match shape {
        Shape::OrNull(_) | Shape::List(_) => true,
        Shape::Changed { then, .. } => is_nullable(then),
        _ => false,
    }
}

fn column_type(shape: &Shape) -> ColumnType {
    match shape {
        Shape::Whole { .. } | Shape::OneNumber(_) => ColumnType::Integer,
        Shape::Bool => ColumnType::Flag,
        Shape::Date => ColumnType::Date,
        Shape::OrNull(of) | Shape::Changed { then: of, .. } => column_type(of),
        _ => ColumnType::Text,
    }
}
