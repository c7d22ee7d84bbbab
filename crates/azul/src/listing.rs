//! A list of transactions, read as it comes: those of a day of a busy store are more than belong in memory, and few of
//! them are ours.

use crate::answer::{Answer, Body};

/// No list is longer: half a million transactions.
const LONGEST: usize = 256 * 1024 * 1024;
/// No transaction is longer; most have some hundreds of bytes.
const ROW: usize = 64 * 1024;
/// No list is longer without its transactions.
const FRAME: usize = 64 * 1024;
/// So many transactions of one attempt are more than there can be.
const KEPT: usize = 1000;
/// What the list of transactions is called.
const ROWS: &str = "Transactions";

/// It is too long, or no list that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unreadable;

/// Which transactions are kept.
pub(crate) type Wanted<'a> = &'a (dyn Fn(&Answer) -> bool + Send + Sync);

/// An answer with a list of transactions, as far as it was read. Where texts and brackets begin and end is followed here;
/// whether it makes sense is left to whoever reads [`Body`], a transaction at a time.
pub(crate) struct Listing<'a> {
    wanted: Wanted<'a>,
    /// How much was read.
    length: usize,
    /// What is open: braces and brackets.
    depth: u32,
    text: Text,
    /// What stands around the transactions.
    frame: Vec<u8>,
    rows: Rows,
    /// The transaction that is being read.
    row: Vec<u8>,
    kept: Vec<Answer>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Text {
    Outside,
    Inside,
    /// What follows a backslash.
    Escaped,
}

/// Where in the list of transactions it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rows {
    Outside,
    /// At its beginning.
    First,
    /// In a transaction.
    Inside,
    /// After one.
    After,
    /// After a comma.
    Next,
}

impl<'a> Listing<'a> {
    pub(crate) const fn new(wanted: Wanted<'a>) -> Self {
        Self {
            wanted,
            length: 0,
            depth: 0,
            text: Text::Outside,
            frame: Vec::new(),
            rows: Rows::Outside,
            row: Vec::new(),
            kept: Vec::new(),
        }
    }

    /// Reads on.
    pub(crate) fn take(&mut self, chunk: &[u8]) -> Result<(), Unreadable> {
        self.length = self.length.saturating_add(chunk.len());
        if self.length > LONGEST {
            return Err(Unreadable);
        }
        chunk.iter().try_for_each(|byte| self.step(*byte))
    }

    /// The whole answer, of whose transactions there are those that are wanted. One that was cut is none.
    pub(crate) fn end(self) -> Body {
        match Body::read(&self.frame) {
            Body::Said(answer) if answer.list(ROWS).is_some() => Body::Said(answer.with_list(ROWS, self.kept)),
            body => body,
        }
    }

    fn step(&mut self, byte: u8) -> Result<(), Unreadable> {
        let depth = self.follow(byte);
        match (self.rows, byte) {
            (Rows::Outside, _) => {
                if byte == b'[' && depth == 1 && self.text == Text::Outside && self.is_named() {
                    self.rows = Rows::First;
                }
                push(&mut self.frame, byte, FRAME)?;
            }
            (Rows::Inside, _) => {
                push(&mut self.row, byte, ROW)?;
                if depth > self.depth && self.depth == 2 {
                    self.keep()?;
                    self.rows = Rows::After;
                }
            }
            (_, b' ' | b'\t' | b'\r' | b'\n') => {}
            (Rows::First | Rows::Next, b'{') => {
                self.row.clear();
                push(&mut self.row, byte, ROW)?;
                self.rows = Rows::Inside;
            }
            (Rows::After, b',') => self.rows = Rows::Next,
            (Rows::First | Rows::After, b']') => {
                push(&mut self.frame, byte, FRAME)?;
                self.rows = Rows::Outside;
            }
            (Rows::First | Rows::After | Rows::Next, _) => return Err(Unreadable),
        }
        Ok(())
    }

    /// Follows texts and brackets, and says how deep it was before.
    const fn follow(&mut self, byte: u8) -> u32 {
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

    /// Whether what stands last before this is the name of the list.
    fn is_named(&self) -> bool {
        let before = self.frame.trim_ascii_end().strip_suffix(b":").map(<[u8]>::trim_ascii_end);
        let name = before.and_then(|it| it.strip_suffix(b"\"")).and_then(|it| it.strip_suffix(ROWS.as_bytes()));
        name.is_some_and(|it| it.ends_with(b"\""))
    }

    fn keep(&mut self) -> Result<(), Unreadable> {
        let Body::Said(row) = Body::read(&self.row) else { return Err(Unreadable) };
        if (self.wanted)(&row) {
            if self.kept.len() >= KEPT {
                return Err(Unreadable);
            }
            self.kept.push(row);
        }
        Ok(())
    }
}

fn push(to: &mut Vec<u8>, byte: u8, limit: usize) -> Result<(), Unreadable> {
    if to.len() >= limit {
        return Err(Unreadable);
    }
    to.push(byte);
    Ok(())
}

#[cfg(test)]
mod tests;
