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
    business: bool,
    fields: Vec<(Field, Text)>,
    /// The address concatenated; for a business also with its building and floor.
    lines: Vec<Text>,
}

/// A text made of pieces: a match may begin at a piece that begins a part, and finish at the end of any piece.
struct Text {
    whole: String,
    /// Bytes of a leading legal form, in which no match begins.
    form: usize,
    starts: Vec<usize>,
    ends: Vec<usize>,
}

impl Text {
    fn of(pieces: &[(&str, bool)], level: Level) -> Text {
        let mut text = Text { whole: String::new(), form: 0, starts: Vec::new(), ends: Vec::new() };
        for (piece, begins) in pieces {
            if *begins {
                text.starts.push(text.whole.len());
            }
            text.whole.push_str(&fold(piece, level));
            text.ends.push(text.whole.len());
        }
        text
    }

    /// 2 for a whole match, 1 for a beginning, 0 for a middle, best first; empty for none.
    fn matches(&self, keyword: &str) -> Vec<usize> {
        let places = (0..self.whole.len()).filter(|at| self.whole.is_char_boundary(*at));
        let places = places.filter(|at| self.whole[*at..].starts_with(keyword));
        let extent = |at: usize| {
            let end = at + keyword.len();
            match (self.starts.contains(&at) && end > self.form, self.ends.contains(&end)) {
                (true, true) => 2,
                (true, false) => 1,
                _ => 0,
            }
        };
        places.map(extent).collect()
    }
}

fn fold(text: &str, level: Level) -> String {
    let mut characters = Vec::new();
    folding::characters(text, level, &mut characters);
    characters.into_iter().collect()
}

fn kind(name: &str) -> [(&str, bool); 2] {
    let end =
        name.char_indices().next_back().filter(|(_, last)| "都府県郡市区町村".contains(*last));
    let (name, kind) = name.split_at(end.map_or(name.len(), |(at, _)| at));
    [(name, true), (kind, false)]
}

impl Model {
    pub(super) fn of(rows: &[PostalRow], cities: &[CityRow]) -> Model {
        let records = rows.iter().map(|row| Record::of(row, &cities[usize::from(row.city)]));
        Model { records: records.collect() }
    }

    /// Points of each record for a keyword; `None` if it does not match.
    pub(super) fn points(&self, field: Option<Field>, keyword: &str) -> Vec<Option<u16>> {
        let folded = [Level::Address, Level::Search].map(|level| fold(keyword, level));
        let points = |record: &Record| {
            let in_a_field = record.points(field, keyword, &folded);
            in_a_field.or_else(|| record.across(&folded[0]).filter(|_| field.is_none()))
        };
        self.records.iter().map(points).collect()
    }
}

impl Record {
    fn of(row: &PostalRow, city: &CityRow) -> Record {
        let address = |text: &str| Text::of(&[(text, true)], Level::Address);
        let names =
            [&city.prefecture, &city.county, &city.city_without_county_and_ward, &city.city_ward];
        let [prefecture, county, without, ward] = names.map(|name| kind(&name.name));
        let parts = [county, without, ward].concat();
        let mut fields = vec![
            (Field::Prefecture, Text::of(&prefecture, Level::Address)),
            (Field::City, Text::of(&parts, Level::Address)),
            (Field::Town, address(&row.town.name)),
            (Field::Koaza, address(&row.koaza)),
            (Field::KyotoStreet, address(&row.kyoto_street)),
            (Field::Building, address(&row.building)),
            (Field::Floor, address(&row.floor)),
        ];
        let mut line = vec![(city.prefecture.name.as_str(), true), (&city.city.name, true)];
        let mut lines = Vec::new();
        match &row.corporation {
            Some(corporation) => {
                fields.push((Field::BlockLot, address(&corporation.block_lot)));
                for (field, name, level) in [
                    (Field::Corporation, &corporation.name, Level::Address),
                    (Field::CorporationKana, &corporation.name_kana, Level::Search),
                ] {
                    let (form, proper) = match name.strip_prefix("株式会社　") {
                        Some(proper) if !proper.is_empty() => ("株式会社", proper),
                        _ => ("", name.as_str()),
                    };
                    let pieces = [(form, true), (proper, true)];
                    let mut text = Text::of(&pieces, level);
                    text.form = form.len();
                    text.ends.retain(|end| *end == text.whole.len());
                    fields.push((field, text));
                }
                // The address as printed.
                line.extend([(row.town_raw.as_str(), true), (&corporation.block_lot, true)]);
                let inside = [(row.building.as_str(), true), (&row.floor, true)];
                lines.push(Text::of(&inside, Level::Address));
            }
            None => line.extend([
                (row.town.name.as_str(), true),
                (&row.koaza, true),
                (&row.kyoto_street, true),
                (&row.building, true),
                (&row.floor, true),
            ]),
        }
        lines.push(Text::of(&line, Level::Address));
        Record {
            prefecture: city.prefecture.name.clone(),
            city: city.city.name.clone(),
            city_number: usize::from(row.city),
            code: row.postal_code,
            business: row.corporation.is_some(),
            fields,
            lines,
        }
    }

