//! Faults of the commands that ask: `query`, `compare`, `chat`, `questions`, `prompt-tune`.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::stand_in::{Config, StandIn};
use crate::support::Project;

const TEXT: &str = "Ana Ruiz of Harbor Trust met Bo Lind. Bo Lind repaired the pump at Harrow.";

/// A small index made without a model.
fn indexed() -> Project {
    let project = Project::empty();
    project.write("input/a.txt", TEXT);
    project.run(&["index", "--quiet"]).expect(0);
    project
}

/// An address where nobody listens.
fn nowhere() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    format!("http://127.0.0.1:{port}/v1")
}

fn model(kind: &str, base: &str) -> String {
    format!(
        "{kind}_models:\n  default_{kind}_model:\n    model_provider: stand-in\n    model: m\n    api_base: {base}\n"
    )
}

/// Commands that ask waited for minutes, without a word, for a server that was not running; `index` said so at once.
#[test]
fn a_server_that_is_not_there_is_named_at_once_by_every_command() {
    let project = indexed();
    let base = nowhere();
    let question = "Who is Ana Ruiz?";
    let is_told = |args: &[&str], typed: &str| {
        let mut command = project.command(args);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let started = Instant::now();
        let mut child = command.spawn().expect("the binary starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        // Who does not read it closes the pipe.
        let _ = stdin.write_all(typed.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().expect("it ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {stderr}");
        let told: Vec<&str> = stderr.lines().collect();
        assert_eq!(told.len(), 1, "{args:?}: {stderr}");
        let begins = format!("error: cannot reach model m at {base}: ");
        assert!(told[0].starts_with(&begins), "{args:?}: {stderr}");
        assert!(
            told[0].ends_with("; check api_base and that the server is running"),
            "{args:?}: {stderr}"
        );
        let took = started.elapsed();
        assert!(took < Duration::from_secs(8), "{args:?}: {took:?}");
    };
    project.write("settings.yaml", model("completion", &base));
    for method in ["local", "global", "basic", "drift"] {
        is_told(&["query", "--method", method, question], "");
    }
    is_told(&["query", "--dynamic-community-selection", question], "");
    is_told(&["query", "--streaming", question], "");
    is_told(&["compare", question], "");
    is_told(&["questions", question], "");
    is_told(&["chat"], "Who is Ana Ruiz?\nWho is Bo Lind?\n");
    is_told(&["prompt-tune", "--output", "tuned"], "");
    is_told(&["estimate", "--quiet", "--sample", "1"], "");

    // The question is embedded by a model that is not there; the index has its vectors.
    let server = StandIn::start(Config::default());
    let both = model("completion", &server.base()) + &model("embedding", &server.base());
    project.write("settings.yaml", both);
    project.run(&["index", "--quiet"]).expect(0);
    project.write("settings.yaml", model("embedding", &base));
    is_told(&["query", "--method", "local", question], "");
    is_told(&["compare", "--methods", "local", question], "");
}

/// A sample, and a run that goes on, remembered the probe of a server that had stopped since, and waited for it.
#[test]
fn a_server_that_has_stopped_since_the_probe_is_named_at_once() {
    let project = Project::empty();
    for n in 0..4 {
        project.write(&format!("input/{n}.txt"), format!("{TEXT} Document {n}."));
    }
    let server = StandIn::start(Config::default());
    project.write("settings.yaml", model("completion", &server.base()));
    project
        .run(&["estimate", "--quiet", "--sample", "1"])
        .expect(0);
    drop(server);
    for args in [
        &["estimate", "--quiet", "--sample", "4"][..],
        &["index", "--quiet"],
    ] {
        let started = Instant::now();
        let run = project.run(args).expect(1);
        assert!(
            run.stderr.contains("cannot reach model m"),
            "{}",
            run.stderr
        );
        assert!(started.elapsed() < Duration::from_secs(8));
    }
}

/// The counterpart: who was reached and goes away for a moment is waited for.
#[test]
fn a_server_that_was_reached_is_waited_for() {
    let project = indexed();
    let server = StandIn::start(Config::default());
    let port = server.port;
    project.write("settings.yaml", model("completion", &server.base()));
    let mut child = project
        .command(&["chat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    stdin.write_all(b"Who is Ana Ruiz?\n").expect("it reads");
    // The time it took ends an answer.
    let mut answered = || {
        lines
            .by_ref()
            .map_while(Result::ok)
            .any(|line| line.ends_with(" s)"))
    };
    assert!(answered(), "with the server");
    drop(server);
    stdin.write_all(b"Who is Bo Lind?\n").expect("it reads");
    std::thread::sleep(Duration::from_millis(300));
    let _server = StandIn::start_at(port, Config::default());
    assert!(answered(), "with the server that came back");
    drop(stdin);
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

/// What could not be written to standard output was lost with exit code 0.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_printed_is_told() {
    let project = indexed();
    let question = "Who is Ana Ruiz?";
    let told = |args: &[&str], code: i32| {
        let mut command = project.command(args);
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
        command.stdout(full.expect("a full device"));
        command.stdin(Stdio::null()).stderr(Stdio::piped());
        let output = command.output().expect("the binary starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{args:?}: {stderr}");
        assert!(
            stderr.starts_with("error: cannot write standard output: "),
            "{args:?}: {stderr}"
        );
    };
    for args in [
        &["query", question][..],
        &["compare", question],
        &["questions"],
        &["status"],
        &["entities"],
        &["entities", "--suspects"],
        &["doctor"],
        &["batches"],
        &["cache", "stats"],
        &["estimate", "--quiet"],
        &["index", "--quiet"],
    ] {
        told(args, 1);
        told(&[args, &["--json"]].concat(), 1);
    }
    told(&["init", "--root", "new"], 1);
    told(&["--help"], 1);
    told(&["query", "--help"], 1);
    told(&["--version"], 1);

    let binary = env!("CARGO_BIN_EXE_belvedere");
    for (redirected, code) in [(">&-", 1), (">/dev/null", 0), ("<>/dev/null >&0", 0)] {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &format!("{binary} status {redirected}")]);
        let output = shell.current_dir(project.root()).output();
        let output = output.expect("a shell");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{redirected}: {stderr}");
        let closed = "error: cannot write standard output: it is closed\n";
        assert_eq!(stderr == closed, code == 1, "{redirected}: {stderr}");
    }
}

/// The counterpart: who reads the first lines only is no error.
#[cfg(unix)]
#[test]
fn a_reader_that_leaves_is_no_error() {
    let project = indexed();
    for args in [&["status"][..], &["query", "Who is Ana Ruiz?"], &["--help"]] {
        let mut child = project
            .command(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert!(output.stderr.is_empty(), "{args:?}");
    }
}
