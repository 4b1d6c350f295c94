//! Drives the real binary in a temporary folder.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

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

    /// Hashes of the tables of a complete index, by file name.
    pub fn table_hashes(&self) -> BTreeMap<String, String> {
        let manifest = std::fs::read(self.path("output/manifest.json")).expect("a manifest");
        let manifest: serde_json::Value = serde_json::from_slice(&manifest).expect("JSON");
        assert_eq!(manifest["state"], "complete");
        let files = manifest["tables"].as_object().expect("tables").keys();
        let hash = |file: &String| {
            let bytes = std::fs::read(self.path("output").join(file)).expect("a table");
            (file.clone(), blake3::hash(&bytes).to_hex().to_string())
        };
        files.map(hash).collect()
    }
}

/// Kills processes at random but seeded moments.
pub struct Killer {
    seed: u64,
    pub left: u32,
}

impl Killer {
    /// With `kills` to do, or as many as the variable `KILLS` says.
    pub fn new(kills: u32) -> Self {
        let asked = std::env::var("KILLS").ok();
        Self {
            seed: 0x9E37_79B9,
            left: asked.and_then(|kills| kills.parse().ok()).unwrap_or(kills),
        }
    }

    /// Starts the command and kills it after a random part of `milliseconds`, unless it has ended by then or no kill is left.
    /// Returns whether it was killed; one that was not has ended well.
    pub fn kills(&mut self, mut command: Command, milliseconds: std::ops::Range<u64>) -> bool {
        let mut child = command.spawn().expect("the binary starts");
        self.seed = self
            .seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let spread = milliseconds.end - milliseconds.start;
        let wait = milliseconds.start + (self.seed >> 33) % spread;
        std::thread::sleep(Duration::from_millis(wait));
        if self.left == 0 || child.try_wait().expect("a status").is_some() {
            assert!(child.wait().expect("it ends").success());
            return false;
        }
        child.kill().expect("killed");
        child.wait().expect("reaped");
        self.left -= 1;
        true
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