    fn points(&self, wanted: Option<Field>, keyword: &str, folded: &[String; 2]) -> Option<u16> {
        let (mut best, mut whole) = (0, 0);
        let mut take = |level: u16| {
            best = best.max(level);
            whole += u16::from(level >= 12);
        };
        for (field, text) in &self.fields {
            if wanted.is_some_and(|wanted| wanted != *field) {
                continue;
            }
            let of_kana = usize::from(*field == Field::CorporationKana);
            let folded = &folded[of_kana];
            let one_letter = folded.chars().count() == 1;
            for extent in text.matches(folded).into_iter().filter(|it| !one_letter || *it == 2) {
                take(LEVELS.iter().find(|(known, _)| known == field).expect("all ten").1[extent]);
            }
        }
        let digits: String = keyword.chars().filter(|c| *c != '-').collect();
        let hyphen = keyword.len() == 7 || keyword.find('-') == Some(3) && keyword.len() == 8;
        if wanted.is_none() && hyphen && digits.parse() == Ok(self.code) {
            take(15);
        }
        (best > 0).then(|| best * 16 + (whole.max(1) - 1).min(15))
    }

    /// A lower bound on the value of a match across fields: less than any inside a field.
    fn across(&self, keyword: &str) -> Option<u16> {
        let found = self.lines.iter().any(|line| !line.matches(keyword).is_empty());
        (found && keyword.chars().nth(1).is_some()).then_some(1)
    }

    fn is(&self, kind: DataKind) -> bool {
        let building = self
            .fields
            .iter()
            .any(|(field, text)| *field == Field::Building && !text.whole.is_empty());
        match kind {
            DataKind::Business => self.business,
            DataKind::Code => !self.business,
            DataKind::Area => !self.business && !building,
            DataKind::Building => !self.business && building,
        }
    }
}

const LEVELS: [(Field, [u16; 3]); 10] = [
    (Field::Town, [6, 11, 15]),
    (Field::Corporation, [6, 11, 15]),
    (Field::Prefecture, [4, 10, 15]),
    (Field::City, [4, 10, 15]),
    (Field::Building, [5, 10, 14]),
    (Field::Koaza, [4, 9, 13]),
    (Field::KyotoStreet, [4, 9, 13]),
    (Field::CorporationKana, [3, 9, 13]),
    (Field::BlockLot, [2, 8, 12]),
    (Field::Floor, [1, 8, 12]),
];

impl Model {
    /// Whether a record contains the keyword only across fields; the model does not order such records.
    pub(super) fn is_across(&self, keyword: &str) -> bool {
        self.points(None, keyword).iter().flatten().any(|points| *points < 16)
    }

