//! Removes the marks of long vowels in Hepburn romanisation, a macron or a circumflex. Knows small letters only.

/// The letter without its mark; any other as it is.
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
