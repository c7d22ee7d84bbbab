//! The register of taxpayers, as DGII publishes it (`DGII_RNC.TXT`): a line a taxpayer, 11 fields between bars, in
//! Windows-1252, with what people have typed over the years.

use std::io::{self, BufRead, Read};

use encoding_rs::WINDOWS_1252;
use ports::RegisterEntry;

/// Fields of a line: number, name, trade name, activity, four that are not used, beginning, status, regime.
const FIELDS: usize = 11;
/// No line is longer.
const LONGEST: u64 = 16 * 1024;
/// The interface has no longer name of a buyer.
const LONGEST_NAME: usize = 256;

/// Reads the file, a batch at a time.
pub struct RegisterReader<R> {
    from: R,
    /// What is there so far of a taxpayer whose line was broken.
    begun: String,
    unusable: u64,
}

impl<R: BufRead> RegisterReader<R> {
    /// A reader of the text, which is not packed any more.
    pub fn new(from: R) -> Self {
        Self { from, begun: String::new(), unusable: 0 }
    }

    /// The next taxpayers, `most` at most; `None` after the last.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn batch(&mut self, most: usize) -> io::Result<Option<Vec<RegisterEntry>>> {
        let mut entries = Vec::new();
        while entries.len() < most
            && let Some(line) = self.line()?
        {
            if let Some(whole) = self.joined(&line) {
                match entry(&whole) {
                    Some(entry) => entries.push(entry),
                    None => self.unusable += 1,
                }
            }
        }
        Ok((!entries.is_empty()).then_some(entries))
    }

    /// How many lines named nobody.
    pub fn unusable(&self) -> u64 {
        self.unusable + u64::from(!self.begun.is_empty())
    }

    fn line(&mut self) -> io::Result<Option<String>> {
        let mut bytes = Vec::new();
        let read = self.from.by_ref().take(LONGEST).read_until(b'\n', &mut bytes)?;
        let (text, _) = WINDOWS_1252.decode_without_bom_handling(&bytes);
        Ok((read > 0).then(|| text.trim_end_matches(['\r', '\n']).to_owned()))
    }

    /// The whole line that ends with `line`, if it ends there: some are broken in two.
    fn joined(&mut self, line: &str) -> Option<String> {
        if is_whole(line) {
            self.unusable += u64::from(!std::mem::take(&mut self.begun).is_empty());
            return Some(line.to_owned());
        }
        let joined = if self.begun.is_empty() { line.to_owned() } else { format!("{} {line}", self.begun) };
        if is_whole(&joined) {
            self.begun.clear();
            return Some(joined);
        }
        let is_hopeless = joined.len() as u64 > LONGEST;
        self.unusable += u64::from(is_hopeless);
        self.begun = if is_hopeless || joined.trim().is_empty() { String::new() } else { joined };
        None
    }
}

/// Whether a line has all fields, and begins with a number.
fn is_whole(line: &str) -> bool {
    let number = line.split('|').next().unwrap_or_default().trim();
    line.split('|').count() >= FIELDS && is_number(number)
}

fn is_number(text: &str) -> bool {
    matches!(text.len(), 9 | 11) && text.bytes().all(|it| it.is_ascii_digit())
}

/// The taxpayer of a line. What stands last is counted from the end: a column more in the middle does no harm.
fn entry(line: &str) -> Option<RegisterEntry> {
    let fields: Vec<&str> = line.split('|').collect();
    let words = |text: &str| {
        let plain = text.replace(|it: char| it.is_control(), " ");
        plain.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let tax_id = fields.first()?.trim().to_owned();
    let legal_name: String = words(fields.get(1)?).chars().take(LONGEST_NAME).collect();
    let status = words(fields.get(fields.len().checked_sub(2)?)?).to_uppercase();
    let is_somebody = is_number(&tax_id) && !legal_name.is_empty() && !status.is_empty();
    is_somebody.then_some(RegisterEntry { tax_id, legal_name, status })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> (Vec<RegisterEntry>, u64) {
        let mut reader = RegisterReader::new(text);
        let mut all = Vec::new();
        while let Some(batch) = reader.batch(2).unwrap() {
            assert!(batch.len() <= 2);
            all.extend(batch);
        }
        (all, reader.unusable())
    }

    fn somebody(tax_id: &str, legal_name: &str, status: &str) -> RegisterEntry {
        let [tax_id, legal_name, status] = [tax_id, legal_name, status].map(str::to_owned);
        RegisterEntry { tax_id, legal_name, status }
    }

    #[test]
    fn a_line_is_a_taxpayer() {
        let text = b"101000007|COMERCIAL  LA  BAH\xcdA, SRL|LA BAHIA|VENTAS| | | | |30/06/2020|ACTIVO|NORMAL\r\n\
            00100000017|\"ANA\" \x93PE\xd1A\x94||EMPLEADOS (ASALARIADOS) | | | | ||SUSPENDIDO|NORMAL\r\n\
            102000001|OTRA|||||||00/00/0000|DADO  DE BAJA|RST";

        let expected = [
            somebody("101000007", "COMERCIAL LA BAHÍA, SRL", "ACTIVO"),
            somebody("00100000017", "\"ANA\" \u{201c}PEÑA\u{201d}", "SUSPENDIDO"),
            somebody("102000001", "OTRA", "DADO DE BAJA"),
        ];
        assert_eq!(read(text), (expected.to_vec(), 0));
    }

    #[test]
    fn a_line_that_was_broken_is_joined_and_never_with_somebody_else() {
        let text = b"101000007|COMERCIAL\r\nLA BAHIA, SRL|||||| ||ACTIVO|NORMAL\r\n\
            999|NADIE\r\n\
            102000001|OTRA|||||||00/00/0000|ACTIVO|RST\r\n\
            \r\n\
            103000002|LA ULTIMA|";

        let expected =
            [somebody("101000007", "COMERCIAL LA BAHIA, SRL", "ACTIVO"), somebody("102000001", "OTRA", "ACTIVO")];
        assert_eq!(read(text), (expected.to_vec(), 2));
    }

    #[test]
    fn a_column_more_does_no_harm_and_nobody_is_made_up() {
        let text = b"101000007|UNA||X|| | | |NEW|30/06/2020|ACTIVO|NORMAL\n\
            102000001| |||||||30/06/2020|ACTIVO|NORMAL\n\
            103000002|SIN ESTADO|||||||30/06/2020| |NORMAL\n\
            10300000A|LETRAS|||||||30/06/2020|ACTIVO|NORMAL\n";

        let (all, unusable) = read(text);

        assert_eq!(all, [somebody("101000007", "UNA", "ACTIVO")]);
        assert_eq!(unusable, 3);
    }

    #[test]
    fn a_name_is_cut_where_the_interface_has_no_longer_one() {
        let line = format!("101000007|{}|||||||30/06/2020|ACTIVO|NORMAL", "\u{d1}".repeat(300));
        let (text, ..) = WINDOWS_1252.encode(&line);

        assert_eq!(read(&text).0, [somebody("101000007", &"\u{d1}".repeat(256), "ACTIVO")]);
    }

    #[test]
    fn a_line_without_an_end_does_not_fill_the_memory() {
        let endless = [vec![b'1'; 200_000], b"\n101000007|UNA|||||||30/06/2020|ACTIVO|NORMAL".to_vec()].concat();

        let (all, unusable) = read(&endless);

        assert_eq!(all, [somebody("101000007", "UNA", "ACTIVO")]);
        assert!(unusable > 0);
    }
}
