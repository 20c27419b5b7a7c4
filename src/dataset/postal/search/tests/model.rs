//! A simple model of the search, without an index: it reads the folded texts of every record.

use super::*;

/// The model: every record's fields, folded, each with the parts that count as a whole.
pub(super) struct Model {
    pub(super) records: Vec<Record>,
}

pub(super) struct Record {
    pub(super) prefecture: String,
    pub(super) city: String,
    /// The index of the municipality in the tables.
    city_number: usize,
    code: u32,
    is_business: bool,
    fields: Vec<(PostalField, Text)>,
    /// The address concatenated; for a business also with its building and floor.
    lines: Vec<Text>,
}

/// A text made of pieces. A match covers the beginning of the field if it begins where a marked piece begins, and
/// the whole field if it also ends where a piece ends.
struct Text {
    whole: String,
    /// Bytes of a leading legal form; a match inside it covers the middle only.
    form_bytes: usize,
    starts: Vec<usize>,
    ends: Vec<usize>,
}

impl Text {
    /// Each piece with whether a match may begin with it.
    fn new(pieces: &[(&str, bool)], level: Level) -> Text {
        let mut text =
            Text { whole: String::new(), form_bytes: 0, starts: Vec::new(), ends: Vec::new() };
        for (piece, begins) in pieces {
            if *begins {
                text.starts.push(text.whole.len());
            }
            text.whole.push_str(&fold(piece, level));
            text.ends.push(text.whole.len());
        }
        text
    }

    /// Each match of a keyword: 2 for the whole field, 1 for its beginning, 0 for its middle.
    fn matches(&self, keyword: &str) -> Vec<usize> {
        let offsets = (0..self.whole.len()).filter(|start| self.whole.is_char_boundary(*start));
        let starts = offsets.filter(|start| self.whole[*start..].starts_with(keyword));
        let coverage = |start: usize| {
            let end = start + keyword.len();
            match (self.starts.contains(&start) && end > self.form_bytes, self.ends.contains(&end))
            {
                (true, true) => 2,
                (true, false) => 1,
                _ => 0,
            }
        };
        starts.map(coverage).collect()
    }
}

fn fold(text: &str, level: Level) -> String {
    crate::text::fold::search_key(text, level)
}

/// A name of an area, split from its final kind of area.
fn split_kind(name: &str) -> [(&str, bool); 2] {
    let end =
        name.char_indices().next_back().filter(|(_, last)| "都府県郡市区町村".contains(*last));
    let (name, kind) = name.split_at(end.map_or(name.len(), |(offset, _)| offset));
    [(name, true), (kind, false)]
}

impl Model {
    pub(super) fn new(rows: &[PostalRow], cities: &[CityRow]) -> Model {
        let records = rows.iter().map(|row| Record::new(row, &cities[usize::from(row.city)]));
        Model { records: records.collect() }
    }

    /// Points of each record for a keyword; `None` if it does not match.
    pub(super) fn points(&self, field: Option<PostalField>, keyword: &str) -> Vec<Option<u16>> {
        let folded = [Level::Address, Level::Search].map(|level| fold(keyword, level));
        let points = |record: &Record| {
            let in_field = record.points(field, keyword, &folded);
            in_field.or_else(|| record.points_across_fields(&folded[0]).filter(|_| field.is_none()))
        };
        self.records.iter().map(points).collect()
    }
}

