//! A line of a trace, cut into fields.

use std::ops::Range;

/// A line whose fields are separated by `:` and `,`.
pub(super) struct FieldLine<'a> {
    pub(super) text: &'a str,
    /// The bytes of the line in the text.
    pub(super) span: Range<usize>,
    /// The end of each field. Kept from line to line, so that lines do not allocate.
    ends: Vec<usize>,
}

impl<'a> FieldLine<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, span: 0..0, ends: Vec::new() }
    }

    /// Moves to the line that begins at byte `start`, and cuts it into fields. Returns the start of the next line, or `None` at the end
    /// of the text.
    #[inline]
    pub(super) fn advance(&mut self, start: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        if start == bytes.len() {
            return None;
        }
        self.ends.clear();
        let end = self.find_ends(start);
        let is_crlf = bytes[start..end].ends_with(b"\r");
        self.span = start..end - usize::from(is_crlf);
        self.ends.push(self.span.end);
        Some((end + 1).min(bytes.len()))
    }

    /// Collects the separators from byte `start` to the end of the line, which is returned. Eight bytes at a time, as lines are long
    /// and have separators at irregular distances.
    #[inline]
    fn find_ends(&mut self, start: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut position = start;
        while let Some(word) = bytes.get(position..position + 8).and_then(|word| <[u8; 8]>::try_from(word).ok()) {
            let word = u64::from_le_bytes(word);
            let breaks = bytes_equal(word, b'\n');
            let mut separators = bytes_equal(word, b':') | bytes_equal(word, b',');
            // those before the end of the line
            separators &= (breaks & breaks.wrapping_neg()).wrapping_sub(1);
            while separators != 0 {
                self.ends.push(position + (separators.trailing_zeros() / 8) as usize);
                separators &= separators - 1;
            }
            if breaks != 0 {
                return position + (breaks.trailing_zeros() / 8) as usize;
            }
            position += 8;
        }
        for (index, &byte) in (position..).zip(&bytes[position..]) {
            match byte {
                b'\n' => return index,
                b':' | b',' => self.ends.push(index),
                _ => {}
            }
        }
        bytes.len()
    }

    /// The name of the call, if the line is one.
    #[inline]
    pub(super) fn name(&self) -> Option<&'a str> {
        Some(self.field(0)).filter(|name| name.starts_with("MPI_"))
    }

    /// The number of fields, the name included.
    pub(super) fn fields(&self) -> usize {
        self.ends.len()
    }

    /// The bytes of field `index` of the line.
    ///
    /// # Panics
    /// If there is no such field.
    #[inline]
    pub(super) fn range(&self, index: usize) -> Range<usize> {
        let start = if index == 0 { self.span.start } else { self.ends[index - 1] + 1 };
        start..self.ends[index]
    }

    /// Field `index`, as [`Self::range`].
    #[inline]
    pub(super) fn field(&self, index: usize) -> &'a str {
        &self.text[self.range(index)]
    }
}

/// The highest bit of each byte of `word` that is equal to `byte`.
#[inline]
fn bytes_equal(word: u64, byte: u8) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let difference = word ^ u64::from_le_bytes([byte; 8]);
    !(((difference & LOW) + LOW) | difference | LOW)
}

/// A time of a trace, or a duration, in femtoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TraceTime(u128);

/// The femtoseconds of a microsecond.
const FEMTOSECONDS: u64 = 1_000_000_000;

/// The most microseconds: products with the ticks of a microsecond have 128 bits.
const MOST: u64 = 100_000_000_000_000_000;

impl TraceTime {
    /// The time that `text` states in decimal microseconds.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut digits = text.bytes();
        let mut micros = 0;
        loop {
            match digits.next() {
                Some(digit @ b'0'..=b'9') if micros < MOST => micros = 10 * micros + u64::from(digit - b'0'),
                Some(b'.') | None => break,
                Some(_) => return None,
            }
        }
        if micros >= MOST || !text.as_bytes().first()?.is_ascii_digit() {
            return None;
        }
        let mut decimals = 0;
        let mut unit = FEMTOSECONDS;
        for digit in digits {
            unit /= 10;
            decimals += unit * u64::from(digit.is_ascii_digit().then(|| digit - b'0')?);
        }
        Some(Self(u128::from(micros) * u128::from(FEMTOSECONDS) + u128::from(decimals)))
    }

    /// The ticks from `earlier` to this time, rounded to the nearest.
    pub(super) fn ticks_since(self, earlier: Self, ticks_per_us: u64) -> u64 {
        let product = self.0.saturating_sub(earlier.0).saturating_mul(ticks_per_us.into());
        let rounded = product.saturating_add(u128::from(FEMTOSECONDS / 2));
        match u64::try_from(rounded) {
            Ok(rounded) => rounded / FEMTOSECONDS,
            Err(_) => u64::try_from(rounded / u128::from(FEMTOSECONDS)).unwrap_or(u64::MAX),
        }
    }
}
