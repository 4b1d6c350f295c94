//! Links to source files on terminals that have them (OSC 8).

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// Turns document names into links; into the bare names where the output is no terminal.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// The input folder, absolute.
    folder: Option<PathBuf>,
}

impl Links {
    /// Links for standard output to the documents in `input`.
    pub fn to(input: &Path) -> Self {
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        let folder = (std::io::stdout().is_terminal() && !is_dumb)
            .then(|| std::path::absolute(input).ok())
            .flatten();
        Self { folder }
    }

    /// `text`, which stands for the document `name`, as a link where there is such a file.
    pub fn link(&self, name: &str, text: &str) -> String {
        let path = self.folder.as_ref().map(|folder| folder.join(name));
        match path.filter(|path| path.is_file()) {
            Some(path) => format!("\x1b]8;;{}\x1b\\{text}\x1b]8;;\x1b\\", url(&path)),
            None => text.to_owned(),
        }
    }
}

/// A file URL; every byte that is not plain is escaped, so that no name can end the link or say anything to the terminal.
fn url(path: &Path) -> String {
    let mut url = "file://".to_owned();
    for byte in path.to_string_lossy().replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                url.push(char::from(byte));
            }
            byte => url.push_str(&format!("%{byte:02X}")),
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_there_is_linked_and_nothing_of_its_name_reaches_the_terminal() {
        let folder = tempfile::tempdir().unwrap();
        let name = "a b\u{7}.md";
        std::fs::write(folder.path().join(name), "x").unwrap();
        let links = Links {
            folder: Some(folder.path().to_owned()),
        };
        let shown = links.link(name, "a b.md");
        assert!(
            shown.starts_with("\x1b]8;;file:///")
                && shown.ends_with("a%20b%07.md\x1b\\a b.md\x1b]8;;\x1b\\"),
            "{shown:?}"
        );
        assert_eq!(links.link("gone.md", "gone.md"), "gone.md");
        assert_eq!(Links::default().link(name, "a"), "a");
    }
}
