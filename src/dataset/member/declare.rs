//! The macro that declares members, one a line, and what it expands to.
//!
//! Each line becomes one documented member, one write of its name and its value, and one value for the columns of an
//! export: straight code in the order of the lines. The macro decides nothing else.

use super::shape::Shape;
use super::value::MemberValue;

/// Declares the members of an object, in the order of its JSON.
///
/// ```text
/// members! {
///     /// What it is.
///     pub const SCHOOL: "School" of it: SchoolView<'_>;
///     "code": SCHOOL_CODE => it.code(), "School code", "学校コード";
/// }
/// ```
///
/// A line has the name, the shape, the getter, and the meaning in English and in Japanese. These may follow, in this
/// order:
///
/// - `since V…`: the oldest API version that has it. `until V…`: the first one that no longer has it. A renamed member
///   has two lines.
/// - `before V… SHAPE => GETTER`: what it was in older API versions.
/// - `is optional`: it is left out where the getter returns `None`.
/// - `columns …`: its columns in exports, if they are not simply its own, see [`Columns`](super::shape::Columns).
///
/// `members of it: TYPE;` instead of the head of an object declares members without braces. A line
/// `..TYPE { GETTER }` adds those of another type; `until V…` may follow.
macro_rules! members {
    (
        $(#[$note:meta])*
        $visibility:vis const $constant:ident: $object:literal of $it:ident: $type:ty;
        $($lines:tt)*
    ) => {
        $crate::dataset::member::members! { members of $it: $type; $($lines)* }

        $(#[$note])*
        $visibility const $constant: $crate::dataset::member::shape::Shape =
            <$type as $crate::dataset::member::MemberValue>::SHAPE;

        impl $crate::dataset::member::MemberValue for $type {
            const SHAPE: $crate::dataset::member::shape::Shape = {
                use $crate::dataset::member::{Members, shape};
                const OBJECT: shape::Object = shape::Object::new($object, <$type>::MEMBERS);
                shape::Shape::Object(&OBJECT)
            };

            fn write(self, out: &mut Vec<u8>, api: $crate::text::codes::ApiVersion) {
                let start = out.len();
                $crate::dataset::member::Members::write_members(self, out, api);
                // A comma is before every member; the first one becomes the brace.
                out[start] = b'{';
                out.push(b'}');
            }

            fn fill(self, cells: &mut $crate::export::Cells<'_>) {
                $crate::dataset::member::Members::fill_members(self, cells);
            }
        }
    };

    (
        members of $it:ident: $type:ty;
        $(
            $(..$part:ident $part_get:block $(, until $part_until:ident)?)?
            $($name:literal: $shape:expr => $get:expr, $en:literal, $ja:literal
                $(, since $since:ident)? $(, until $until:ident)?
                $(, before $before:ident $old:expr => $old_get:expr)?
                $(, is $optional:ident)? $(, columns $columns:expr)?)?
        ;)*
    ) => {
        $crate::dataset::member::members! { @check $it: $type;
            $($($shape => $get $(, is $optional)?; $($old => $old_get;)?)?)*
        }

        impl $crate::dataset::member::Members for $type {
            const MEMBERS: &'static [$crate::dataset::member::shape::Member] = {
                use $crate::dataset::member::shape::{Member, count, join};
                const LISTS: &[&[Member]] = &[$(
                    $($crate::dataset::member::members!(@part $part $(, until $part_until)?),)?
                    $(&[$crate::dataset::member::members!(
                        @member $name: $shape, $en, $ja $(, since $since)? $(, until $until)?
                        $(, before $before $old)? $(, is $optional)? $(, columns $columns)?
                    )],)?
                )*];
                const JOINED: [Member; count(LISTS)] = join(LISTS);
                &JOINED
            };

            #[inline]
            fn write_members(self, out: &mut Vec<u8>, api: $crate::text::codes::ApiVersion) {
                let $it = self;
                $(
                    $($crate::dataset::member::members! {
                        @write_part out, api, $part_get $(, until $part_until)?
                    })?
                    $($crate::dataset::member::members! {
                        @write out, api, $name, $get $(, since $since)? $(, until $until)?
                        $(, before $before $old_get)? $(, is $optional)?
                    })?
                )*
            }

            fn fill_members(self, cells: &mut $crate::export::Cells<'_>) {
                let $it = self;
                $(
                    $($crate::dataset::member::members! {
                        @fill_part cells, $part_get $(, until $part_until)?
                    })?
                    $(if cells.wants(const {
                        $crate::dataset::member::members!(
                            @member $name: $shape, $en, $ja $(, until $until)?
                            $(, columns $columns)?
                        ).column_count()
                    }) {
                        $crate::dataset::member::MemberValue::fill($get, cells);
                    })?
                )*
            }
        }
    };

    // A getter whose value is not what its shape says does not compile.
    (@check $it:ident: $type:ty; $($shape:expr => $get:expr $(, is $optional:ident)?;)*) => {
        $(const _: () = $crate::dataset::member::members! {
            @check_one $it: $type; $shape => $get $(, is $optional)?
        };)*
    };
    (@check_one $it:ident: $type:ty; $shape:expr => $get:expr) => {
        $crate::dataset::member::check_shape::<$type, _>(&$shape, |$it| $get)
    };
    (@check_one $it:ident: $type:ty; $shape:expr => $get:expr, is optional) => {
        $crate::dataset::member::check_optional::<$type, _>(&$shape, |$it| $get)
    };

    // The members of a line `..TYPE`. Those that the newest API version lacks fill no columns.
    (@part $part:ident) => { <$part as $crate::dataset::member::Members>::MEMBERS };
    (@part $part:ident, until $until:ident) => {
        &$crate::dataset::member::shape::ended::<
            { <$part as $crate::dataset::member::Members>::MEMBERS.len() },
        >(
            <$part as $crate::dataset::member::Members>::MEMBERS,
            $crate::text::codes::ApiVersion::$until,
        )
    };
    (@write_part $out:ident, $api:ident, $get:block) => {
        $crate::dataset::member::Members::write_members($get, $out, $api);
    };
    (@write_part $out:ident, $api:ident, $get:block, until $until:ident) => {
        if $api < $crate::text::codes::ApiVersion::$until {
            $crate::dataset::member::Members::write_members($get, $out, $api);
        }
    };
    (@fill_part $cells:ident, $get:block) => {
        $crate::dataset::member::Members::fill_members($get, $cells);
    };
    (@fill_part $cells:ident, $get:block, until $until:ident) => {};

    // The documented member.
    (@member $name:literal: $shape:expr, $en:literal, $ja:literal
        $(, since $since:ident)? $(, until $until:ident)? $(, before $before:ident $old:expr)?
        $(, is $optional:ident)? $(, columns $columns:expr)?
    ) => {
        $crate::dataset::member::shape::member(
            $name,
            $crate::dataset::member::members!(@shape $shape $(, before $before $old)?),
            $crate::language::words($en, $ja),
        )
        $(.since($crate::text::codes::ApiVersion::$since))?
        $(.until($crate::text::codes::ApiVersion::$until))?
        $(.$optional())?
        $(.with_columns($columns))?
    };
    (@shape $shape:expr) => { $shape };
    (@shape $shape:expr, before $before:ident $old:expr) => {
        $crate::dataset::member::shape::Shape::Changed {
            before: &$old,
            since: $crate::text::codes::ApiVersion::$before,
            then: &$shape,
        }
    };

    // Writes a comma, the name and the value, in the API versions that have the member.
    (@write $out:ident, $api:ident, $name:literal, $get:expr, since $since:ident $($rest:tt)*) => {
        if $api >= $crate::text::codes::ApiVersion::$since {
            $crate::dataset::member::members! { @write $out, $api, $name, $get $($rest)* }
        }
    };
    (@write $out:ident, $api:ident, $name:literal, $get:expr, until $until:ident $($rest:tt)*) => {
        if $api < $crate::text::codes::ApiVersion::$until {
            $crate::dataset::member::members! { @write $out, $api, $name, $get $($rest)* }
        }
    };
    (@write $out:ident, $api:ident, $name:literal, $get:expr, before $before:ident $old:expr) => {
        $out.extend_from_slice(concat!(",\"", $name, "\":").as_bytes());
        if $api < $crate::text::codes::ApiVersion::$before {
            $crate::dataset::member::MemberValue::write($old, $out, $api);
        } else {
            $crate::dataset::member::MemberValue::write($get, $out, $api);
        }
    };
    (@write $out:ident, $api:ident, $name:literal, $get:expr, is optional) => {
        if let Some(value) = $get {
            $out.extend_from_slice(concat!(",\"", $name, "\":").as_bytes());
            $crate::dataset::member::MemberValue::write(value, $out, $api);
        }
    };
    (@write $out:ident, $api:ident, $name:literal, $get:expr) => {
        $crate::dataset::member::MemberValue::write_member(
            $get,
            $out,
            $api,
            $crate::dataset::member::MemberKey {
                before_value: concat!(",\"", $name, "\":"),
                before_text: concat!(",\"", $name, "\":\""),
                with_empty_text: concat!(",\"", $name, "\":\"\""),
                with_null: concat!(",\"", $name, "\":null"),
            },
        );
    };
}

pub(crate) use members;

/// Fails to compile unless the shape of a member narrows that of the values that its getter returns.
pub const fn check_shape<R, V: MemberValue>(shape: &Shape, _get: fn(R) -> V) {
    assert!(shape.narrows(&V::SHAPE), "the shape of a member is not that of its value");
}

/// As [`check_shape`], for a member that is left out where its getter returns `None`.
pub const fn check_optional<R, V: MemberValue>(shape: &Shape, _get: fn(R) -> Option<V>) {
    assert!(shape.narrows(&V::SHAPE), "the shape of a member is not that of its value");
}