    /// Whether each record matches a term.
    fn term(&self, term: &Term<Postal>) -> Vec<bool> {
        let found: Vec<bool> = match &term.what {
            What::Keyword { field, text } => {
                self.points(*field, text).iter().map(Option::is_some).collect()
            }
            What::Filter(Filter::Kind(kind)) => {
                self.records.iter().map(|record| record.is(*kind)).collect()
            }
            What::Filter(Filter::Facet(path)) => {
                let below = |record: &Record| {
                    let mut names = [&record.prefecture, &record.city].into_iter();
                    path.names().iter().all(|name| names.next() == Some(name))
                };
                self.records.iter().map(below).collect()
            }
            What::Group(_) => unreachable!("postal queries have no groups"),
        };
        found.into_iter().map(|found| found != term.excluded).collect()
    }

    /// Whether each record matches a query.
    fn finds(&self, q: &Expression) -> Vec<bool> {
        let (mut found, mut finding) = (vec![false; self.records.len()], false);
        let mut allowed = vec![true; self.records.len()];
        for clause in &q.clauses {
            let mut of_clause = vec![false; self.records.len()];
            for conjunction in &clause.conjunctions {
                let terms: Vec<_> = conjunction.terms.iter().map(|term| self.term(term)).collect();
                for (row, found) in of_clause.iter_mut().enumerate() {
                    *found |= terms.iter().all(|term| term[row]);
                }
            }
            finding |= !clause.restricts();
            let joined = if clause.restricts() { &mut allowed } else { &mut found };
            for (row, joined) in joined.iter_mut().enumerate() {
                match clause.restricts() {
                    true => *joined &= of_clause[row],
                    false => *joined |= of_clause[row],
                }
            }
        }
        let both = allowed.iter().zip(&found);
        both.map(|(allowed, found)| *allowed && (*found || !finding)).collect()
    }

    /// The weight of the municipality if a keyword is a prefix of its name or its prefecture's, else of the town.
    fn weight(&self, row: usize, keywords: &[(Option<Field>, &str)]) -> u8 {
        let suggestions = data().suggestions().expect("a sound file");
        let in_place = |(field, keyword): &(Option<Field>, &str)| {
            let folded = [fold(keyword, Level::Address), String::new()];
            let begins = |wanted: Field| {
                let points = self.records[row].points(Some(wanted), keyword, &folded);
                field.is_none_or(|field| field == wanted) && points.is_some_and(|it| it >= 10 * 16)
            };
            keyword.chars().nth(1).is_some() && (begins(Field::Prefecture) || begins(Field::City))
        };
        if keywords.is_empty() {
            return 0;
        }
        if !keywords.iter().any(in_place) {
            return suggestions.weight_of_row(row as u32);
        }
        let city = self.records[row].city_number;
        let mut weights = suggestions.weights_of_cities();
        weights.find(|(number, _)| *number == city).map_or(0, |(_, weight)| weight)
    }

    /// Rows, best first. Those with a keyword only across fields may be in any order.
    pub(super) fn answer(&self, q: &Expression) -> Vec<u32> {
        let mut rows: Vec<usize> =
            (0..).zip(self.finds(q)).filter(|(_, found)| *found).map(|(row, _)| row).collect();
        let mut keywords: Vec<(Option<Field>, &str)> = Vec::new();
        for term in q.terms().filter(|term| term.finds()) {
            if let What::Keyword { field, text } = &term.what
                && !keywords.contains(&(*field, text))
            {
                keywords.push((*field, text));
            }
        }
        let points: Vec<_> =
            keywords.iter().map(|(field, text)| self.points(*field, text)).collect();
        let worth = |row: usize| {
            let mut sum = 0;
            for points in &points {
                let matched = points.iter().flatten().count().max(1);
                let rarity = (self.records.len() / matched).ilog2() + 1;
                sum += u64::from(points[row].unwrap_or_default()) * u64::from(rarity);
            }
            let every = points.iter().all(|points| points[row].is_some());
            let is_place = !keywords.is_empty() && !self.records[row].business;
            (every, sum, is_place, self.weight(row, &keywords))
        };
        rows.sort_by_key(|row| std::cmp::Reverse(worth(*row)));
        rows.into_iter().map(|row| row as u32).collect()
    }
}
