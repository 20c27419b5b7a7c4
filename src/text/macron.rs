//! Roman vowels with the mark of a long one, a stroke or a hat, as Hepburn's romanisation writes them. Knows small
//! letters only.

/// A letter without that mark; any other as it is.
pub fn without_macron(letter: char) -> char {
    match letter {
        'ā' | 'â' => 'a',
        'ī' | 'î' => 'i',
        'ū' | 'û' => 'u',
        'ē' | 'ê' => 'e',
        'ō' | 'ô' => 'o',
        other => other,
    }
}
