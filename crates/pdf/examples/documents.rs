//! Measures the processor time per document: bare RSA; composed and signed; also verified; rendered as PDF. Prints one
//! line of JSON.
//!
//! ```text
//! documents SECONDS
//! ```
//!
//! One operation runs at a time, with the server's allocator, and the processor time of the process counts: other
//! processes change that little. The speed of the processor itself varies within seconds, so the kinds alternate in short
//! turns, and each is compared with the RSA of its own round: the ratios are medians over the rounds, with their range.

use std::{
    error::Error,
    fs,
    time::{Duration, Instant},
};

use aws_lc_rs::{rand::SystemRandom, rsa::KeyPair, signature::RSA_PKCS1_SHA256};
use chrono::TimeDelta;
use dgii::Composer;
use domain::{
    FiscalDocument,
    fiscal::{Breakdown, Content},
};
use pdf::PdfRenderer;
use ports::{DocumentComposer, DocumentPrinter, DocumentSigner, SigningIdentity};
use testkit::sample;
use xml_signer::XmlSigner;

/// Lines of the measured document.
const LINES: i64 = 15;
/// Duration of one round.
const TURN: Duration = Duration::from_millis(200);
/// Turns per second.
const TURNS: u64 = 5;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Done<T> = Result<T, Box<dyn Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Done<()> {
    let Some(Ok(seconds @ 1..=60)) = std::env::args().nth(1).map(|it| it.parse::<u64>()) else {
        eprintln!("documents SECONDS");
        std::process::exit(2);
    };
    let (document, identity) = (document()?, identity()?);
    let numbered = sample::numbered(1);
    let (signer, printer) = (XmlSigner::new(), PdfRenderer::new()?);
    let write = || Composer.compose(&document, &numbered, sample::noon());
    let xml = signer.sign(&identity, write()?).await?.xml;
    let paper = printer.print(&document, &numbered, &sample::signed(1)).await?;

    let key = KeyPair::from_pkcs8(&identity.private_key)?;
    let mut signature = vec![0; key.public_modulus_len()];
    let mut sign = || key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), &[7; 200], &mut signature);
    let [mut rsa, mut signed, mut checked, mut printed] = [const { Costs(Vec::new()) }; 4];
    for _ in 0..seconds * TURNS {
        rsa.add(async || Ok(sign()?)).await?;
        let write_and_sign = async || {
            signer.sign(&identity, write()?).await?;
            Ok(())
        };
        signed.add(write_and_sign).await?;
        let write_sign_and_check = async || {
            let signed = signer.sign(&identity, write()?).await?;
            signer.verify(signed.xml.as_bytes()).await?;
            Ok(())
        };
        checked.add(write_sign_and_check).await?;
        let print = async || {
            printer.print(&document, &numbered, &sample::signed(1)).await?;
            Ok(())
        };
        printed.add(print).await?;
    }
    println!(
        r#"{{"lines":{LINES},"rsaMicroseconds":{},"signedMicroseconds":{},"checkedMicroseconds":{},"printedMicroseconds":{},{},{},"xmlBytes":{},"pdfBytes":{}}}"#,
        rsa.microseconds(),
        signed.microseconds(),
        checked.microseconds(),
        printed.microseconds(),
        signed.ratio("signedOfRsa", &rsa),
        checked.ratio("checkedOfRsa", &rsa),
        xml.len(),
        paper.len(),
    );
    Ok(())
}

/// Processor time of one operation in nanoseconds: the mean of each round.
struct Costs(Vec<u64>);

impl Costs {
    async fn add(&mut self, mut work: impl AsyncFnMut() -> Done<()>) -> Done<()> {
        work().await?;
        let (begun, before, mut count) = (Instant::now(), used()?, 0);
        while begun.elapsed() < TURN {
            work().await?;
            count += 1;
        }
        // The time of an ended thread is lost.
        self.0.push(used()?.saturating_sub(before) / count);
        Ok(())
    }

    fn microseconds(&self) -> u64 {
        sorted(self.0.iter().copied())[self.0.len() / 2] / 1000
    }

    /// Formats the ratio to the rate of `bare` in the same round, in thousandths: median, minimum and maximum.
    fn ratio(&self, name: &str, bare: &Self) -> String {
        let ratios = sorted(bare.0.iter().zip(&self.0).map(|(bare, own)| bare * 1000 / own.max(&1)));
        let [least, median, most] = [0, ratios.len() / 2, ratios.len() - 1].map(|it| ratios[it]);
        format!(r#""{name}":{median},"{name}Least":{least},"{name}Most":{most}"#)
    }
}

fn sorted(numbers: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut numbers: Vec<u64> = numbers.collect();
    numbers.sort_unstable();
    numbers
}

/// Returns the processor time of all threads of this process, in nanoseconds.
fn used() -> Done<u64> {
    let mut sum = 0;
    for thread in fs::read_dir("/proc/self/task")? {
        // The thread may have ended.
        let Ok(statistics) = fs::read_to_string(thread?.path().join("schedstat")) else { continue };
        sum += statistics.split_whitespace().next().ok_or("the kernel reports no time")?.parse::<u64>()?;
    }
    Ok(sum)
}

fn identity() -> Done<SigningIdentity> {
    let (from, until) = (sample::noon() - TimeDelta::days(1), sample::noon() + TimeDelta::days(365));
    let made = xml_signer::self_signed_certificate("Rosa Prueba", "IDCDO-00113918205", from, until)?;
    Ok(xml_signer::read_pkcs12(&made.pkcs12, &made.password)?.remove(0).identity)
}

fn document() -> Done<FiscalDocument> {
    let mut document = sample::sale(1).document;
    let lines: Vec<_> = (1..=LINES).map(|n| sample::line(100_00 + n)).collect();
    let breakdown = Breakdown::of(&lines, true).map_err(|it| format!("{it:?}"))?;
    let content = Content { lines, breakdown, ..document.content().clone() };
    document.change_content(content, sample::noon()).map_err(|it| format!("{it:?}"))?;
    Ok(document)
}
