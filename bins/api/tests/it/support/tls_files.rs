use std::{path::Path, process::Command};

/// Certificates and keys for mutual TLS with a simulated AZUL: of a certification authority, of the server, and of each
/// merchant.
pub(crate) struct TlsFiles {
    folder: String,
}

impl TlsFiles {
    /// Creates the files with OpenSSL.
    pub(crate) fn make(folder: &Path, merchants: &[&str]) -> Self {
        let files = Self { folder: folder.to_str().unwrap().to_owned() };
        files.run(
            "openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 30 -subj '/CN=Authority' \
             -addext basicConstraints=critical,CA:TRUE",
        );
        files.sign("server", "subjectAltName=IP:127.0.0.1");
        for merchant in merchants {
            files.sign(merchant, "extendedKeyUsage=clientAuth");
        }
        files
    }

    /// Returns the path of a file, such as `server.pem` or `server.key`.
    pub(crate) fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.folder)
    }

    fn sign(&self, name: &str, extension: &str) {
        self.run(&format!(
            "openssl req -newkey rsa:2048 -nodes -keyout {name}.key -out {name}.csr -subj '/CN={name}.local' && \
             echo '{extension}' > {name}.ext && openssl x509 -req -in {name}.csr -CA ca.pem -CAkey ca.key \
             -CAcreateserial -out {name}.pem -days 30 -extfile {name}.ext"
        ));
    }

    fn run(&self, script: &str) {
        let output = Command::new("sh").args(["-c", &format!("cd '{}' && {script}", self.folder)]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