impl Record {
    fn new(row: &PostalRow, city: &CityRow) -> Record {
        let address = |text: &str| Text::new(&[(text, true)], Level::Address);
        let names =
            [&city.prefecture, &city.county, &city.city_without_county_and_ward, &city.city_ward];
        let [prefecture, county, without, ward] = names.map(|name| split_kind(&name.name));
        let parts = [county, without, ward].concat();
        let mut fields = vec![
            (PostalField::Prefecture, Text::new(&prefecture, Level::Address)),
            (PostalField::City, Text::new(&parts, Level::Address)),
            (PostalField::Town, address(&row.town.name)),
            (PostalField::Koaza, address(&row.koaza)),
            (PostalField::KyotoStreet, address(&row.kyoto_street)),
            (PostalField::Building, address(&row.building)),
            (PostalField::Floor, address(&row.floor)),
        ];
        let mut line = vec![(city.prefecture.name.as_str(), true), (&city.city.name, true)];
        let mut lines = Vec::new();
        match &row.corporation {
            Some(corporation) => {
                fields.push((PostalField::BlockLot, address(&corporation.block_lot)));
                for (field, name, level) in [
                    (PostalField::Corporation, &corporation.name, Level::Address),
                    (PostalField::CorporationKana, &corporation.name_kana, Level::Search),
                ] {
                    let (form, proper) = match name.strip_prefix("株式会社　") {
                        Some(proper) if !proper.is_empty() => ("株式会社", proper),
                        _ => ("", name.as_str()),
                    };
                    let pieces = [(form, true), (proper, true)];
                    let mut text = Text::new(&pieces, level);
                    text.form_bytes = form.len();
                    text.ends.retain(|end| *end == text.whole.len());
                    fields.push((field, text));
                }
                // The address as printed.
                line.extend([(row.town_raw.as_str(), true), (&corporation.block_lot, true)]);
                let inside = [(row.building.as_str(), true), (&row.floor, true)];
                lines.push(Text::new(&inside, Level::Address));
            }
            None => line.extend([
                (row.town.name.as_str(), true),
                (&row.koaza, true),
                (&row.kyoto_street, true),
                (&row.building, true),
                (&row.floor, true),
            ]),
        }
        lines.push(Text::new(&line, Level::Address));
        Record {
            prefecture: city.prefecture.name.clone(),
            city: city.city.name.clone(),
            city_number: usize::from(row.city),
            code: row.postal_code,
            is_business: row.corporation.is_some(),
            fields,
            lines,
        }
    }

    fn points(
        &self,
        wanted: Option<PostalField>,
        keyword: &str,
        folded: &[String; 2],
    ) -> Option<u16> {
        let (mut best, mut whole) = (0, 0);
        let mut add = |level: u16| {
            best = best.max(level);
            whole += u16::from(level >= 12);
        };
        for (field, text) in &self.fields {
            if wanted.is_some_and(|wanted| wanted != *field) {
                continue;
            }
            let of_kana = usize::from(*field == PostalField::CorporationKana);
            let folded = &folded[of_kana];
            let one_letter = folded.chars().count() == 1;
            for coverage in text.matches(folded).into_iter().filter(|it| !one_letter || *it == 2) {
                add(LEVELS.iter().find(|(known, _)| known == field).expect("all ten").1[coverage]);
            }
        }
        let digits: String = keyword.chars().filter(|c| *c != '-').collect();
        let hyphen = keyword.len() == 7 || keyword.find('-') == Some(3) && keyword.len() == 8;
        if wanted.is_none() && hyphen && digits.parse() == Ok(self.code) {
            add(15);
        }
        (best > 0).then(|| best * 16 + (whole.max(1) - 1).min(15))
    }

    /// The least points of a match across fields, fewer than any match inside a field has.
    fn points_across_fields(&self, keyword: &str) -> Option<u16> {
        let found = self.lines.iter().any(|line| !line.matches(keyword).is_empty());
        (found && keyword.chars().nth(1).is_some()).then_some(1)
    }

    fn is_of_kind(&self, kind: RecordKind) -> bool {
        let building = self
            .fields
            .iter()
            .any(|(field, text)| *field == PostalField::Building && !text.whole.is_empty());
        match kind {
            RecordKind::Business => self.is_business,
            RecordKind::Code => !self.is_business,
            RecordKind::Area => !self.is_business && !building,
            RecordKind::Building => !self.is_business && building,
        }
    }
}

const LEVELS: [(PostalField, [u16; 3]); 10] = [
    (PostalField::Town, [6, 11, 15]),
    (PostalField::Corporation, [6, 11, 15]),
    (PostalField::Prefecture, [4, 10, 15]),
    (PostalField::City, [4, 10, 15]),
    (PostalField::Building, [5, 10, 14]),
    (PostalField::Koaza, [4, 9, 13]),
    (PostalField::KyotoStreet, [4, 9, 13]),
    (PostalField::CorporationKana, [3, 9, 13]),
    (PostalField::BlockLot, [2, 8, 12]),
    (PostalField::Floor, [1, 8, 12]),
];

impl Model {
    /// Whether some record contains the keyword only across fields; the model does not order such records.
    pub(super) fn has_matches_across_fields(&self, keyword: &str) -> bool {
        self.points(None, keyword).iter().flatten().any(|points| *points < 16)
    }

