use std::{fs, path::PathBuf, process::Command};

use chrono::NaiveDate;
use domain::{
    FiscalDocument,
    fiscal::{Breakdown, Buyer, Content, DocumentKind, FiscalLine, FiscalNumber, Numbered, Signed, TaxId},
    text::BoundedText,
};
use pdf::PdfRenderer;
use ports::DocumentPrinter;
use tempfile::TempDir;
use testkit::sample;

/// A PDF in a temporary folder.
pub(crate) struct RenderedPdf {
    folder: TempDir,
    pub(crate) document: FiscalDocument,
    pub(crate) bytes: Vec<u8>,
}

/// Returns the sample document with another kind and other lines.
pub(crate) fn document(kind: DocumentKind, lines: Vec<FiscalLine>) -> FiscalDocument {
    let mut document = sample::sale(1).document;
    let breakdown = Breakdown::of(&lines, true).expect("lines that add up");
    let buyer = (kind != DocumentKind::Consumer).then(|| Buyer {
        legal_name: Some("José Ramón Güílamo Peña & Hijos, S.R.L.".to_owned()),
        ..Buyer::new(TaxId::parse("131880681").expect("a number with a check digit that holds"))
    });
    let content = Content { kind, lines, breakdown, buyer, ..document.content().clone() };
    document.change_content(content, sample::noon()).expect("a requested document is changed");
    document
}

/// Returns lines with different prices.
pub(crate) fn dishes(count: usize) -> Vec<FiscalLine> {
    let dish = |n: usize| FiscalLine {
        source_line_id: BoundedText::parse(&format!("line-{n}")).expect("a line"),
        description: BoundedText::parse(&format!("Plato {n}: sancocho de siete carnes, con arroz y aguacate"))
            .expect("a line"),
        ..sample::line(100_00 + i64::try_from(n).expect("a small number"))
    };
    (1..=count).map(dish).collect()
}

pub(crate) fn numbered(document: &FiscalDocument) -> Numbered {
    let number = FiscalNumber::new(document.content().kind, 1).expect("a sequence from 1 on");
    Numbered { number, valid_until: NaiveDate::from_ymd_opt(2027, 12, 31), ..sample::numbered(1) }
}

pub(crate) fn signed() -> Signed {
    sample::signed(1)
}

impl RenderedPdf {
    pub(crate) async fn of(document: FiscalDocument) -> Self {
        let numbered = numbered(&document);
        Self::numbered(document, &numbered).await
    }

    pub(crate) async fn numbered(document: FiscalDocument, numbered: &Numbered) -> Self {
        let printer = PdfRenderer::new().expect("the fonts are there");
        let bytes = printer.print(&document, numbered, &signed()).await.expect("the document can be drawn");
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("it.pdf"), &bytes).expect("the folder can be written");
        Self { folder, document, bytes }
    }

    /// Runs `program` with `arguments` and the file, and returns its output.
    pub(crate) fn run(&self, program: &str, arguments: &[&str]) -> String {
        let output = Command::new(program).args(arguments).arg("it.pdf").current_dir(self.folder.path()).output();
        let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{program}: {text} {}", String::from_utf8_lossy(&output.stderr));
        text
    }

    /// Returns the text in its layout.
    pub(crate) fn text(&self) -> String {
        let program = "pdftotext";
        self.run(program, &["-layout"]);
        fs::read_to_string(self.folder.path().join("it.txt")).expect("a text file")
    }

    /// Returns the text in reading order.
    pub(crate) fn read(&self) -> String {
        self.run("sh", &["-c", "pdftotext \"$0\" -"])
    }

    /// Renders the first page as PNG.
    pub(crate) fn picture(&self) -> PathBuf {
        let path = self.folder.path().join("page.png");
        let arguments = ["-png", "-r", "150", "-f", "1", "-l", "1", "-singlefile", "it.pdf", "page"];
        let made = Command::new("pdftoppm").args(arguments).current_dir(self.folder.path()).status();
        assert!(made.expect("pdftoppm runs").success());
        path
    }

    /// Returns the width of the first page and the brightness of each pixel, row by row.
    pub(crate) fn points(&self) -> (usize, Vec<u8>) {
        let arguments = ["-gray", "-r", "72", "-f", "1", "-l", "1", "-singlefile", "it.pdf", "page"];
        let made = Command::new("pdftoppm").args(arguments).current_dir(self.folder.path()).status();
        assert!(made.expect("pdftoppm runs").success());
        let picture = fs::read(self.folder.path().join("page.pgm")).expect("a picture");
        let width = 612;
        (width, picture[picture.len() - width * 792..].to_vec())
    }
}
