use std::{
    fs::{self, Permissions},
    io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use ports::CredentialVault;
use tempfile::TempDir;
use vault::{KeyFileUnusable, Vault};

const OLD: &str = "0101010101010101010101010101010101010101010101010101010101010101";
const NEW: &str = "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=";

fn file_of(folder: &TempDir, text: &str, mode: u32) -> PathBuf {
    let path = folder.path().join("master.key");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    path
}

fn refusal(path: &Path) -> KeyFileUnusable {
    Vault::from_file(path).err().expect("the file is refused")
}

#[test]
fn a_new_key_file_is_private_and_opens_the_same_vault() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("master.key");

    let sealed = Vault::create_file(&path).unwrap().seal("context", b"secret").unwrap();
    let again = Vault::from_file(&path).unwrap();

    assert_eq!(again.open("context", &sealed).unwrap().as_slice(), b"secret");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_key_file_is_never_overwritten() {
    let folder = TempDir::new().unwrap();
    let path = file_of(&folder, OLD, 0o600);

    let error = Vault::create_file(&path).err().unwrap();

    assert!(matches!(error, KeyFileUnusable::Unreadable(it) if it.kind() == io::ErrorKind::AlreadyExists));
    assert_eq!(fs::read_to_string(&path).unwrap(), OLD);
}

#[test]
fn a_key_file_that_others_can_open_is_refused() {
    let folder = TempDir::new().unwrap();

    for mode in [0o640, 0o604, 0o620, 0o602, 0o644, 0o666] {
        assert!(matches!(refusal(&file_of(&folder, OLD, mode)), KeyFileUnusable::Exposed), "{mode:o}");
    }
    for mode in [0o600, 0o400] {
        assert!(Vault::from_file(&file_of(&folder, OLD, mode)).is_ok(), "{mode:o}");
    }
}

#[test]
fn the_first_line_seals_and_every_line_opens() {
    let folder = TempDir::new().unwrap();
    let sealed = Vault::from_file(&file_of(&folder, OLD, 0o600)).unwrap().seal("context", b"secret").unwrap();

    let both = Vault::from_file(&file_of(&folder, &format!("{NEW}\n\n{OLD}\n"), 0o600)).unwrap();
    let only_new = Vault::from_file(&file_of(&folder, NEW, 0o600)).unwrap();

    assert!(both.open("context", &sealed).is_ok());
    assert!(only_new.open("context", &sealed).is_err());
    assert!(only_new.open("context", &both.seal("context", b"secret").unwrap()).is_ok());
}

#[test]
fn a_file_without_keys_is_refused_without_showing_its_content() {
    let folder = TempDir::new().unwrap();

    for text in ["", "\n\n", "hunter2", &format!("{OLD}\nhunter2")] {
        let error = refusal(&file_of(&folder, text, 0o600));

        assert!(matches!(error, KeyFileUnusable::NotAKey(_)), "{text}");
        assert!(!format!("{error} {error:?}").contains("hunter2"));
    }
}

#[test]
fn a_missing_file_and_a_bad_file_have_different_errors() {
    let error = refusal(Path::new("/nowhere/master.key"));

    assert!(matches!(error, KeyFileUnusable::Unreadable(it) if it.kind() == io::ErrorKind::NotFound));
}

#[test]
fn a_key_that_is_put_in_front_seals_and_the_others_stay() {
    let folder = TempDir::new().unwrap();
    let path = file_of(&folder, &format!("{OLD}\n"), 0o600);
    let before = Vault::from_file(&path).unwrap();
    let sealed = before.seal("context", b"secret").unwrap();

    Vault::put_key_in_front(&path).unwrap();
    let after = Vault::from_file(&path).unwrap();

    let text = fs::read_to_string(&path).unwrap();
    assert_eq!((text.lines().count(), text.lines().nth(1)), (2, Some(OLD)));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(after.open("context", &sealed).is_ok());
    assert!(after.reseal("context", &sealed).unwrap().is_some());
    assert_eq!(after.mac("purpose", b"message"), before.mac("purpose", b"message"));
}

#[test]
fn a_process_that_was_there_before_finds_the_new_key() {
    let folder = TempDir::new().unwrap();
    let path = file_of(&folder, OLD, 0o600);
    let running = Vault::from_file(&path).unwrap();

    Vault::put_key_in_front(&path).unwrap();
    let sealed = Vault::from_file(&path).unwrap().seal("context", b"secret").unwrap();

    assert_eq!(running.open("context", &sealed).unwrap().as_slice(), b"secret");
    assert_eq!(running.reseal("context", &sealed), Ok(None));
    let of_nobody = Vault::new(&vault::MasterKey::random()).seal("context", b"secret").unwrap();
    assert!(running.open("context", &of_nobody).is_err());
}

#[test]
fn a_file_that_is_exposed_damaged_or_full_gets_no_further_key() {
    let folder = TempDir::new().unwrap();
    let full = format!("{OLD}\n").repeat(63);

    for (text, mode) in [(OLD, 0o644), ("hunter2", 0o600), (full.as_str(), 0o600)] {
        let path = file_of(&folder, text, mode);
        assert!(Vault::put_key_in_front(&path).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn two_concurrent_rotations_add_two_keys_or_one_fails() {
    let folder = TempDir::new().unwrap();
    let path = file_of(&folder, OLD, 0o600);

    let at_once: Vec<_> = (0..8)
        .map(|_| {
            let path = path.clone();
            std::thread::spawn(move || Vault::put_key_in_front(&path))
        })
        .collect();
    let mut put = 0;
    for it in at_once {
        match it.join().unwrap() {
            Ok(()) => put += 1,
            Err(error) => assert!(matches!(error, KeyFileUnusable::Busy), "{error}"),
        }
    }

    assert!(put > 0);
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 1 + put);
}
