//! Markup that several pages share.

use maud::{Markup, html};

use super::words::Words;

/// A table that scrolls sideways. The headings of the columns in `number_columns` are aligned to the right.
pub fn table(
    class: Option<&str>,
    headings: &[&str],
    number_columns: &[usize],
    rows: &Markup,
) -> Markup {
    html! {
        div.scroll {
            table class=[class] {
                thead {
                    tr {
                        @for (column, heading) in headings.iter().enumerate() {
                            th scope="col" class=[number_columns.contains(&column).then_some("number")] { (heading) }
                        }
                    }
                }
                tbody { (rows) }
            }
        }
    }
}

/// A few values in large type, each below its name.
pub fn tiles<const N: usize>(values: [(&str, String); N]) -> Markup {
    html! {
        dl.tiles {
            @for (name, value) in values {
                div { dt { (name) } dd { (value) } }
            }
        }
    }
}

/// A new key or secret, which no later page shows.
pub fn secret_shown_once(words: &Words, name: &str, hint: &str, secret: &str) -> Markup {
    html! {
        section.once aria-label=(name) {
            p { (hint) }
            p.secret {
                code id="made" { (secret) }
                button.copy type="button" data-copy hidden { (words.copy) }
            }
        }
    }
}

/// The CSS class of a badge with an HTTP status.
pub fn status_class(status: u16) -> &'static str {
    match status {
        ..400 => "good",
        400..500 => "warm",
        500.. => "fault",
    }
}

pub fn yes_no(words: &Words, value: bool) -> &'static str {
    if value { words.yes } else { words.no }
}
