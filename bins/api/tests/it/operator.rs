use std::fs;

use crate::support::{Desk, make_certificate};

#[tokio::test]
async fn an_operator_sets_a_merchant_up() {
    let desk = Desk::open("operator").await;
    assert!(desk.run(&["migrate"]).is_success);

    let merchant = desk.merchant();
    let whose = ["--merchant", &merchant, "--mode", "test"];
    let account = desk.run(&[&["account", "create"], &whose[..], &["--provider", "simulator"]].concat());
    let key = desk.run(&[&["key", "create"], &whose[..], &["--role", "admin"]].concat());
    let range = ["--kind", "fiscal_credit", "--from", "1", "--to", "500", "--valid-until", "2099-12-31"];
    let added = desk.run(&[&["sequence", "add"], &whose[..], &range[..]].concat());
    let shown = desk.run(&[&["merchant", "show"], &whose[..]].concat()).json();
    let report = desk.run(&[&["sequence", "report"], &whose[..], &["--numbers"]].concat()).json();
    let stranger = ["--merchant", "merchant_01jz0000000000000000000001", "--mode", "test"];
    let of_nobody = desk.run(&[&["sequence", "report"], &stranger[..]].concat());
    let add = |more: &[&str]| desk.run(&[&["sequence", "add"], &whose[..], &["--kind", "government"], more].concat());
    let over = add(&["--from", "1", "--to", "9", "--valid-until", "2020-12-31"]);
    let late = add(&["--from", "1", "--to", "9", "--valid-until", "2100-01-01"]);
    let counts = ["--from", "1", "--to", "9", "--valid-until", "2099-12-31", "--environment", "ecf"];
    let counts = add(&counts);

    assert!(account.text("merchantAccountId").starts_with("merchant_account_"));
    assert!(key.text("apiKey").starts_with("gk_test_"));
    assert!(!of_nobody.is_success && of_nobody.stderr.contains("there is no such merchant"), "{}", of_nobody.stderr);
    assert!(!late.is_success && late.stderr.contains("no day after 2099"), "{}", late.stderr);
    assert!(!over.is_success && over.stderr.contains("the last day of the range is over"), "{}", over.stderr);
    assert!(!counts.is_success && counts.stderr.contains("none is declared where"), "{}", counts.stderr);
    assert_eq!(shown["sequences"].as_array().map(Vec::len), Some(1));
    assert_eq!(added.text("environment"), "testecf");
    assert_eq!(shown["profile"]["missingFields"], serde_json::json!([]));
    assert_eq!(shown["profile"]["isSplitEnabled"], true);
    assert_eq!(shown["accounts"][0]["provider"], "simulator");
    assert_eq!(shown["sequences"][0]["to"], 500);
    assert_eq!(shown["certificate"], serde_json::Value::Null);
    let range = &report["ranges"][0];
    assert_eq!(
        (&range["environment"], &range["next"], &range["isExpired"]),
        (&"testecf".into(), &1.into(), &false.into())
    );
    assert_eq!((&range["numbers"]["unused"], &range["annulments"]["annulled"]), (&500.into(), &0.into()));
}

#[tokio::test]
async fn keys_are_listed_without_their_secret_replaced_and_ended() {
    let desk = Desk::open("keys").await;
    desk.run(&["migrate"]);
    let merchant = desk.merchant();
    let whose = ["--merchant", &merchant, "--mode", "test"];
    let account = desk.run(&[&["account", "create"], &whose[..], &["--provider", "simulator"]].concat());
    let account = account.text("merchantAccountId");
    let restriction = ["--role", "admin", "--account", &account];
    let first = desk.run(&[&["key", "create"], &whose[..], &restriction].concat()).text("apiKey");
    let hint = &first[..12];

    let replace = ["--key", hint, "--overlap", "7d"];
    let second = desk.run(&[&["key", "rotate"], &whose[..], &replace].concat()).text("apiKey");
    let ended = desk.run(&[&["key", "revoke"], &whose[..], &["--key", hint]].concat()).json();
    let again = desk.run(&[&["key", "revoke"], &whose[..], &["--key", hint]].concat());
    let too_long = desk.run(&[&["key", "rotate"], &whose[..], &["--key", &second[..12], "--overlap", "8d"]].concat());
    let stranger = ["--account", "merchant_account_01JZ0000000000000000000001"];
    let stranger = desk.run(&[&["key", "create"], &whose[..], &stranger].concat());
    let listed = desk.run(&[&["key", "list"], &whose[..]].concat()).json();

    let keys = listed["keys"].as_array().unwrap();
    assert_eq!(keys.len(), 2);
    for (key, text, is_valid) in [(&keys[0], &first, false), (&keys[1], &second, true)] {
        assert_eq!((&key["key"], &key["isValid"]), (&text[..12].into(), &is_valid.into()));
        assert_eq!((&key["role"], &key["merchantAccountIds"][0]), (&"admin".into(), &account.as_str().into()));
        assert!(!listed.to_string().contains(text.as_str()));
    }
    assert_eq!(ended["isValid"], false);
    for refused in [again, too_long, stranger] {
        assert!(!refused.is_success);
    }
}

