//! The context of a tail, and the result of parsing it.

/// What is known about the place before the tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Context {
    /// Whether residence indication (chome, block, house) is in force; `None` if unknown.
    pub residence_indication: Option<bool>,
    /// Whether the lot begins with a chome; `None` if unknown.
    pub has_chome: Option<bool>,
    /// Whether a chome in kanji may be part of a town's name (三本木五丁目); also true in Kyoto.
    pub chome_is_name: bool,
    /// A building with a known name, as a range of folded characters: after the lot, before floor and room.
    pub building: Option<(usize, usize)>,
    /// A known side of a chome between two numbers of the lot, as a range of folded characters: 北 in 南郷通7北1-1.
    pub side: Option<(usize, usize)>,
}

/// What a span of the tail is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// A name before the lot; or a whole tail without lot, floor and building.
    Aza,
    /// The lot with its units, letters (甲, イ) and remarks (外３筆, 地先).
    Lot,
    /// A building, an institution, 様方.
    Building,
    FloorRoom,
    /// The name after floor and room: a tenant or a wing.
    Tenant,
    /// The floor or room after the tenant, or after a building that follows a room.
    SecondRoom,
    /// Spaces, brackets, hyphens between the parts.
    Separator,
    /// Remarks: a telephone number, a nearby place, another address.
    Unplaced,
}

/// A range of the text, in bytes of the text before folding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TailSpan {
    pub part: Part,
    pub start: u32,
    pub end: u32,
}

/// The first four numbers of a lot, from the largest unit to the smallest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LotNumbers {
    numbers: [u32; 4],
    count: usize,
}

impl LotNumbers {
    /// The numbers up to the first with more than 32 bits.
    pub(super) fn from_values(values: impl Iterator<Item = u64>) -> LotNumbers {
        let mut lot = LotNumbers::default();
        let numbers = values.map_while(|value| u32::try_from(value).ok());
        for (target, number) in lot.numbers.iter_mut().zip(numbers) {
            *target = number;
            lot.count += 1;
        }
        lot
    }

    pub fn as_slice(&self) -> &[u32] {
        &self.numbers[..self.count]
    }
}

/// A tail in its parts. Its buffers are reused by the next [`parse`](super::parse).
#[derive(Debug, Clone, Default)]
pub struct Tail {
    pub(super) lot_num: String,
    pub(super) lot_with_letters: String,
    pub(super) lot_numbers: LotNumbers,
    pub(super) spans: Vec<TailSpan>,
    pub(super) floors: Option<(u32, u32)>,
}

impl Tail {
    pub(super) fn clear_lot(&mut self) {
        self.lot_num.clear();
        self.lot_with_letters.clear();
        self.lot_numbers = LotNumbers::default();
    }

    /// Half-width numbers joined by hyphens; `None` for 無番地, which is also a [`Part::Lot`].
    pub fn lot_num(&self) -> Option<&str> {
        (!self.lot_num.is_empty()).then_some(&*self.lot_num)
    }

    /// The numbers with the letters before, between and after them: `甲158-1`, `3-乙533-1`, `12-甲`. Latin letters are
    /// left out.
    pub fn lot_with_letters(&self) -> Option<&str> {
        let lot = Some(&*self.lot_with_letters).filter(|lot| !lot.is_empty());
        lot.or(self.lot_num())
    }

    pub fn lot_numbers(&self) -> LotNumbers {
        self.lot_numbers
    }

    /// In order, without gap or overlap. Only separators and unplaced text occur twice.
    pub fn spans(&self) -> &[TailSpan] {
        &self.spans
    }

    pub fn range(&self, part: Part) -> Option<(u32, u32)> {
        let span = self.spans.iter().find(|span| span.part == part)?;
        Some((span.start, span.end))
    }

    /// Only the floors, in bytes: a range of [`Part::FloorRoom`], or else of [`Part::SecondRoom`].
    pub fn floors(&self) -> Option<(u32, u32)> {
        self.floors
    }
}
