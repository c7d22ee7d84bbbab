//! Converts BER to DER, as far as PKCS#12 needs it.
//!
//! RFC 7292 encodes a file in BER, and NSS (Firefox) and BouncyCastle use indefinite lengths and segmented strings. The
//! crates that parse the structures accept only DER.

use crate::refusal::Refusal;

/// Maximum size of a certificate file.
pub(crate) const LARGEST: usize = 1 << 20;
/// Maximum nesting of PKCS#12 structures.
const DEEPEST: usize = 32;

const OCTET_STRING: u8 = 0x04;
const OBJECT_IDENTIFIER: u8 = 0x06;
const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const CONSTRUCTED: u8 = 0x20;
/// `[0]`, constructed and primitive.
const ZERO_CONSTRUCTED: u8 = 0xa0;
const ZERO: u8 = 0x80;

const MALFORMED: Refusal = Refusal("it is not BER");

/// Returns the first element of `ber` in DER. Bytes after the element are ignored.
///
/// # Errors
///
/// If the element is truncated, larger than [`LARGEST`], or nested too deeply.
pub(crate) fn to_der(ber: &[u8]) -> Result<Vec<u8>, Refusal> {
    if ber.len() > LARGEST {
        return Err(Refusal("it is larger than a file of certificates"));
    }
    let mut rest = ber;
    Ok(Element::read(&mut rest, 0)?.written())
}

struct Element<'a> {
    tag: u8,
    contents: Contents<'a>,
}

enum Contents<'a> {
    Primitive(&'a [u8]),
    Constructed(Vec<Element<'a>>),
}

impl<'a> Element<'a> {
    fn read(from: &mut &'a [u8], depth: usize) -> Result<Self, Refusal> {
        let tag = byte(from)?;
        let has_long_tag = tag & 0x1f == 0x1f;
        if has_long_tag || depth > DEEPEST {
            return Err(MALFORMED);
        }
        let length = length(from)?;
        let is_constructed = tag & CONSTRUCTED != 0;
        let contents = match length {
            Some(length) if !is_constructed => Contents::Primitive(take(from, length)?),
            Some(length) => {
                let mut inside = take(from, length)?;
                let mut elements = Vec::new();
                while !inside.is_empty() {
                    elements.push(Self::read(&mut inside, depth.saturating_add(1))?);
                }
                Contents::Constructed(elements)
            }
            None if is_constructed => {
                let mut elements = Vec::new();
                while !from.starts_with(&[0, 0]) {
                    elements.push(Self::read(from, depth.saturating_add(1))?);
                }
                take(from, 2)?;
                Contents::Constructed(elements)
            }
            None => return Err(MALFORMED),
        };
        Ok(Self { tag, contents })
    }

    fn written(&self) -> Vec<u8> {
        if let Some(octets) = self.octets() {
            return with_header(OCTET_STRING, &octets);
        }
        match &self.contents {
            Contents::Primitive(bytes) => with_header(self.tag, bytes),
            Contents::Constructed(elements) => {
                let mut written: Vec<Vec<u8>> = elements.iter().map(Self::written).collect();
                if self.tag == SET {
                    written.sort();
                }
                if let (SEQUENCE, [first, second, third]) = (self.tag, elements.as_slice())
                    && (first.tag, second.tag) == (OBJECT_IDENTIFIER, SEQUENCE)
                    && let (Some(octets), Some(last)) = (third.segments(), written.last_mut())
                {
                    // `EncryptedContentInfo`: its `[0]` is the tag of the string itself, whose segments follow.
                    *last = with_header(ZERO, &octets);
                }
                with_header(self.tag, &written.concat())
            }
        }
    }

    /// Returns the octets of an OCTET STRING, in one piece or in segments.
    fn octets(&self) -> Option<Vec<u8>> {
        match &self.contents {
            Contents::Primitive(bytes) if self.tag == OCTET_STRING => Some(bytes.to_vec()),
            Contents::Constructed(segments) if self.tag == OCTET_STRING | CONSTRUCTED => joined(segments),
            _ => None,
        }
    }

    /// Returns the octets of a segmented string under `[0]`.
    fn segments(&self) -> Option<Vec<u8>> {
        match &self.contents {
            Contents::Constructed(segments) if self.tag == ZERO_CONSTRUCTED => joined(segments),
            _ => None,
        }
    }
}

fn joined(segments: &[Element<'_>]) -> Option<Vec<u8>> {
    let segments: Option<Vec<_>> = segments.iter().map(Element::octets).collect();
    segments.map(|all| all.concat())
}

fn byte(from: &mut &[u8]) -> Result<u8, Refusal> {
    let (first, rest) = from.split_first().ok_or(MALFORMED)?;
    *from = rest;
    Ok(*first)
}

fn take<'a>(from: &mut &'a [u8], length: usize) -> Result<&'a [u8], Refusal> {
    let (taken, rest) = from.split_at_checked(length).ok_or(MALFORMED)?;
    *from = rest;
    Ok(taken)
}

