use std::{fmt::Write as _, fs, path::Path};

use serde::de::IgnoredAny;

use super::{Request, TestResponse};

/// Compares a request and the response with `fixtures/http/{name}.txt`.
#[track_caller]
pub(crate) fn check_exchange(name: &str, request: &Request, response: &TestResponse) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/http").join(name).with_extension("txt");
    let actual = format!("{}\n{}", request_text(request), response_text(response));
    if std::env::var_os("UPDATE").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &actual).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(actual == committed, "{} is stale: run `just update`\n{actual}", path.display());
}

fn request_text(request: &Request) -> String {
    let mut text = format!("{} {}\n", request.method, request.target);
    for (name, value) in &request.headers {
        let value = String::from_utf8_lossy(value);
        let value = match (*name, value.get(..15)) {
            ("authorization", Some(known)) => format!("{known}…"),
            _ => value.into_owned(),
        };
        // Keys differ from run to run.
        if !value.starts_with("key-of-its-own") {
            let _ = writeln!(text, "{name}: {value}");
        }
    }
    text + &shown(&request.body)
}

fn response_text(response: &TestResponse) -> String {
    let mut text = format!("{}\n", response.status);
    let mut headers = response.headers.clone();
    headers.sort_unstable();
    for (name, value) in headers {
        let _ = writeln!(text, "{name}: {value}");
    }
    text + &shown(&response.body)
}

fn shown(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    match serde_json::from_slice::<IgnoredAny>(body) {
        Ok(_) => format!("\n{}\n", indented(&text)),
        Err(_) if body.is_empty() => String::new(),
        Err(_) => format!("\n{text}\n"),
    }
}

/// Formats JSON with one value a line, fields in the order sent.
fn indented(json: &str) -> String {
    let mut text = String::new();
    let (mut depth, mut is_text, mut before) = (0_usize, false, ' ');
    for symbol in json.chars().filter(|it| !it.is_control()) {
        match symbol {
            _ if is_text => text.push(symbol),
            ' ' => {}
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                if matches!(before, '{' | '[') {
                    text.truncate(text.trim_end().len());
                    text.push(symbol);
                    before = symbol;
                    continue;
                }
                let _ = write!(text, "\n{}{symbol}", "  ".repeat(depth));
            }
            '{' | '[' => {
                depth += 1;
                let _ = write!(text, "{symbol}\n{}", "  ".repeat(depth));
            }
            ',' => {
                let _ = write!(text, ",\n{}", "  ".repeat(depth));
            }
            ':' => text.push_str(": "),
            _ => text.push(symbol),
        }
        is_text ^= symbol == '"' && before != '\\';
        before = if before == '\\' { ' ' } else { symbol };
    }
    text
}
