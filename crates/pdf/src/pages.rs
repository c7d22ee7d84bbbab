//! Which rows stand on which page.

use std::ops::Range;

use crate::{
    blocks::{FLOOR, cells, height},
    face::Faces,
    sheet::Sheet,
};

/// From the titles of the table to its first row.
pub(crate) const BELOW_TITLES: i32 = 300;

/// The rows of each page, where the table begins at `top`. There is one page at least, and one row on each.
pub(crate) fn pages(sheet: &Sheet, top: i32, faces: &Faces) -> Vec<Range<usize>> {
    let mut pages = Vec::new();
    let (mut from, mut y) = (0, top + BELOW_TITLES);
    for (index, row) in sheet.rows.iter().enumerate() {
        let (_, lines) = cells(row, 0, faces);
        if y + height(lines) > FLOOR && index > from {
            pages.push(from..index);
            (from, y) = (index, top + BELOW_TITLES);
        }
        y += height(lines);
    }
    pages.push(from..sheet.rows.len());
    pages
}
