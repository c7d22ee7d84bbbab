use domain::payment::Action;
use ports::{Browser, ReturnUrls};

/// A challenge of an issuer.
pub fn challenge() -> Action {
    let address = "https://issuer.example/challenge?a=1&b=ñ".to_owned();
    Action::Challenge { address, request: "eyJhc2tzIjoiw7EifQ==".to_owned() }
}

/// A 3-D Secure method of an issuer.
pub fn method() -> Action {
    Action::Method { form: "<form action=\"https://issuer.example/look?a=1&amp;b=ñ\"></form>".to_owned() }
}

/// A payer's browser.
pub fn browser() -> Browser {
    Browser {
        accept: "text/html".to_owned(),
        user_agent: "Mozilla/5.0".to_owned(),
        language: "es-DO".to_owned(),
        address: "203.0.113.9".to_owned(),
        screen: None,
    }
}

/// Return addresses of the browser.
pub fn returns() -> ReturnUrls {
    let at = |it: &str| format!("https://pay.example/c/{}/{it}", super::symbols(1).as_str());
    ReturnUrls { method: at("look"), challenge: at("answer") }
}