/// Returns the length in the header; `None` if an end marker follows the contents.
fn length(from: &mut &[u8]) -> Result<Option<usize>, Refusal> {
    let first = byte(from)?;
    match first {
        0..=0x7f => Ok(Some(first.into())),
        0x80 => Ok(None),
        _ => {
            let mut length = 0_usize;
            for digit in take(from, usize::from(first & 0x7f))? {
                length = length.checked_mul(256).and_then(|it| it.checked_add((*digit).into())).ok_or(MALFORMED)?;
            }
            Ok(Some(length))
        }
    }
}

fn with_header(tag: u8, contents: &[u8]) -> Vec<u8> {
    let length = contents.len().to_be_bytes();
    let digits: Vec<u8> = length.into_iter().skip_while(|digit| *digit == 0).collect();
    let mut written = vec![tag];
    match digits.as_slice() {
        [] => written.push(0),
        [short @ 0..=0x7f] => written.push(*short),
        long => {
            written.push(0x80 | long.len() as u8);
            written.extend_from_slice(long);
        }
    }
    written.extend_from_slice(contents);
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(ber: &[u8], der: &[u8]) {
        assert_eq!(to_der(ber).as_deref(), Ok(der));
        assert_eq!(to_der(der).as_deref(), Ok(der));
    }

    #[test]
    fn an_indefinite_length_becomes_definite() {
        check(&[0x30, 0x80, 0x02, 1, 3, 0x30, 0x80, 0, 0, 0, 0], &[0x30, 5, 0x02, 1, 3, 0x30, 0]);
        check(&[0x30, 0x83, 0, 0, 3, 0x02, 0x81, 0], &[0x30, 2, 0x02, 0]);
    }

    #[test]
    fn segments_of_a_string_are_joined() {
        check(&[0x24, 0x80, 0x04, 1, 7, 0x24, 4, 0x04, 0, 0x04, 0, 0x04, 1, 8, 0, 0], &[0x04, 2, 7, 8]);
        // Explicit content under `[0]` stays constructed; encrypted content under `[0]` becomes one string.
        check(&[0x30, 9, 0x06, 1, 1, 0xa0, 4, 0x24, 2, 0x04, 0], &[0x30, 7, 0x06, 1, 1, 0xa0, 2, 0x04, 0]);
        let encrypted = [0x30, 0x80, 0x06, 1, 1, 0x30, 0, 0xa0, 0x80, 0x04, 1, 7, 0x04, 1, 8, 0, 0, 0, 0];
        check(&encrypted, &[0x30, 9, 0x06, 1, 1, 0x30, 0, 0x80, 2, 7, 8]);
    }

    #[test]
    fn members_of_a_set_are_in_order() {
        check(&[0x31, 6, 0x02, 1, 9, 0x02, 1, 3], &[0x31, 6, 0x02, 1, 3, 0x02, 1, 9]);
    }

    #[test]
    fn long_contents_have_a_long_length() {
        let contents = vec![7; 300];
        let der = [&[0x04, 0x82, 1, 44][..], &contents].concat();
        let ber = [&[0x24, 0x80, 0x04, 0x83, 0, 1, 44][..], &contents, &[0, 0]].concat();
        check(&ber, &der);
    }

    #[test]
    fn malformed_and_oversized_input_is_refused() {
        for bytes in
            [&[][..], &[0x30], &[0x30, 2, 0x02], &[0x30, 0x80], &[0x04, 0x80, 0, 0], &[0x1f, 0x20, 0], &[0x30, 0xff]]
        {
            assert_eq!(to_der(bytes), Err(MALFORMED), "{bytes:?}");
        }
        assert_eq!(to_der(&[[0x30, 0x80]; 100_000].concat()), Err(MALFORMED));
        assert!(to_der(&vec![0; LARGEST + 1]).is_err());
    }
}
