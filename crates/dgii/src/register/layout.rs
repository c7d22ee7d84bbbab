//! Columns of a register.

use std::collections::BTreeMap;

use csv::{ReaderBuilder, StringRecord};

/// Separator of fields. In lines with bars quotes are text; with the other separators they enclose a field.
const SEPARATORS: [char; 4] = ['|', ',', ';', '\t'];
/// Fields of a line of `DGII_RNC.TXT`: number, name, trade name, activity, four unused fields, start, status, regime.
const FIELDS: usize = 11;

/// Known spellings of the status.
const STATUSES: [&str; 10] = [
    "ACTIVO",
    "SUSPENDIDO",
    "DADO DE BAJA",
    "CESE TEMPORAL",
    "CESE DEFINITIVO",
    "ANULADO",
    "RECHAZADO",
    "INACTIVO",
    "BAJA",
    "SUSPENSION TEMPORAL",
];

/// Positions of the fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    separator: char,
    /// Minimum number of fields of a complete line.
    fields: usize,
    tax_id: usize,
    legal_name: usize,
    /// Counted from the end, so that an added column in the middle, or a bar in a name, does not shift the field.
    status_from_end: usize,
}

/// The used fields of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) tax_id: String,
    pub(super) legal_name: String,
    pub(super) status: String,
}

impl Layout {
    /// Finds the layout: by a header in the first line, or by the known statuses in these lines. Also returns whether
    /// there is a header.
    pub(super) fn find(sample: &[String]) -> Option<(Self, bool)> {
        let first = sample.iter().find(|line| !line.trim().is_empty())?;
        let headed = SEPARATORS.into_iter().find_map(|separator| Self::by_header(separator, first, sample));
        match headed {
            Some(layout) => Some((layout, true)),
            None => {
                SEPARATORS.into_iter().find_map(|separator| Self::by_status(separator, sample)).map(|it| (it, false))
            }
        }
    }

    fn by_header(separator: char, first: &str, sample: &[String]) -> Option<Self> {
        let names: Vec<String> = split(separator, first).iter().map(|name| plain(name)).collect();
        let position = |is_it: &dyn Fn(&str) -> bool| names.iter().position(|name| is_it(name));
        let tax_id = position(&|name| name.starts_with("RNC") || name.starts_with("CEDULA"))?;
        let legal_name = position(&|name| name.contains("RAZON SOCIAL"))
            .or_else(|| position(&|name| name.starts_with("NOMBRE") && !name.contains("COMERCIAL")))?;
        let status = position(&|name| matches!(name, "ESTADO" | "ESTATUS" | "STATUS"))?;
        // Lines may end with a separator where the header does not.
        let numbered = sample.iter().map(|line| split(separator, line));
        let fields = numbered.filter(|fields| fields.get(tax_id).is_some_and(|it| number(it).is_some()));
        let fields = most_common(fields.map(|it| it.len())).unwrap_or(names.len());
        let status_from_end = fields.checked_sub(status.checked_add(1)?)?;
        Some(Self { separator, fields: fields.min(names.len()), tax_id, legal_name, status_from_end })
    }

    fn by_status(separator: char, sample: &[String]) -> Option<Self> {
        let numbered = sample.iter().map(|line| split(separator, line));
        let numbered: Vec<Vec<String>> =
            numbered.filter(|it| it.first().is_some_and(|it| number(it).is_some()) && it.len() > 2).collect();
        let fields = most_common(numbered.iter().map(Vec::len))?;
        let whole = numbered.iter().filter(|it| it.len() >= fields.min(FIELDS));
        let from_end = |it: &Vec<String>| it.iter().skip(2).rev().position(|field| is_known_status(field));
        let status_from_end = most_common(whole.filter_map(from_end))?;
        Some(Self { separator, fields: fields.min(FIELDS), tax_id: 0, legal_name: 1, status_from_end })
    }

    /// Whether a line has all fields and a taxpayer number.
    pub(super) fn is_whole(&self, line: &str) -> bool {
        let fields = split(self.separator, line);
        fields.len() >= self.fields && fields.get(self.tax_id).is_some_and(|it| number(it).is_some())
    }

    /// Returns the fields of a complete line. If the status column has no known status, a known status in another
    /// column counts.
    pub(super) fn read(&self, line: &str) -> Option<Line> {
        let mut fields = split(self.separator, line);
        let expected = fields.len().checked_sub(self.status_from_end.checked_add(1)?)?;
        let is_known = |index: &usize| fields.get(*index).is_some_and(|it| is_known_status(it));
        let status = match is_known(&expected) {
            true => expected,
            false => (self.legal_name.max(self.tax_id).saturating_add(1)..fields.len())
                .rev()
                .find(is_known)
                .unwrap_or(expected),
        };
        let mut take = |index: usize| fields.get_mut(index).map(std::mem::take);
        Some(Line { tax_id: take(self.tax_id)?, legal_name: take(self.legal_name)?, status: take(status)? })
    }
}

pub(super) fn is_known_status(text: &str) -> bool {
    STATUSES.contains(&plain(text).as_str())
}

/// Returns the digits of an RNC or a cédula.
pub(super) fn number(text: &str) -> Option<String> {
    let digits: String = text.trim().chars().filter(|it| *it != '-').collect();
    (matches!(digits.len(), 9 | 11) && digits.bytes().all(|it| it.is_ascii_digit())).then_some(digits)
}

fn split(separator: char, line: &str) -> Vec<String> {
    if separator == '|' {
        return line.split(separator).map(str::to_owned).collect();
    }
    let mut reader = ReaderBuilder::new();
    reader.has_headers(false).delimiter(separator as u8).buffer_capacity(line.len().max(1));
    let mut record = StringRecord::new();
    // A line that cannot be read as CSV has no fields.
    let _ = reader.from_reader(line.as_bytes()).read_record(&mut record);
    record.iter().map(str::to_owned).collect()
}

/// Returns the text in capitals without accents, with single spaces.
fn plain(text: &str) -> String {
    let bare = |letter: char| match letter {
        'Á' => 'A',
        'É' => 'E',
        'Í' => 'I',
        'Ó' => 'O',
        'Ú' | 'Ü' => 'U',
        other => other,
    };
    let capitals: String = text.to_uppercase().chars().map(bare).collect();
    capitals.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn most_common(counts: impl Iterator<Item = usize>) -> Option<usize> {
    let mut times: BTreeMap<usize, usize> = BTreeMap::new();
    for count in counts {
        *times.entry(count).or_default() += 1;
    }
    times.into_iter().max_by_key(|(_, times)| *times).map(|(count, _)| count)
}
