//! Enums whose variants have a text each, such as plans, API versions and kinds of keys.

/// Declares an enum with `ALL` its variants in order, the text of each, and the way back from a text.
macro_rules! named {
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

            /// The one of this text, which is compared as it is.
            pub fn parse(text: &str) -> Option<$name> {
                $name::ALL.into_iter().find(|named| named.$text_of() == text)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.$text_of())
            }
        }
    };
}

pub(crate) use named;
