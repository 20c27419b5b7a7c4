//! Enums whose variants each have a text, such as plans, API versions and kinds of keys.

/// Declares an enum with `ALL`, which has its variants in order; a method that returns the text of a variant; and
/// `parse` from that text.
#[macro_export]
macro_rules! named_enum {
    (fn $text_of:ident; $(#[$meta:meta])* pub enum $name:ident {
        $($(#[$doc:meta])* $variant:ident = $text:literal,)*
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            pub const ALL: [$name; [$($text),*].len()] = [$($name::$variant),*];

            pub fn $text_of(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }

            /// The variant with exactly this text.
            pub fn parse(text: &str) -> Option<$name> {
                $name::ALL.into_iter().find(|variant| variant.$text_of() == text)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.$text_of())
            }
        }
    };
}

pub use crate::named_enum;
