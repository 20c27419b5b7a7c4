//! Numbers, texts and structures in Thrift's compact protocol, in which a Parquet file describes itself.

/// The types of fields that are written.
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// One structure that is being written; its fields come in ascending order of their numbers.
pub struct Structure<'o> {
    out: &'o mut Vec<u8>,
    last: u8,
}

/// Writes a structure: `fields` writes its fields.
pub fn structure(out: &mut Vec<u8>, fields: impl FnOnce(&mut Structure<'_>)) {
    fields(&mut Structure { out, last: 0 });
    out.push(0);
}

impl Structure<'_> {
    pub fn i32(&mut self, field: u8, value: i32) {
        self.field(field, I32);
        push_signed(self.out, value.into());
    }

    pub fn i64(&mut self, field: u8, value: i64) {
        self.field(field, I64);
        push_signed(self.out, value);
    }

    pub fn text(&mut self, field: u8, value: &str) {
        self.field(field, BINARY);
        push_text(self.out, value);
    }

    pub fn structure(&mut self, field: u8, fields: impl FnOnce(&mut Structure<'_>)) {
        self.field(field, STRUCT);
        structure(self.out, fields);
    }

    pub fn structures<T>(&mut self, field: u8, items: &[T], one: impl Fn(&T, &mut Structure<'_>)) {
        self.list(field, STRUCT, items.len());
        for item in items {
            structure(self.out, |fields| one(item, fields));
        }
    }

    pub fn i32s(&mut self, field: u8, values: &[i32]) {
        self.list(field, I32, values.len());
        values.iter().for_each(|value| push_signed(self.out, (*value).into()));
    }

    pub fn texts(&mut self, field: u8, values: &[&str]) {
        self.list(field, BINARY, values.len());
        values.iter().for_each(|value| push_text(self.out, value));
    }

    /// The head of a field: how far its number is from the last, and its type.
    fn field(&mut self, field: u8, kind: u8) {
        assert!(self.last < field && field - self.last < 16, "fields come in their order");
        self.out.push((field - self.last) << 4 | kind);
        self.last = field;
    }

    fn list(&mut self, field: u8, kind: u8, length: usize) {
        self.field(field, LIST);
        match u8::try_from(length) {
            Ok(length @ 0..15) => self.out.push(length << 4 | kind),
            _ => {
                self.out.push(0xF0 | kind);
                push_number(self.out, length as u64);
            }
        }
    }
}

fn push_text(out: &mut Vec<u8>, text: &str) {
    push_number(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Zigzag: small numbers of either sign take few bytes.
fn push_signed(out: &mut Vec<u8>, value: i64) {
    push_number(out, ((value << 1) ^ (value >> 63)).cast_unsigned());
}

/// Seven bits a byte, the lowest first.
pub fn push_number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_the_protocol_defines() {
        for (value, expected) in [
            (0, &[0][..]),
            (-1, &[1]),
            (1, &[2]),
            (63, &[126]),
            (64, &[0x80, 1]),
            (i64::MIN, &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]),
        ] {
            let mut out = Vec::new();
            push_signed(&mut out, value);
            assert_eq!(out, expected, "{value}");
        }
    }

    #[test]
    fn fields_and_lists_have_their_heads() {
        let mut out = Vec::new();
        structure(&mut out, |fields| {
            fields.i32(1, 1);
            fields.text(4, "a");
            fields.i32s(5, &[0; 15]);
            fields.structure(10, |_| {});
        });
        let mut expected = vec![0x15, 2, 0x38, 1, b'a', 0x19, 0xF5, 15];
        expected.extend([0; 15]);
        expected.extend([0x5C, 0, 0]);
        assert_eq!(out, expected);
    }
}
