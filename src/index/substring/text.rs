//! The texts of all rows as letters, one behind the other.

use std::ops::Range;

use super::BuildFault;
use super::dictionary::Letter;

/// The texts and their alphabet.
pub struct Texts {
    /// The characters of the letters, ascending.
    pub alphabet: Vec<u32>,
    /// All letters.
    pub letters: Vec<Letter>,
    /// Where the text of each row begins; and the end.
    starts: Vec<u32>,
}

/// In the numbers of characters: it was not met yet.
const UNMET: Letter = Letter::MAX;

impl Texts {
    /// Takes the text of each row, which `text` puts into the empty buffer it is given.
    pub fn read(rows: u32, mut text: impl FnMut(u32, &mut Vec<char>)) -> Result<Texts, BuildFault> {
        let mut numbers = vec![UNMET; char::MAX as usize + 1];
        let mut met = Vec::new();
        let mut texts = Texts {
            alphabet: Vec::new(),
            letters: Vec::new(),
            starts: Vec::with_capacity(rows as usize + 1),
        };
        texts.starts.push(0);
        let mut buffer = Vec::new();
        for row in 0..rows {
            buffer.clear();
            text(row, &mut buffer);
            for character in &buffer {
                let number = &mut numbers[*character as usize];
                if *number == UNMET {
                    let next = Letter::try_from(met.len()).ok().filter(|next| *next != UNMET);
                    *number = next.ok_or(BuildFault::Alphabet)?;
                    met.push(u32::from(*character));
                }
                texts.letters.push(*number);
            }
            let end = u32::try_from(texts.letters.len()).ok().ok_or(BuildFault::Letters)?;
            texts.starts.push(end);
        }
        texts.sort(met);
        Ok(texts)
    }

    /// Numbers the letters in the order of their characters instead of the order they were met in.
    fn sort(&mut self, met: Vec<u32>) {
        let mut order: Vec<Letter> = (0..met.len() as Letter).collect();
        order.sort_unstable_by_key(|number| met[usize::from(*number)]);
        let mut letters = vec![0; met.len()];
        for (letter, number) in (0..).zip(&order) {
            letters[usize::from(*number)] = letter;
        }
        for letter in &mut self.letters {
            *letter = letters[usize::from(*letter)];
        }
        self.alphabet = order.iter().map(|number| met[usize::from(*number)]).collect();
    }

    /// How many rows there are.
    pub fn rows(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// Each row, and where its letters lie.
    pub fn ranges(&self) -> impl Iterator<Item = (u32, Range<usize>)> {
        self.starts
            .windows(2)
            .zip(0..)
            .map(|(bounds, row)| (row, bounds[0] as usize..bounds[1] as usize))
    }
}
