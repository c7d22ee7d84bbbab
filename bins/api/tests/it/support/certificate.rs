use std::{path::Path, process::Command};

/// Creates a PKCS#12 file at `path`, as from a certification authority.
pub(crate) fn make_certificate(path: &Path, password: &str) {
    let script = format!(
        "openssl req -x509 -newkey rsa:2048 -nodes -keyout {path}.key -out {path}.crt -days 30 \
         -subj '/C=DO/serialNumber=IDCDO-00100000017/CN=Rosa Prueba' && \
         openssl pkcs12 -export -inkey {path}.key -in {path}.crt -out {path} -passout 'pass:{password}'",
        path = path.display()
    );
    let made = Command::new("sh").args(["-c", &script]).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}