#[tokio::test]
async fn a_certificate_is_imported_with_its_password_from_a_file_or_the_environment() {
    let desk = Desk::open("certificate").await;
    desk.run(&["migrate"]);
    let merchant = desk.merchant();
    let file = |name: &str| desk.path(name);
    make_certificate(file("one.p12").as_ref(), "from the environment");
    make_certificate(file("two.p12").as_ref(), "from a file");
    fs::write(file("password"), "from a file\n").unwrap();

    let import = |further: &[&str]| {
        desk.run(&[&["certificate", "import", "--merchant", &merchant, "--mode", "test", "--file"], further].concat())
    };
    let from_environment = import(&[&file("one.p12")]);
    let from_file = import(&[&file("two.p12"), "--password-file", &file("password")]);
    let wrong = import(&[&file("two.p12")]);

    assert!(from_environment.text("certificateId").starts_with("certificate_"));
    assert!(from_file.text("certificateId").starts_with("certificate_"));
    assert!(wrong.stderr.contains("password of the PKCS#12 file is wrong"), "{wrong:?}");
    assert!(!wrong.stderr.contains("from the environment"));

    let listed = desk.run(&["certificate", "list", "--merchant", &merchant]);
    let listed: Vec<serde_json::Value> = listed.stdout.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let in_force: Vec<bool> = listed.iter().map(|it| it["isInForce"].as_bool().unwrap()).collect();
    assert_eq!(in_force, [true, false]);
    assert_eq!(listed[0]["certificateId"], from_file.text("certificateId").as_str());
    for it in &listed {
        assert!(it["serial"].as_str().is_some_and(|it| !it.is_empty()), "{it}");
        assert!(it["issuer"].is_string() && it["subject"].is_string() && it["until"].is_string(), "{it}");
    }
}

