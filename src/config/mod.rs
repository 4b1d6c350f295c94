//! `settings.yaml` into checked [`Settings`], and prompt files into checked [`Prompts`].
//!
//! ```text
//! text -> variables marked -> YAML tree with places -> variables put in -> checked against the schema -> Settings
//! ```
//!
//! The structs in `settings/` are the only list of keys: their schema drives the check, the editor's completion and
//! the messages.

mod check;
mod error;
mod legacy;
mod prompts;
mod rules;
mod schema;
mod settings;
mod template;
mod variables;
pub(crate) mod yaml;

use std::path::{Path, PathBuf};

pub use error::{ConfigError, Problem};
pub use prompts::{
    CLAIMS_CONTINUE, CLAIMS_LOOP, DRIFT_HYDE, DRIFT_PRIMER, EXTRACT_CONTINUE, EXTRACT_LOOP,
    JUDGE_PAIR, PromptErrors, Prompts, RATE_REPORT, STOCK_PROMPTS, StockPrompt,
};
pub use schema::{SCHEMA_FILE, for_editors as editor_schema};
pub use settings::*;
pub use template::{PromptError, Template};

/// `settings.yaml` as `belvedere init` writes it.
pub const SETTINGS_TEMPLATE: &str = include_str!("../../settings.yaml");

/// The names under which settings are looked for, in this order.
pub const SETTINGS_FILES: [&str; 3] = ["settings.yaml", "settings.yml", "settings.json"];

/// A larger settings file is a mistake.
const MAX_FILE_SIZE: u64 = 1 << 20;

/// Settings and where they came from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The checked settings.
    pub settings: Settings,
    /// The settings file; `None` where there is none and the defaults hold.
    pub path: Option<PathBuf>,
    /// The project folder, which relative paths start from.
    pub root: PathBuf,
    /// What a user should know, one line each.
    pub notes: Vec<String>,
}

impl Loaded {
    /// A path of the settings, relative ones starting from the project folder.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        self.root.join(path)
    }
}

/// Reads the settings of the project in `root`; without a settings file, the defaults.
///
/// `env` looks up the process environment, which wins over `.env` in `root`. Neither the environment nor the working
/// directory is changed.
///
/// # Errors
/// [`ConfigError::Invalid`] lists every problem found; the other variants say why the file could not be read at all.
pub fn load(root: &Path, env: &dyn Fn(&str) -> Option<String>) -> Result<Loaded, ConfigError> {
    if !root.is_dir() {
        return Err(ConfigError::NoSuchFolder {
            path: root.to_owned(),
        });
    }
    let mut notes = Vec::new();
    let mut found = SETTINGS_FILES
        .iter()
        .map(|name| root.join(name))
        .filter(|path| path.symlink_metadata().is_ok());
    let Some(path) = found.next() else {
        let settings = Settings::default();
        return Ok(Loaded {
            settings,
            path: None,
            root: root.to_owned(),
            notes,
        });
    };
    if let Some(other) = found.next() {
        notes.push(format!(
            "{} is used, {} is not read",
            path.display(),
            other.display()
        ));
    }
    let text = read_text(&path)?;
    let dotenv_path = root.join(".env");
    let (dotenv, unread) = match dotenv_path.symlink_metadata().is_ok() {
        true => variables::parse_dotenv(&read_text(&dotenv_path)?),
        false => Default::default(),
    };
    for line in unread {
        notes.push(format!(
            "{}:{line}: not a NAME=value line, not read",
            dotenv_path.display()
        ));
    }
    let lookup = |name: &str| env(name).or_else(|| dotenv.get(name).cloned());
    let (settings, more_notes) = parse(&text, &path, &lookup)?;
    notes.extend(more_notes);
    Ok(Loaded {
        settings,
        path: Some(path),
        root: root.to_owned(),
        notes,
    })
}

/// Checks the text of a settings file, YAML or JSON, and gives the settings with notes for the user. `path` is used in
/// messages only.
///
/// # Errors
/// As [`load`].
pub fn parse(
    text: &str,
    path: &Path,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<(Settings, Vec<String>), ConfigError> {
    let Some((marked, marks)) = variables::mark(text) else {
        let message = "uses every private-use character; remove them".to_owned();
        return Err(ConfigError::NotText {
            path: path.to_owned(),
            message,
        });
    };
    let mut root = yaml::parse(&marked).map_err(|error| ConfigError::Syntax {
        path: path.to_owned(),
        line: error.place.line,
        column: error.place.column,
        message: error.message,
    })?;
    let mut findings = check::Findings::default();
    variables::substitute(
        &mut root,
        &mut Vec::new(),
        marks,
        lookup,
        &mut findings.problems,
    );
    findings
        .failed
        .extend(findings.problems.iter().map(|problem| problem.key.clone()));

    let json = check::check(&root, schema::of_settings(), &mut findings);
    match serde_json::from_value::<Settings>(json) {
        Ok(settings) => {
            rules::check(&settings, &root, &mut findings);
            if findings.problems.is_empty() {
                let notes = rules::notes(&settings, &findings.ineffective);
                return Ok((settings, notes));
            }
        }
        // The check leaves nothing the structs refuse; should it ever, the structs' own words are the problem.
        Err(error) => findings.problems.push(Problem {
            line: root.place.line,
            column: root.place.column,
            key: String::new(),
            message: error.to_string(),
        }),
    }
    findings.problems.sort();
    Err(ConfigError::Invalid {
        path: path.to_owned(),
        problems: findings.problems,
    })
}

fn read_text(path: &Path) -> Result<String, ConfigError> {
    let unreadable = |source| ConfigError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let not_text = |message: String| ConfigError::NotText {
        path: path.to_owned(),
        message,
    };
    let size = std::fs::metadata(path).map_err(unreadable)?.len();
    if size > MAX_FILE_SIZE {
        return Err(not_text(format!(
            "{size} bytes, more than any settings file has; check that it is one"
        )));
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text
            .strip_prefix('\u{FEFF}')
            .map(str::to_owned)
            .unwrap_or(text)),
        Err(error) => {
            let valid = error
                .as_bytes()
                .get(..error.utf8_error().valid_up_to())
                .unwrap_or_default();
            let line = valid.iter().filter(|byte| **byte == b'\n').count() + 1;
            Err(not_text(format!(
                "line {line} is not UTF-8; save the file as UTF-8"
            )))
        }
    }
}

#[cfg(test)]
mod tests;
