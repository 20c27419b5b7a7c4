//! Markup that several pages share, numbers and times as people read them, and charts as inline SVG, drawn by the
//! server so that a page without script has them too.

use jiff::Timestamp;
use maud::{Markup, html};

use super::words::Words;
use crate::calendar::JST;
pub use crate::text::numerals::grouped;

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

/// Shown in place of a missing value.
pub const NO_VALUE: &str = "–";

/// A time to the minute, in Japan: the data are Japanese, and so are most users.
pub fn format_minute(time: Timestamp) -> String {
    JST.to_datetime(time).strftime("%Y-%m-%d %H:%M JST").to_string()
}

/// [`format_minute`] of a time in seconds since 1970.
pub fn format_unix_minute(seconds: i64) -> String {
    Timestamp::from_second(seconds).map_or_else(|_| NO_VALUE.to_owned(), format_minute)
}

/// The hour in which a time is, in Japan.
pub fn format_hour(time: Timestamp) -> String {
    JST.to_datetime(time).strftime("%Y-%m-%d %H:00–%H:59 JST").to_string()
}

pub fn format_megabytes(bytes: u64) -> String {
    let tenths = (bytes + 50_000) / 100_000;
    format!("{}.{} MB", grouped(tenths / 10), tenths % 10)
}

/// A number in few characters: `12.3k`, `5M`.
pub fn abbreviate(value: f64) -> String {
    let (value, suffix) = match value {
        value if value >= 1e9 => (value / 1e9, "G"),
        value if value >= 1e6 => (value / 1e6, "M"),
        value if value >= 1e4 => (value / 1e3, "k"),
        value => (value, ""),
    };
    let text = if value >= 100.0 || value.fract() == 0.0 {
        format!("{value:.0}")
    } else if value >= 1.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.3}").trim_end_matches('0').to_owned()
    };
    format!("{text}{suffix}")
}

const HEIGHT: f64 = 150.0;
const MARGIN_LEFT: f64 = 44.0;
const MARGIN_BOTTOM: f64 = 22.0;
const MARGIN_TOP: f64 = 10.0;

/// The width of a chart that shares a row with two others.
pub const NARROW: f64 = 420.0;

/// The width of a chart that has a row of its own.
pub const WIDE: f64 = 1000.0;

/// One line of a chart, or one layer of its bars.
pub struct Series<'c> {
    /// The class that colours it: `first`, `second` or `third`.
    pub class: &'static str,
    pub name: &'c str,
    /// `None` for a missing value: a line breaks there.
    pub values: Vec<Option<f64>>,
}

pub struct Chart<'c> {
    pub title: &'c str,
    /// The lines, or the layers of bars from the back to the front.
    pub series: Vec<Series<'c>>,
    /// The texts below the first and the last value.
    pub end_labels: [String; 2],
    /// The height is always 150; text keeps its size.
    pub width: f64,
}

impl Chart<'_> {
    pub fn lines(&self) -> Markup {
        self.draw(|series, axis_max| {
            let step = (self.width - MARGIN_LEFT) / (series.values.len().max(2) - 1) as f64;
            let mut path = String::new();
            let mut is_drawing = false;
            for (index, value) in series.values.iter().enumerate() {
                if let Some(value) = value {
                    // `h0` draws a single value as a dot.
                    let (command, dot) = if is_drawing { ('L', "") } else { ('M', "h0") };
                    let (x, y) = (MARGIN_LEFT + index as f64 * step, y_of(*value, axis_max));
                    path.push_str(&format!("{command}{x:.1} {y:.1}{dot}"));
                }
                is_drawing = value.is_some();
            }
            html! { path class={ "line " (series.class) } d=(path) {} }
        })
    }

    pub fn bars(&self) -> Markup {
        self.draw(|series, axis_max| {
            let step = (self.width - MARGIN_LEFT) / series.values.len().max(1) as f64;
            let values = series.values.iter().enumerate();
            let values = values.filter_map(|(index, value)| Some((index, (*value)?)));
            html! {
                @for (index, value) in values.filter(|(_, value)| *value > 0.0) {
                    @let (x, y) = (MARGIN_LEFT + index as f64 * step + step * 0.12, y_of(value, axis_max));
                    rect class={ "bar " (series.class) } x=(tenths(x)) y=(tenths(y))
                        width=(tenths(step * 0.76)) height=(tenths(HEIGHT - MARGIN_BOTTOM - y)) {}
                }
            }
        })
    }

    /// Draws the frame, the axis and the legend. `draw_series` draws a series, given the highest value of the axis.
    fn draw(&self, draw_series: impl Fn(&Series<'_>, f64) -> Markup) -> Markup {
        let values = self.series.iter().flat_map(|series| &series.values).flatten();
        let axis_max = axis_max_for(values.fold(0.0, |max: f64, value| max.max(*value)));
        let [first, last] = &self.end_labels;
        html! {
            figure.chart {
                figcaption {
                    (self.title)
                    div.legends {
                        @for series in &self.series {
                            span class={ "legend " (series.class) } { (series.name) }
                        }
                    }
                }
                svg viewBox={ "0 0 " (self.width) " " (HEIGHT) } role="img" aria-label=(self.title) {
                    @for value in [0.0, 0.5 * axis_max, axis_max] {
                        @let y = y_of(value, axis_max);
                        path.rule d={ "M" (MARGIN_LEFT) " " (tenths(y)) "H" (self.width) } {}
                        text.end x=(MARGIN_LEFT - 6.0) y=(tenths(y + 4.0)) { (abbreviate(value)) }
                    }
                    @for series in &self.series { (draw_series(series, axis_max)) }
                    text x=(MARGIN_LEFT) y=(HEIGHT - 4.0) { (first) }
                    text.end x=(self.width) y=(HEIGHT - 4.0) { (last) }
                }
            }
        }
    }
}

