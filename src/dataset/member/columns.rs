//! The columns of an export, from the shape of a record: a column for each member, and for a member that is an object
//! the columns of the object's members, with its name in front.

use std::borrow::Cow;

use super::shape::{Member, Object, Shape};
use super::words::Words;
use crate::export::{Column, ColumnType};

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
