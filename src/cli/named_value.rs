//! Options whose value is the text of a variant, as `named_enum` declares it.

use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Accepts the texts of these variants, which help and errors list.
pub fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(
    variants: [T; N],
    text_of: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(variants.map(text_of)).map(move |text| {
        let mut variants = variants.into_iter();
        variants.find(|variant| text_of(*variant) == text).expect("one of the possible values")
    })
}
