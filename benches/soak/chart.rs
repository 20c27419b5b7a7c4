//! The chart of a run: five panels over the same time axis, with the events marked in each.

use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::events::Event;
use crate::record::{Figure, Sample};

type Failure = Box<dyn std::error::Error>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

struct Panel {
    title: &'static str,
    lines: &'static [(&'static str, RGBColor, Figure)],
}

const PANELS: &[Panel] = &[
    Panel {
        title: "memory, MiB",
        lines: &[
            ("resident", BLUE, |it| it.resident_mib),
            ("without mapped files", RED, |it| it.anonymous_mib),
        ],
    },
    Panel {
        title: "descriptors and threads",
        lines: &[("descriptors", BLUE, |it| it.descriptors), ("threads", RED, |it| it.threads)],
    },
    Panel { title: "answers a second", lines: &[("answers", BLUE, |it| it.answers)] },
    Panel {
        title: "look-ups, ms",
        lines: &[("p50", BLUE, |it| it.p50_ms), ("p99", RED, |it| it.p99_ms)],
    },
    Panel {
        title: "answers since the start",
        lines: &[
            ("503 while the store was down", BLUE, |it| it.without_store),
            ("wrong", RED, |it| it.wrong),
        ],
    },
];

/// The events that are marked, and their colours. Published days are too frequent to mark.
const MARKS: &[(Event, RGBColor)] = &[
    (Event::StoreGone, RGBColor(200, 60, 60)),
    (Event::ReceiverClosed, RGBColor(230, 150, 40)),
    (Event::MonthPublished, RGBColor(60, 150, 80)),
    (Event::Pruned, RGBColor(120, 120, 120)),
    (Event::Hangup, RGBColor(90, 90, 200)),
];

const WIDTH: u32 = 1400;
const PANEL_HEIGHT: u32 = 240;
const LEGEND_HEIGHT: u32 = 30;

/// Draws the chart of a run into a file.
pub fn draw(path: &Path, samples: &[Sample], events: &[(f64, Event)]) -> Result<(), Failure> {
    let height = LEGEND_HEIGHT + PANEL_HEIGHT * u32::try_from(PANELS.len())?;
    let root = SVGBackend::new(path, (WIDTH, height)).into_drawing_area();
    root.fill(&WHITE)?;
    let (legend, panels) = root.split_vertically(LEGEND_HEIGHT);
    draw_legend(&legend)?;
    for (panel, area) in PANELS.iter().zip(panels.split_evenly((PANELS.len(), 1))) {
        panel.draw(&area, samples, events)?;
    }
    root.present()?;
    Ok(())
}

fn draw_legend(area: &Area<'_>) -> Result<(), Failure> {
    let mut left = 70;
    for (event, colour) in MARKS {
        area.draw(&Rectangle::new([(left, 8), (left + 3, 24)], colour.filled()))?;
        area.draw(&Text::new(event.name(), (left + 10, 8), ("sans-serif", 16)))?;
        left += 190;
    }
    Ok(())
}

impl Panel {
    fn draw(
        &self,
        area: &Area<'_>,
        samples: &[Sample],
        events: &[(f64, Event)],
    ) -> Result<(), Failure> {
        let end = samples.last().map_or(1.0, |last| last.seconds);
        let all = samples.iter().flat_map(|sample| self.lines.iter().map(|line| line.2(sample)));
        let top = all.fold(1.0, f64::max) * 1.1;
        let mut chart = ChartBuilder::on(area)
            .caption(self.title, ("sans-serif", 16))
            .margin(6)
            .x_label_area_size(22)
            .y_label_area_size(60)
            .build_cartesian_2d(0.0..end, 0.0..top)?;
        chart.configure_mesh().disable_x_mesh().light_line_style(TRANSPARENT).draw()?;
        for (event, colour) in MARKS {
            let times =
                events.iter().filter(|(_, found)| found == event).map(|(seconds, _)| *seconds);
            for seconds in times.filter(|seconds| *seconds <= end) {
                let line = [(seconds, 0.0), (seconds, top)];
                chart.draw_series(LineSeries::new(line, colour.mix(0.35)))?;
            }
        }
        for (name, colour, value) in self.lines {
            let points = samples.iter().map(|sample| (sample.seconds, value(sample)));
            let colour = *colour;
            chart.draw_series(LineSeries::new(points, colour))?.label(*name).legend(
                move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)),
            );
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.8))
            .label_font(("sans-serif", 14))
            .draw()?;
        Ok(())
    }
}
