//! Drives the real binary in a temporary folder.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A project in a temporary folder, removed when it is dropped.
pub struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    pub fn empty() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    /// A project whose input is a copy of the repository's demo corpus.
    pub fn with_demo_input() -> Self {
        let project = Self::empty();
        copy_tree(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("input"),
            &project.path("input"),
        );
        project
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, bytes).expect("a file");
        self
    }

    /// A command of the binary in this folder.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_belvedere"));
        command
            .args(args)
            .current_dir(self.root())
            .env_remove("RAYON_NUM_THREADS");
        command
    }

    pub fn run(&self, args: &[&str]) -> Run {
        Run::of(self.command(args))
    }
}

/// What a command printed and how it ended.
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    pub fn of(mut command: Command) -> Self {
        let Output {
            status,
            stdout,
            stderr,
        } = command.output().expect("the binary starts");
        Self {
            code: status.code().unwrap_or(-1),
            stdout: String::from_utf8(stdout).expect("UTF-8"),
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
        }
    }

    /// Asserts the exit code, showing what was printed otherwise.
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "exit code\n--- stdout\n{}\n--- stderr\n{}",
            self.stdout, self.stderr
        );
        self
    }

    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}\n{}\n{}", self.stdout, self.stderr))
    }
}

pub fn copy_tree(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy_tree(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("a copy");
        }
    }
}