#[tokio::test]
async fn ranges_are_listed_a_line_each_with_what_is_left() {
    let desk = Desk::open("range_lists").await;
    desk.run(&["migrate"]);
    let merchant = desk.merchant();
    let settings = desk.path("settings");
    fs::write(&settings, format!("COBRO_DATABASE_URL={}\n", desk.database.url)).unwrap();
    for (mode, kind, environment) in
        [("test", "consumer", "testecf"), ("test", "consumer", "certecf"), ("live", "fiscal_credit", "ecf")]
    {
        let whose = ["sequence", "add", "--merchant", &merchant, "--mode", mode, "--kind", kind];
        let which = ["--from", "1", "--to", "100", "--valid-until", "2099-12-31", "--environment", environment];
        desk.run(&[&whose[..], &which[..]].concat()).json();
    }

    let list = |more: &[&str]| {
        let list = ["sequence", "list", "--merchant", &merchant, "--config", &settings];
        let listed = crate::support::cobro(&[&list[..], more].concat(), &[]);
        listed.stdout.lines().map(|it| serde_json::from_str(it).unwrap()).collect::<Vec<serde_json::Value>>()
    };
    let (all, live) = (list(&[]), list(&["--mode", "live"]));
    let stranger = desk.run(&["sequence", "list", "--merchant", "merchant_00000000000000000000000000"]);

    assert_eq!((all.len(), live.len()), (3, 1));
    assert_eq!((&live[0]["kind"], &live[0]["environment"]), (&"fiscal_credit".into(), &"ecf".into()));
    assert_eq!((&live[0]["left"], &live[0]["next"], &live[0]["to"]), (&100.into(), &1.into(), &100.into()));
    assert_eq!((&live[0]["state"], &live[0]["validUntil"]), (&"open".into(), &"2099-12-31".into()));
    assert!(!stranger.is_success && stranger.stderr.contains("there is no such merchant"), "{stranger:?}");
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_in_a_sentence() {
    let desk = Desk::open("refusals").await;

    let check = |arguments: &[&str], sentence: &str| {
        let refused = desk.run(arguments);
        assert!(!refused.is_success && refused.stdout.is_empty(), "{refused:?}");
        assert!(refused.stderr.contains(sentence), "{refused:?}");
    };
    check(&["merchant", "show", "--merchant", "merchant_x", "--mode", "test"], "merchant_ and its symbols");
    let described = ["merchant", "create", "--legal-name", "Prueba", "--rnc"];
    check(&[&described[..], &["130000002"]].concat(), "the last digit of an RNC checks the others");
    check(&[&described[..], &["00100000017"]].concat(), "a cédula is no RNC");
    check(&[&described[..], &["12345"]].concat(), "the nine digits of an RNC");
    check(&[&described[..], &["130000001"]].concat(), "run `cobro migrate` first");

    desk.run(&["migrate"]);
    let merchant = desk.merchant();
    let live = ["--merchant", &merchant, "--mode", "live"];
    check(&[&["account", "create"], &live[..], &["--provider", "simulator"]].concat(), "has no live mode");
    let range = ["--kind", "government", "--from", "1", "--to", "500"];
    check(&[&["sequence", "add"], &live[..], &range[..]].concat(), "the last day of their range");
    let other_day = ["--kind", "government", "--from", "1", "--to", "500", "--valid-until", "27/11/2026"];
    check(&[&["sequence", "add"], &live[..], &other_day[..]].concat(), "a day is expected, as in 2026-11-27");
    fs::write(desk.path("certificate.pem"), "-----BEGIN CERTIFICATE-----\n").unwrap();
    let pem = ["--file", &desk.path("certificate.pem")];
    check(&[&["certificate", "import"], &live[..], &pem[..]].concat(), "the file is no PKCS#12 file");
    let nobody = ["--merchant", "merchant_00000000000000000000000000", "--mode", "test"];
    check(&[&["key", "create"], &nobody[..]].concat(), "there is no such merchant");
}

#[tokio::test]
async fn merchants_and_accounts_are_listed_and_named_in_one_way() {
    let desk = Desk::open("lists").await;
    desk.run(&["migrate"]);
    let (first, second) = (desk.merchant(), desk.merchant());
    let whose = ["--merchant", &first, "--mode", "test"];
    let account = desk.run(&[&["account", "create"], &whose[..], &["--provider", "azul"]].concat());
    let account = account.text("merchantAccountId");
    let key = desk.run(&[&["key", "create"], &whose[..]].concat()).text("apiKey");
    let credentials = r#"{"merchantId": "39000000001", "auth1": "one", "auth2": "two"}"#;
    fs::write(desk.path("credentials.json"), format!("\u{feff}{credentials}")).unwrap();

    let listed = desk.run(&["merchant", "list"]);
    let accounts = desk.run(&["account", "list", "--merchant", &first]).json();
    let both = desk.run(&["merchant", "show", &first]);
    let old = desk.run(&["merchant", "show", "--merchant", &first, "--mode", "live"]).json();
    let file = ["--file", &desk.path("credentials.json")];
    let set = desk.run(&[&["account", "credentials", &account], &file[..]].concat());
    let unknown = ["account", "credentials", "merchant_account_00000000000000000000000000"];
    let unknown = desk.run(&[&unknown[..], &file[..]].concat());
    let ended = desk.run(&[&["key", "revoke", &key[..12]], &whose[..]].concat()).json();
    let none = desk.run(&["document", "show", "fiscal_document_00000000000000000000000000"]);

    let mut ids: Vec<String> = Vec::new();
    for line in listed.stdout.lines() {
        let merchant: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!((&merchant["rnc"], &merchant["displayName"]), (&"130000001".into(), &"Prueba".into()));
        ids.push(merchant["merchantId"].as_str().unwrap().to_owned());
    }
    ids.sort();
    let mut made = [first, second];
    made.sort();
    assert_eq!(ids, made);
    assert_eq!((&accounts["merchantAccountId"], &accounts["mode"]), (&account.as_str().into(), &"test".into()));
    assert_eq!((both.stdout.lines().count(), &old["mode"]), (2, &"live".into()));
    // The file has a byte order mark and contains no certificate.
    assert!(!set.is_success && !set.stderr.contains("not one JSON object"), "{set:?}");
    assert!(unknown.stderr.contains("there is no such account"), "{unknown:?}");
    assert_eq!(ended["isValid"], false);
    assert!(none.stderr.contains("there is no such document"), "{none:?}");
}

#[tokio::test]
async fn a_misspelled_command_gets_a_suggestion() {
    for (arguments, suggestion) in
        [(&["sanbox"][..], "'sandbox'"), (&["merchant", "shwo"], "'show'"), (&["serve", "--confg", "x"], "'--config'")]
    {
        let refused = crate::support::cobro(arguments, &[]);

        assert!(!refused.is_success && refused.stderr.contains(suggestion), "{refused:?}");
    }
}

#[tokio::test]
async fn a_range_is_never_granted_twice() {
    let desk = Desk::open("ranges").await;
    desk.run(&["migrate"]);
    let merchant = desk.merchant();
    let add = |from: &str, to: &str| {
        let whose = ["sequence", "add", "--merchant", &merchant, "--mode", "test", "--kind", "consumer"];
        desk.run(&[&whose[..], &["--from", from, "--to", to]].concat())
    };

    assert!(add("1", "100").is_success);
    assert!(add("50", "150").stderr.contains("in a range of this kind that the issuer has already"));
    assert!(add("101", "200").is_success);
}

#[tokio::test]
async fn a_rate_has_a_day_and_a_source() {
    let desk = Desk::open("rates").await;
    desk.run(&["migrate"]);
    let merchant = desk.merchant();
    let set = |rate: &str| {
        let whose = ["rate", "set", "--merchant", &merchant, "--mode", "test", rate, "--date", "2026-11-27"];
        desk.run(&[&whose[..], &["--source", "Banco Central, venta"]].concat())
    };

    let rate = set("58.1234").json();

    assert_eq!(
        (&rate["rate"], &rate["date"], &rate["lastDay"]),
        (&"58.1234".into(), &"2026-11-27".into(), &"2026-12-03".into())
    );
    assert_eq!((&rate["currency"], &rate["source"]), (&"USD".into(), &"Banco Central, venta".into()));
    assert!(set("0.5").stderr.contains("1.0000 to 999.9999"));
    assert!(set("58.12345").stderr.contains("at most four decimals"));
}

/// The message names the URL of the unavailable authority and the command that continues.
#[tokio::test]
async fn annulment_resumes_after_the_authority_was_unavailable() {
    let desk = Desk::open("unheard").await;
    desk.run(&["migrate"]);
    let merchant = desk.merchant();
    let whose = ["--merchant", &merchant, "--mode", "test"];
    make_certificate(desk.path("one.p12").as_ref(), "from the environment");
    desk.run(&[&["certificate", "import"], &whose[..], &["--file", &desk.path("one.p12")]].concat()).json();
    let range = ["--kind", "consumer", "--from", "1", "--to", "100"];
    desk.run(&[&["sequence", "add"], &whose[..], &range[..]].concat()).json();
    let key_file = desk.path("master.key");
    let variables = [
        ("COBRO_DATABASE_URL", desk.database.url.as_str()),
        ("COBRO_MASTER_KEY_FILE", &key_file),
        ("COBRO_DGII_URLS", "http://127.0.0.1:9"),
    ];

    let wish = ["sequence", "annul", "--kind", "consumer", "--from", "51"];
    let unheard = crate::support::cobro(&[&wish[..], &whose[..]].concat(), &variables);

    let told: serde_json::Value = serde_json::from_str(unheard.stdout.trim()).unwrap();
    let again = format!("`cobro sequence annul --resume {}`", told["annulmentId"].as_str().unwrap());
    assert!(!unheard.is_success, "{unheard:?}");
    for words in ["the authority cannot be reached", "`cobro doctor`", "COBRO_DGII_URLS", &again] {
        assert!(unheard.stderr.contains(words), "{words} in {unheard:?}");
    }
}