fn tenths(value: f64) -> String {
    format!("{value:.1}")
}

/// The vertical position of a value; 0 is the top edge.
fn y_of(value: f64, axis_max: f64) -> f64 {
    HEIGHT
        - MARGIN_BOTTOM
        - (HEIGHT - MARGIN_BOTTOM - MARGIN_TOP) * (value / axis_max).clamp(0.0, 1.0)
}

/// The highest value of an axis: `value` rounded up to 1, 2 or 5 times a power of ten. It is 1 for zero, so that the
/// axis has numbers.
fn axis_max_for(value: f64) -> f64 {
    if value <= 0.0 {
        return 1.0;
    }
    let mut step = 0.01;
    // 24 powers of ten are enough, because a u64 has 20 digits.
    for _ in 0..24 {
        for factor in [1.0, 2.0, 5.0] {
            if value <= step * factor {
                return step * factor;
            }
        }
        step *= 10.0;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_are_formatted() {
        for (number, expected) in
            [(0, "0"), (999, "999"), (1000, "1,000"), (5_812_345, "5,812,345")]
        {
            assert_eq!(grouped(number), expected);
        }
        assert_eq!(format_megabytes(27_049_999), "27.0 MB");
        assert_eq!(format_megabytes(1_234_560_000), "1,234.6 MB");
        let time = Timestamp::from_second(1_785_452_400).expect("in range");
        assert_eq!(format_minute(time), "2026-07-31 08:00 JST");
        assert_eq!(format_hour(time), "2026-07-31 08:00–08:59 JST");
        assert_eq!(format_unix_minute(i64::MAX), NO_VALUE);
    }

    #[test]
    fn large_numbers_are_abbreviated() {
        for (value, expected) in [
            (0.0, "0"),
            (0.05, "0.05"),
            (1.25, "1.2"),
            (250.0, "250"),
            (9_999.0, "9999"),
            (12_300.0, "12.3k"),
            (5_000_000.0, "5M"),
        ] {
            assert_eq!(abbreviate(value), expected);
        }
    }
}

#[cfg(test)]
mod chart_tests {
    use super::*;

    fn chart(values: Vec<Option<f64>>) -> Chart<'static> {
        let series = Series { class: "first", name: "a<b", values };
        let end_labels = ["then".to_owned(), "now".to_owned()];
        Chart { title: "requests", series: vec![series], end_labels, width: NARROW }
    }

    #[test]
    fn a_line_has_a_gap_for_a_missing_value() {
        let svg = chart(vec![Some(1.0), Some(2.0), None, Some(4.0)]).lines().into_string();
        let path = svg.split("class=\"line first\" d=\"").nth(1).expect("a line");
        let path = path.split('"').next().expect("its end");
        assert_eq!(path.matches('M').count(), 2, "{path}");
        assert_eq!(path.matches('L').count(), 1, "{path}");
        assert!(svg.contains("a&lt;b") && svg.contains(">5<"), "{svg}");
    }

    #[test]
    fn charts_of_any_values_have_valid_numbers() {
        for values in [vec![], vec![None], vec![Some(0.0)], vec![Some(f64::MAX), Some(1.0)]] {
            for svg in [chart(values.clone()).lines(), chart(values.clone()).bars()] {
                let svg = svg.into_string();
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{values:?}: {svg}");
            }
        }
    }
}
