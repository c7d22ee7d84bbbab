//! Streaming parser for the list of a day's transactions. The list of a busy store does not fit into memory, and few of
//! its rows are ours.

use crate::response::{AzulResponse, Body};

/// Maximum length of a list: about half a million transactions.
const MAX_LENGTH: usize = 256 * 1024 * 1024;
/// Maximum length of a transaction; most have some hundreds of bytes.
const MAX_ROW: usize = 64 * 1024;
/// Maximum length of a list without its transactions.
const MAX_FRAME: usize = 64 * 1024;
/// Maximum number of transactions of one attempt, or of returns of one day.
const MAX_SELECTED: usize = 10_000;
/// Name of the list.
const ROWS: &str = "Transactions";

/// The list is too long, or is not JSON of the expected form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InvalidList;

/// Selects the transactions to retain.
pub(crate) type RowFilter<'a> = &'a (dyn Fn(&AzulResponse) -> bool + Send + Sync);

/// State of the parser. It follows only strings and brackets; [`Body`] parses the frame and each transaction.
pub(crate) struct TransactionList<'a> {
    filter: RowFilter<'a>,
    /// Bytes so far.
    length: usize,
    /// Open braces and brackets.
    depth: u32,
    text: Text,
    /// Bytes around the transactions.
    frame: Vec<u8>,
    rows: Rows,
    /// Bytes of the current transaction.
    row: Vec<u8>,
    selected: Vec<AzulResponse>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Text {
    Outside,
    Inside,
    /// After a backslash.
    Escaped,
}

/// Position relative to the list of transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rows {
    Outside,
    First,
    Inside,
    After,
    /// After a comma.
    Next,
}

impl<'a> TransactionList<'a> {
    pub(crate) const fn new(filter: RowFilter<'a>) -> Self {
        Self {
            filter,
            length: 0,
            depth: 0,
            text: Text::Outside,
            frame: Vec::new(),
            rows: Rows::Outside,
            row: Vec::new(),
            selected: Vec::new(),
        }
    }

    /// Parses the next bytes.
    pub(crate) fn push(&mut self, chunk: &[u8]) -> Result<(), InvalidList> {
        self.length = self.length.saturating_add(chunk.len());
        if self.length > MAX_LENGTH {
            return Err(InvalidList);
        }
        chunk.iter().try_for_each(|byte| self.step(*byte))
    }

    /// Returns the response with the selected transactions. A truncated response is unreadable.
    pub(crate) fn finish(self) -> Body {
        match Body::parse(&self.frame) {
            Body::Fields(response) if response.list(ROWS).is_some() => {
                Body::Fields(response.with_list(ROWS, self.selected))
            }
            body => body,
        }
    }

    fn step(&mut self, byte: u8) -> Result<(), InvalidList> {
        let depth = self.track(byte);
        match (self.rows, byte) {
            (Rows::Outside, _) => {
                if byte == b'[' && depth == 1 && self.text == Text::Outside && self.follows_name() {
                    self.rows = Rows::First;
                }
                append(&mut self.frame, byte, MAX_FRAME)?;
            }
            (Rows::Inside, _) => {
                append(&mut self.row, byte, MAX_ROW)?;
                if depth > self.depth && self.depth == 2 {
                    self.finish_row()?;
                    self.rows = Rows::After;
                }
            }
            (_, b' ' | b'\t' | b'\r' | b'\n') => {}
            (Rows::First | Rows::Next, b'{') => {
                self.row.clear();
                append(&mut self.row, byte, MAX_ROW)?;
                self.rows = Rows::Inside;
            }
            (Rows::After, b',') => self.rows = Rows::Next,
            (Rows::First | Rows::After, b']') => {
                append(&mut self.frame, byte, MAX_FRAME)?;
                self.rows = Rows::Outside;
            }
            (Rows::First | Rows::After | Rows::Next, _) => return Err(InvalidList),
        }
        Ok(())
    }

    /// Tracks strings and brackets, and returns the depth before `byte`.
    const fn track(&mut self, byte: u8) -> u32 {
        let before = self.depth;
        match (self.text, byte) {
            (Text::Outside, b'"') | (Text::Escaped, _) => self.text = Text::Inside,
            (Text::Outside, b'{' | b'[') => self.depth = before.saturating_add(1),
            (Text::Outside, b'}' | b']') => self.depth = before.saturating_sub(1),
            (Text::Inside, b'"') => self.text = Text::Outside,
            (Text::Inside, b'\\') => self.text = Text::Escaped,
            (Text::Outside | Text::Inside, _) => {}
        }
        before
    }

    /// Whether the name of the list precedes the current position.
    fn follows_name(&self) -> bool {
        let before = self.frame.trim_ascii_end().strip_suffix(b":").map(<[u8]>::trim_ascii_end);
        let name = before.and_then(|it| it.strip_suffix(b"\"")).and_then(|it| it.strip_suffix(ROWS.as_bytes()));
        name.is_some_and(|it| it.ends_with(b"\""))
    }

    fn finish_row(&mut self) -> Result<(), InvalidList> {
        let Body::Fields(row) = Body::parse(&self.row) else { return Err(InvalidList) };
        if (self.filter)(&row) {
            if self.selected.len() >= MAX_SELECTED {
                return Err(InvalidList);
            }
            self.selected.push(row);
        }
        Ok(())
    }
}

fn append(to: &mut Vec<u8>, byte: u8, limit: usize) -> Result<(), InvalidList> {
    if to.len() >= limit {
        return Err(InvalidList);
    }
    to.push(byte);
    Ok(())
}

#[cfg(test)]
mod tests;
