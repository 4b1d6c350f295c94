//! `belvedere init`: a project folder that works as it is.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::config::{SCHEMA_FILE, SETTINGS_FILES, SETTINGS_TEMPLATE, STOCK_PROMPTS};

const ENV_EXAMPLE: &str = "\
# Copy this file to .env and fill in what your settings.yaml uses. Keep .env out of version control.
# A variable of the environment wins over the one here.
OPENAI_API_KEY=
AZURE_OPENAI_API_KEY=
";

/// What became of one file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It was not there.
    Created,
    /// It was there and was replaced (`force`).
    Replaced,
    /// It was there and was left as it is.
    Kept,
}

/// What became of each file and folder, in the order they were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InitReport {
    /// Paths relative to the project folder.
    pub entries: Vec<(PathBuf, Action)>,
}

/// Why a project could not be started.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    /// Everything is there already.
    #[error("{}: already initialised; use --force to replace settings and prompts by fresh ones", .root.display())]
    AlreadyInitialised {
        /// The project folder.
        root: PathBuf,
    },
    /// The folder, or something in it, is a file where a folder should be, or the other way round.
    #[error("{}: {message}", .path.display())]
    InTheWay {
        /// What is in the way.
        path: PathBuf,
        /// What it is and what to do.
        message: &'static str,
    },
    /// A file or folder could not be written.
    #[error("{}: {source}; check the folder's permissions and free space", .path.display())]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Writes `settings.yaml`, `settings.schema.json`, `prompts/`, `input/` and `.env.example` into `root`, which is made
/// if it is not there. What exists is kept, or with `force` replaced; `input/` and `.env` are never touched.
///
/// A project whose settings are called `settings.yml` or `settings.json` keeps them, as a `settings.yaml` beside them
/// would be read in their place.
///
/// # Errors
/// [`InitError::AlreadyInitialised`] when, without `force`, there was nothing left to write.
pub fn init(root: &Path, force: bool) -> Result<InitReport, InitError> {
    let mut report = InitReport::default();
    make_folder(root)?;
    let other_settings = SETTINGS_FILES
        .iter()
        .skip(1)
        .find(|name| root.join(name).exists());
    match other_settings.filter(|_| !force && !root.join("settings.yaml").exists()) {
        Some(name) => report.entries.push((PathBuf::from(name), Action::Kept)),
        None => write(
            root,
            Path::new("settings.yaml"),
            SETTINGS_TEMPLATE,
            force,
            &mut report,
        )?,
    }
    write(
        root,
        Path::new("settings.schema.json"),
        SCHEMA_FILE,
        force,
        &mut report,
    )?;
    make_folder(&root.join("prompts"))?;
    for prompt in &STOCK_PROMPTS {
        write(
            root,
            &Path::new("prompts").join(prompt.file),
            prompt.text,
            force,
            &mut report,
        )?;
    }
    let action = make_folder(&root.join("input"))?;
    report.entries.push((PathBuf::from("input"), action));
    write(
        root,
        Path::new(".env.example"),
        ENV_EXAMPLE,
        force,
        &mut report,
    )?;

    if report
        .entries
        .iter()
        .all(|(_, action)| *action == Action::Kept)
    {
        return Err(InitError::AlreadyInitialised {
            root: root.to_owned(),
        });
    }
    Ok(report)
}

fn make_folder(path: &Path) -> Result<Action, InitError> {
    if path.is_dir() {
        return Ok(Action::Kept);
    }
    if path.exists() {
        let message = "a file of this name is in the way; move it";
        return Err(InitError::InTheWay {
            path: path.to_owned(),
            message,
        });
    }
    match fs::create_dir_all(path) {
        Ok(()) => Ok(Action::Created),
        Err(source) => Err(InitError::Unwritable {
            path: path.to_owned(),
            source,
        }),
    }
}

fn write(
    root: &Path,
    name: &Path,
    text: &str,
    force: bool,
    report: &mut InitReport,
) -> Result<(), InitError> {
    let path = root.join(name);
    if path.is_dir() {
        return Err(InitError::InTheWay {
            path,
            message: "a folder of this name is in the way; move it",
        });
    }
    let action = if path.exists() && force {
        replace(&path, text).map(|()| Action::Replaced)
    } else {
        create(&path, text)
    };
    match action {
        Ok(action) => report.entries.push((name.to_owned(), action)),
        Err(source) => return Err(InitError::Unwritable { path, source }),
    }
    Ok(())
}

/// Creates the file, or leaves one that is there, or appears meanwhile, as it is.
fn create(path: &Path, text: &str) -> std::io::Result<Action> {
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(mut file) => file.write_all(text.as_bytes()).map(|()| Action::Created),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(Action::Kept),
        Err(error) => Err(error),
    }
}

/// Replaces the file as a whole, so that no reader sees half of it.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".new");
    fs::write(&temporary, text)?;
    fs::rename(&temporary, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(report: &InitReport, wanted: Action) -> Vec<String> {
        let chosen = report
            .entries
            .iter()
            .filter(|(_, action)| *action == wanted);
        chosen
            .map(|(path, _)| path.display().to_string().replace('\\', "/"))
            .collect()
    }

    #[test]
    fn a_fresh_project_loads_without_a_word() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("new/project");
        let report = init(&root, false).unwrap();
        assert_eq!(report.entries.len(), 18);
        assert_eq!(names(&report, Action::Created).len(), 18);
        assert!(root.join("input").is_dir());
        let loaded = crate::config::load(&root, &|_| None).unwrap();
        assert_eq!(loaded.notes, Vec::<String>::new());
        assert_eq!(loaded.settings, crate::config::Settings::default());
        assert!(crate::config::Prompts::load(&loaded.settings, &root).is_ok());
    }

    #[test]
    fn what_exists_is_kept_unless_forced() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir(root.join("prompts")).unwrap();
        fs::write(root.join("settings.yaml"), "chunking: {size: 300}\n").unwrap();
        fs::write(root.join("prompts/extract_graph.txt"), "mine {input_text}").unwrap();
        fs::write(root.join(".env"), "SECRET=1").unwrap();

        let report = init(root, false).unwrap();
        assert_eq!(
            names(&report, Action::Kept),
            ["settings.yaml", "prompts/extract_graph.txt"]
        );
        assert_eq!(
            fs::read_to_string(root.join("settings.yaml")).unwrap(),
            "chunking: {size: 300}\n"
        );

        let again = init(root, false);
        assert!(
            matches!(again, Err(InitError::AlreadyInitialised { .. })),
            "{again:?}"
        );
        assert!(again.unwrap_err().to_string().contains("--force"));

        let forced = init(root, true).unwrap();
        assert_eq!(names(&forced, Action::Replaced).len(), 17);
        assert_eq!(
            fs::read_to_string(root.join("settings.yaml")).unwrap(),
            SETTINGS_TEMPLATE
        );
        assert_eq!(fs::read_to_string(root.join(".env")).unwrap(), "SECRET=1");
    }

    #[test]
    fn settings_of_another_name_are_not_put_out_of_use() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("settings.json"), "{}").unwrap();
        let report = init(folder.path(), false).unwrap();
        assert_eq!(names(&report, Action::Kept), ["settings.json"]);
        assert!(!folder.path().join("settings.yaml").exists());
    }

    #[test]
    fn a_file_in_the_way_is_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("input"), "").unwrap();
        let error = init(folder.path(), false).unwrap_err().to_string();
        assert!(
            error.contains("input: a file of this name is in the way"),
            "{error}"
        );
    }
}