    /// Whether each record matches a term.
    fn term(&self, term: &Term<PostalVocabulary>) -> Vec<bool> {
        let found: Vec<bool> = match &term.kind {
            TermKind::Keyword { field, text } => {
                self.points(*field, text).iter().map(Option::is_some).collect()
            }
            TermKind::Filter(PostalFilter::Kind(kind)) => {
                self.records.iter().map(|record| record.is_of_kind(*kind)).collect()
            }
            TermKind::Filter(PostalFilter::Facet(path)) => {
                let is_in_area = |record: &Record| {
                    let mut names = [&record.prefecture, &record.city].into_iter();
                    path.names().iter().all(|name| names.next() == Some(name))
                };
                self.records.iter().map(is_in_area).collect()
            }
            TermKind::Group(_) => unreachable!("postal queries have no groups"),
        };
        found.into_iter().map(|found| found != term.excluded).collect()
    }

    /// Whether each record matches a query.
    fn matching(&self, q: &PostalQuery) -> Vec<bool> {
        let (mut found, mut finds_rows) = (vec![false; self.records.len()], false);
        let mut allowed = vec![true; self.records.len()];
        for clause in &q.clauses {
            let mut of_clause = vec![false; self.records.len()];
            for conjunction in &clause.conjunctions {
                let terms: Vec<_> = conjunction.terms.iter().map(|term| self.term(term)).collect();
                for (row, found) in of_clause.iter_mut().enumerate() {
                    *found |= terms.iter().all(|term| term[row]);
                }
            }
            finds_rows |= !clause.only_restricts();
            let joined = if clause.only_restricts() { &mut allowed } else { &mut found };
            for (row, joined) in joined.iter_mut().enumerate() {
                match clause.only_restricts() {
                    true => *joined &= of_clause[row],
                    false => *joined |= of_clause[row],
                }
            }
        }
        let both = allowed.iter().zip(&found);
        both.map(|(allowed, found)| *allowed && (*found || !finds_rows)).collect()
    }

    /// The weight of the municipality if a keyword is a prefix of its name or its prefecture's, else of the town.
    fn weight(&self, row: usize, keywords: &[(Option<PostalField>, &str)]) -> u8 {
        let suggestions = data().suggestions().expect("a sound file");
        let names_city = |(field, keyword): &(Option<PostalField>, &str)| {
            let folded = [fold(keyword, Level::Address), String::new()];
            let begins = |wanted: PostalField| {
                let points = self.records[row].points(Some(wanted), keyword, &folded);
                field.is_none_or(|field| field == wanted) && points.is_some_and(|it| it >= 10 * 16)
            };
            keyword.chars().nth(1).is_some()
                && (begins(PostalField::Prefecture) || begins(PostalField::City))
        };
        if keywords.is_empty() {
            return 0;
        }
        if !keywords.iter().any(names_city) {
            return suggestions.weight_of_row(row as u32);
        }
        let city = self.records[row].city_number;
        let mut weights = suggestions.weights_of_cities();
        weights.find(|(number, _)| *number == city).map_or(0, |(_, weight)| weight)
    }

    /// Rows, best first. Those with a keyword only across fields may be in any order.
    pub(super) fn results(&self, q: &PostalQuery) -> Vec<u32> {
        let mut rows: Vec<usize> =
            (0..).zip(self.matching(q)).filter(|(_, found)| *found).map(|(row, _)| row).collect();
        let mut keywords: Vec<(Option<PostalField>, &str)> = Vec::new();
        for term in q.terms().filter(|term| term.finds_rows()) {
            if let TermKind::Keyword { field, text } = &term.kind
                && !keywords.contains(&(*field, text))
            {
                keywords.push((*field, text));
            }
        }
        let points: Vec<_> =
            keywords.iter().map(|(field, text)| self.points(*field, text)).collect();
        let sort_key = |row: usize| {
            let mut sum = 0;
            for points in &points {
                let matched = points.iter().flatten().count().max(1);
                let rarity = (self.records.len() / matched).ilog2() + 1;
                sum += u64::from(points[row].unwrap_or_default()) * u64::from(rarity);
            }
            let every = points.iter().all(|points| points[row].is_some());
            let is_place = !keywords.is_empty() && !self.records[row].is_business;
            (every, sum, is_place, self.weight(row, &keywords))
        };
        rows.sort_by_key(|row| std::cmp::Reverse(sort_key(*row)));
        rows.into_iter().map(|row| row as u32).collect()
    }
}
