//! Parser for DGII's register of taxpayers: fields separated by bars (`DGII_RNC.TXT`), or CSV with a header; in
//! Windows-1252 or UTF-8; with typing errors.

mod layout;

use std::{
    collections::VecDeque,
    io::{self, BufRead, Read},
};

use encoding_rs::WINDOWS_1252;
use ports::RegisterEntry;

use layout::{Layout, Line, is_known_status, number};

/// Maximum length of a line.
const LONGEST: u64 = 16 * 1024;
/// Maximum length of a buyer's name in the API.
const LONGEST_NAME: usize = 256;
/// Number of lines that are read to find the layout.
const SAMPLE: usize = 500;

/// Reads the file, a batch at a time.
pub struct RegisterReader<R> {
    from: R,
    /// Last byte of each line.
    end: u8,
    layout: Layout,
    /// Lines that were read to find the layout.
    ahead: VecDeque<String>,
    /// Start of a taxpayer whose line is broken.
    begun: String,
    unusable: u64,
    listed: u64,
    /// Number of taxpayers with a status that DGII uses.
    known: u64,
}

/// Why a file is not accepted as a register.
#[derive(Debug, thiserror::Error)]
pub enum RegisterInvalid {
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] io::Error),
    /// Neither a header nor a known status shows the columns.
    #[error("neither a header nor a taxpayer status such as ACTIVO shows where the columns are")]
    NoLayout,
    /// Most lines have no known status: the columns are elsewhere.
    #[error("most of its lines have no taxpayer status such as ACTIVO in the expected column")]
    Shifted,
}

impl<R: BufRead> RegisterReader<R> {
    /// Creates a reader of the decompressed text.
    ///
    /// # Errors
    ///
    /// If the text cannot be read, or is not a register.
    pub fn open(mut from: R) -> Result<Self, RegisterInvalid> {
        let mut ahead = VecDeque::new();
        // Old Macintosh programs end lines with CR alone. Lines are shorter than the buffer of a file.
        let end = if from.fill_buf()?.contains(&b'\n') { b'\n' } else { b'\r' };
        while ahead.len() < SAMPLE
            && let Some(line) = next_line(&mut from, end)?
        {
            ahead.push_back(line);
        }
        if let Some(first) = ahead.front_mut() {
            *first = first.trim_start_matches('\u{feff}').to_owned();
        }
        let (layout, has_header) = Layout::find(ahead.make_contiguous()).ok_or(RegisterInvalid::NoLayout)?;
        if has_header {
            while ahead.pop_front().is_some_and(|line| line.trim().is_empty()) {}
        }
        Ok(Self { from, end, layout, ahead, begun: String::new(), unusable: 0, listed: 0, known: 0 })
    }

    /// Returns up to `most` taxpayers; `None` after the last one.
    ///
    /// # Errors
    ///
    /// If the text cannot be read, or most of its lines have no known status.
    pub fn batch(&mut self, most: usize) -> Result<Option<Vec<RegisterEntry>>, RegisterInvalid> {
        let mut entries = Vec::new();
        while entries.len() < most
            && let Some(line) = self.line()?
        {
            if let Some(whole) = self.joined(&line) {
                match self.entry(&whole) {
                    Some(entry) => entries.push(entry),
                    None => self.unusable += 1,
                }
            }
        }
        if entries.is_empty() && self.known < self.listed.div_ceil(2) {
            return Err(RegisterInvalid::Shifted);
        }
        Ok((!entries.is_empty()).then_some(entries))
    }

    /// Number of lines without a taxpayer.
    pub fn unusable(&self) -> u64 {
        self.unusable + u64::from(!self.begun.is_empty())
    }

    fn line(&mut self) -> io::Result<Option<String>> {
        match self.ahead.pop_front() {
            Some(line) => Ok(Some(line)),
            None => next_line(&mut self.from, self.end),
        }
    }

    /// Returns the complete line that ends with `line`, if any: some lines are broken in two.
    fn joined(&mut self, line: &str) -> Option<String> {
        if self.layout.is_whole(line) {
            self.unusable += u64::from(!std::mem::take(&mut self.begun).is_empty());
            return Some(line.to_owned());
        }
        let joined = if self.begun.is_empty() { line.to_owned() } else { format!("{} {line}", self.begun) };
        if self.layout.is_whole(&joined) {
            self.begun.clear();
            return Some(joined);
        }
        let is_hopeless = joined.len() as u64 > LONGEST;
        self.unusable += u64::from(is_hopeless);
        self.begun = if is_hopeless || joined.trim().is_empty() { String::new() } else { joined };
        None
    }

    fn entry(&mut self, line: &str) -> Option<RegisterEntry> {
        let Line { tax_id, legal_name, status } = self.layout.read(line)?;
        let tax_id = number(&tax_id)?;
        let legal_name: String = words(&legal_name).chars().take(LONGEST_NAME).collect();
        let status = words(&status).to_uppercase();
        if legal_name.is_empty() || status.is_empty() {
            return None;
        }
        self.listed += 1;
        self.known += u64::from(is_known_status(&status));
        Some(RegisterEntry { tax_id, legal_name, status })
    }
}

/// Decodes a line as UTF-8 if it is valid, otherwise as Windows-1252, which accepts any bytes.
fn next_line(from: &mut impl BufRead, end: u8) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    let read = from.by_ref().take(LONGEST).read_until(end, &mut bytes)?;
    let text = String::from_utf8(bytes).unwrap_or_else(|it| {
        let (text, _) = WINDOWS_1252.decode_without_bom_handling(it.as_bytes());
        text.into_owned()
    });
    Ok((read > 0).then(|| text.trim_end_matches(['\r', '\n']).to_owned()))
}

fn words(text: &str) -> String {
    let plain = text.replace(|it: char| it.is_control(), " ");
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
