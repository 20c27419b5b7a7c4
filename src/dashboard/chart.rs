//! Charts as inline SVG, drawn here so that a page without script has them too.
//!
//! A chart is a picture with a name; whoever cannot see it finds the same numbers in the table that
//! a page puts beside it. Colours come from the style sheet, so that they follow light and dark.

use super::html::{Html, html};

const HEIGHT: f64 = 150.0;
const LEFT: f64 = 44.0;
const BOTTOM: f64 = 22.0;
const TOP: f64 = 10.0;

/// One line of a chart, or one layer of its bars.
pub struct Series<'c> {
    /// The class that colours it: `first`, `second`.
    pub class: &'static str,
    /// What it is.
    pub name: &'c str,
    /// The values; `None` where there is none.
    pub values: Vec<Option<f64>>,
}

/// What is drawn.
pub struct Chart<'c> {
    /// What the picture is called.
    pub title: &'c str,
    /// The lines, or layers from the back to the front.
    pub series: Vec<Series<'c>>,
    /// What stands below the first and the last value.
    pub ends: (String, String),
    /// How wide it is, in units of which the height has 150; text keeps its size.
    pub width: f64,
}

/// The width of a chart that shares a row with two others.
pub const NARROW: f64 = 420.0;

/// The width of a chart that has the row for itself.
pub const WIDE: f64 = 1000.0;

impl Chart<'_> {
    /// The values as lines from the left to the right.
    pub fn lines(&self) -> Html {
        self.draw(|out, series, top| {
            let step = (self.width - LEFT) / (series.values.len().max(2) - 1) as f64;
            let mut path = String::new();
            let mut is_down = false;
            for (at, value) in series.values.iter().enumerate() {
                let Some(value) = value else {
                    is_down = false;
                    continue;
                };
                let command = if is_down { 'L' } else { 'M' };
                // The `h0` makes a lone value a dot.
                let dot = if is_down { "" } else { "h0" };
                path.push_str(&format!(
                    "{command}{:.1} {:.1}{dot}",
                    LEFT + at as f64 * step,
                    y(*value, top)
                ));
                is_down = true;
            }
            html!(out, "<path class=\"line " (series.class) "\" d=\"" (path) "\"/>");
        })
    }

    /// The values as bars, a layer in front of the other.
    pub fn bars(&self) -> Html {
        self.draw(|out, series, top| {
            let step = (self.width - LEFT) / series.values.len().max(1) as f64;
            for (at, value) in series.values.iter().enumerate() {
                let Some(value) = value.filter(|value| *value > 0.0) else { continue };
                let (x, y) = (LEFT + at as f64 * step + step * 0.12, y(value, top));
                html!(out, "<rect class=\"bar " (series.class) "\" x=\"" (format!("{x:.1}"))
                    "\" y=\"" (format!("{y:.1}")) "\" width=\"" (format!("{:.1}", step * 0.76))
                    "\" height=\"" (format!("{:.1}", HEIGHT - BOTTOM - y)) "\"/>");
            }
        })
    }

    /// Frame, axis and legend around what `each` draws of every series.
    fn draw(&self, each: impl Fn(&mut Html, &Series<'_>, f64)) -> Html {
        let values = self.series.iter().flat_map(|series| &series.values).flatten();
        let top = ceiling(values.fold(0.0, |most: f64, value| most.max(*value)));
        let mut out = Html::empty();
        html!(&mut out, "<figure class=\"chart\"><figcaption>"(self.title));
        for series in &self.series {
            html!(&mut out, " <span class=\"legend " (series.class) "\">" (series.name) "</span>");
        }
        html!(&mut out, "</figcaption><svg viewBox=\"0 0 " (self.width) " " (HEIGHT)
            "\" role=\"img\" aria-label=\"" (self.title) "\">");
        for share in [0.0, 0.5, 1.0] {
            let at = y(top * share, top);
            html!(&mut out, "<path class=\"rule\" d=\"M" (LEFT) " " (format!("{at:.1}")) "H" (self.width)
                "\"/><text class=\"end\" x=\"" (LEFT - 6.0) "\" y=\"" (format!("{:.1}", at + 4.0))
                "\">" (short(top * share)) "</text>");
        }
        for series in &self.series {
            each(&mut out, series, top);
        }
        html!(&mut out, "<text x=\"" (LEFT) "\" y=\"" (HEIGHT - 4.0) "\">" (self.ends.0)
            "</text><text class=\"end\" x=\"" (self.width) "\" y=\"" (HEIGHT - 4.0) "\">" (self.ends.1)
            "</text></svg></figure>");
        out
    }
}

/// Where a value stands.
fn y(value: f64, top: f64) -> f64 {
    HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * (value / top).clamp(0.0, 1.0)
}

/// The next round number: 1, 2 or 5 and zeros. Of nothing 1, so that the axis has numbers.
fn ceiling(value: f64) -> f64 {
    if value <= 0.0 {
        return 1.0;
    }
    let mut step = 0.01;
    // Bounded: a u64 has 20 digits.
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

/// A number in few characters.
pub fn short(value: f64) -> String {
    let (value, letter) = match value {
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
    format!("{text}{letter}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(values: Vec<Option<f64>>) -> Chart<'static> {
        let series = Series { class: "first", name: "a<b", values };
        let ends = ("then".to_owned(), "now".to_owned());
        Chart { title: "requests", series: vec![series], ends, width: NARROW }
    }

    #[test]
    fn a_line_breaks_where_there_is_no_value() {
        let svg = chart(vec![Some(1.0), Some(2.0), None, Some(4.0)]).lines().into_string();
        let path = svg.split("class=\"line first\" d=\"").nth(1).expect("a line");
        let path = path.split('"').next().expect("its end");
        assert_eq!(path.matches('M').count(), 2, "{path}");
        assert_eq!(path.matches('L').count(), 1, "{path}");
        assert!(svg.contains("a&lt;b") && svg.contains(">5<"), "{svg}");
    }

    #[test]
    fn charts_of_anything_have_no_broken_numbers() {
        for values in [vec![], vec![None], vec![Some(0.0)], vec![Some(f64::MAX), Some(1.0)]] {
            for svg in [chart(values.clone()).lines(), chart(values.clone()).bars()] {
                let svg = svg.into_string();
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{values:?}: {svg}");
            }
        }
    }

    #[test]
    fn numbers_are_short() {
        for (value, expected) in [
            (0.0, "0"),
            (0.05, "0.05"),
            (1.25, "1.2"),
            (250.0, "250"),
            (9_999.0, "9999"),
            (12_300.0, "12.3k"),
            (5_000_000.0, "5M"),
        ] {
            assert_eq!(short(value), expected);
        }
    }
}
