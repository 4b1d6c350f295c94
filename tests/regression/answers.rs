//! Faults of answers that a model gave: broken off, cut, wrapped in reasoning, endless, made of half of what was to be read.

use std::io::Write;
use std::process::Stdio;

use crate::stand_in::{Config, Scripted, StandIn};
use crate::support::{Project, Run};

const TEXT: &str = "Ana Ruiz of Harbor Trust met Bo Lind. Bo Lind repaired the pump at Harrow.";

/// An index made without a model, asked with one.
fn asked(server: &StandIn, more: &str) -> Project {
    let project = Project::empty();
    project.write("input/a.txt", TEXT);
    project.write(
        "input/b.txt",
        "Cy Dean sold the ferry to Eve Falk. Eve Falk named it Heron.",
    );
    project.run(&["index", "--quiet"]).expect(0);
    let settings = format!(
        "completion_models:\n  default_completion_model:\n    model_provider: stand-in\n    model: m\n    api_base: {}\n    retry: {{max_delay: 0.01}}\n{more}",
        server.base()
    );
    project.write("settings.yaml", settings);
    project
}

const QUESTION: &str = "Who is Bo Lind?";

fn local(project: &Project, more: &[&str]) -> Run {
    project.run(&[&["query", "--method", "local", QUESTION], more].concat())
}

fn event(content: &str) -> String {
    let delta =
        serde_json::json!({"choices": [{"delta": {"content": content}, "finish_reason": null}]});
    format!("data: {delta}\n\n")
}

const END: &str =
    "data: {\"choices\": [{\"delta\": {}, \"finish_reason\": \"stop\"}]}\n\ndata: [DONE]\n\n";

fn stream(body: impl AsRef<[u8]>) -> Scripted {
    let mut reply = Scripted::status(200, "").header("content-type", "text/event-stream");
    reply.body = body.as_ref().to_vec();
    reply
}

/// A streamed answer that broke off was shown as if it were whole, with exit code 0, and half of the ways to break kept it in
/// the cache, so that the same question had the same half of an answer ever after.
#[test]
fn an_answer_that_breaks_off_is_told_and_asked_for_again() {
    let server = StandIn::start(Config::default());
    let project = asked(&server, "");
    let begun = event("Bo Lind repaired ");
    let breaks: [&[u8]; 4] = [
        b"",
        b"data: {\"error\": {\"message\": \"overloaded\"}}\n\n",
        b"data: {no json\n\n",
        b"data: {\"choices\": [{\"delta\": {\"content\": \"\xff\xc3\"}}]}\n\n",
    ];
    for broken in breaks {
        server.script([stream([begun.as_bytes(), broken].concat())]);
        let run = local(&project, &["--streaming"]).expect(3);
        assert!(run.stdout.starts_with("Bo Lind repaired"), "{}", run.stdout);
        assert!(
            run.stdout.contains("(the answer is incomplete: "),
            "{}",
            run.stdout
        );
        assert_eq!(
            run.stderr,
            "error: the answer is incomplete: the answer broke off\n"
        );
    }
    server.script([stream(event("Bo Lind repaired the pump.") + END)]);
    let run = local(&project, &["--streaming"]).expect(0);
    assert!(
        run.stdout.starts_with("Bo Lind repaired the pump.\n"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("(1 call, "), "{}", run.stdout);
}

/// An answer that was cut, by its length or by a filter, was shown as if it were whole.
#[test]
fn an_answer_that_is_cut_says_so() {
    for (reason, why) in [
        ("length", "the answer was cut at its length limit"),
        (
            "content_filter",
            "the provider's content filter cut the answer",
        ),
    ] {
        let server = StandIn::start(Config::default());
        let project = asked(&server, "limits: {max_reasks: 0}\n");
        server.script([Scripted::text("Bo Lind repaired the", reason)]);
        let run = local(&project, &["--json"]).expect(3);
        assert_eq!(
            run.stderr,
            format!("error: the answer is incomplete: {why}\n")
        );
        let found = run.json();
        assert_eq!(found["incomplete"], why);
        let text = format!("Bo Lind repaired the\n\n*This answer is incomplete: {why}.*");
        assert_eq!(found["answer"], text);
    }
    let server = StandIn::start(Config::default());
    let project = asked(&server, "limits: {max_reasks: 0}\n");
    server.script([Scripted::text("Bo Lind repaired the", "length")]);
    let run = project
        .run(&["compare", "--methods", "closed-book,basic", QUESTION])
        .expect(3);
    assert_eq!(
        run.stderr.lines().last(),
        Some("error: 1 of 2 answers is incomplete")
    );
}

/// The reasoning of a model that writes it into its answer was printed, cited and counted as the answer.
#[test]
fn reasoning_is_no_answer() {
    let server = StandIn::start(Config::default());
    let project = asked(&server, "");
    let text = "<think>\nMaybe Ana? [Data: Sources (9)]\n</think>\n\nBo Lind repaired the pump [Data: Sources (0)].";
    server.script([Scripted::text(text, "stop")]);
    let found = local(&project, &["--json"]).expect(0).json();
    assert_eq!(
        found["answer"],
        "Bo Lind repaired the pump [Data: Sources (0)]."
    );
    assert_eq!(found["unresolved"], serde_json::json!([]));

    let project = asked(&server, "");
    let parts = ["<thi", "nk>Maybe Ana?", "</thi", "nk>\n\nBo Lind ", "did."];
    let events: String = parts.into_iter().map(event).collect();
    server.script([stream(events + END)]);
    let run = local(&project, &["--streaming"]).expect(0);
    assert!(run.stdout.starts_with("Bo Lind did.\n"), "{}", run.stdout);

    // One that never comes to an answer is asked again.
    let project = asked(&server, "");
    server.script([
        Scripted::text("<think>Maybe Ana? Or", "stop"),
        Scripted::text("Bo Lind did.", "stop"),
    ]);
    let run = local(&project, &[]).expect(0);
    assert!(run.stdout.starts_with("Bo Lind did.\n"), "{}", run.stdout);
}

/// An answer that went on with the same words was printed as a whole, 750 kilobytes of it.
#[test]
fn an_answer_that_repeats_itself_is_cut_to_one_copy() {
    let server = StandIn::start(Config::default());
    let project = asked(&server, "");
    let looped = format!("Bo Lind did. {}", "The pump burst. ".repeat(50_000));
    server.script([Scripted::text(&looped, "stop")]);
    let found = local(&project, &["--json"]).expect(0).json();
    assert_eq!(found["answer"], "Bo Lind did. The pump burst.");

    let project = asked(&server, "");
    let part = "The pump burst. ".repeat(100);
    let events: String = std::iter::repeat_n(event(&part), 500).collect();
    server.script([stream(event("Bo Lind did. ") + &events + END)]);
    let run = local(&project, &["--streaming"]).expect(3);
    assert!(run.stdout.len() < 60_000, "{}", run.stdout.len());
    assert_eq!(
        run.stderr,
        "error: the answer is incomplete: the answer repeats itself without end\n"
    );
}

/// `index` told that a server reads only part of the prompts, as Ollama does at its default; a question did not.
#[test]
fn a_prompt_that_the_server_cut_is_told() {
    let server = StandIn::start(Config::default());
    let project = asked(&server, "");
    let long = "The pump at Harrow was repaired by Bo Lind on a Monday, and it ran. ".repeat(60);
    project.write("input/long.txt", long);
    project
        .run(&["index", "--quiet", "--method", "fast"])
        .expect(0);
    // The stand-in counts 40 tokens for a scripted answer.
    server.script([Scripted::text("Bo Lind did.", "stop")]);
    let run = local(&project, &[]).expect(0);
    assert!(
        run.stdout.contains("read only part of a prompt") && run.stdout.contains("num_ctx"),
        "{}",
        run.stdout
    );
}

/// A global answer of which some calls failed ended with exit code 0.
#[test]
fn an_answer_from_half_of_the_reports_is_told() {
    let server = StandIn::start(Config::default());
    let project = asked(&server, "global_search: {max_context_tokens: 100}\n");
    let refusal = "I'm sorry, but I can't help with that.";
    server.script([Scripted::text(refusal, "stop").only("Heron")]);
    let run = project
        .run(&["query", "--method", "global", QUESTION])
        .expect(3);
    let told: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(told.len(), 1, "{}", run.stderr);
    assert!(
        told[0].starts_with(
            "error: the answer is incomplete: 1 of 2 reports at level 0, 1 of 2 batches failed"
        ),
        "{}",
        run.stderr
    );
}

/// A model that proposed nothing left an empty line and exit code 0, and its answer was kept for the next time.
#[test]
fn a_model_that_proposes_no_question_is_asked_again_and_told() {
    let server = StandIn::start(Config::default());
    let project = asked(&server, "limits: {max_reasks: 1}\n");
    let nothing = || Scripted::text("I have nothing to propose.", "stop");
    server.script([nothing(), Scripted::text("- Who is Ana Ruiz?", "stop")]);
    let run = project.run(&["questions"]).expect(0);
    assert!(run.stdout.contains("  Who is Ana Ruiz?"), "{}", run.stdout);

    let project = asked(&server, "limits: {max_reasks: 1}\n");
    server.script([nothing(), nothing()]);
    let run = project.run(&["questions"]).expect(1);
    assert!(
        run.stderr.contains("proposes no question"),
        "{}",
        run.stderr
    );
}

/// `chat` took a method that cannot be asked, and every question after it failed; `/quit` with a word behind it was no command.
#[test]
fn a_method_without_its_model_is_refused_when_it_is_chosen() {
    let project = Project::empty();
    project.write("input/a.txt", TEXT);
    project.run(&["index", "--quiet"]).expect(0);
    let run = project.run(&["chat", "--method", "drift"]).expect(2);
    assert!(run.stderr.contains("completion model"), "{}", run.stderr);
    let mut command = project.command(&["chat"]);
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    let typed = b"/method drift\nWho is Bo Lind?\n/quit now\nWho is Ana Ruiz?\n";
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(typed).expect("it reads");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert_eq!(output.status.code(), Some(0), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(
        err.starts_with("error: drift search needs a completion model"),
        "{err}"
    );
    assert!(
        out.contains("Bo Lind repaired") && !out.contains("Harbor Trust."),
        "{out}"
    );
}

/// An index that another program made was examined and listed only where it stood in the output folder, and `status` said that
/// there was none.
#[test]
fn an_index_elsewhere_is_examined_and_listed() {
    let project = Project::empty();
    project.write("input/a.txt", TEXT);
    project.run(&["index", "--quiet"]).expect(0);
    std::fs::rename(project.path("output"), project.path("tables")).expect("a folder");
    std::fs::remove_file(project.path("tables/manifest.json")).expect("a manifest");
    let listed = project.run(&["entities", "--data", "tables"]).expect(0);
    assert!(listed.stdout.contains("BO LIND"), "{}", listed.stdout);
    let examined = project.run(&["doctor", "--data", "tables", "--json"]);
    let examined = examined.json();
    assert!(examined["figures"].is_object());
    std::fs::rename(project.path("tables"), project.path("output")).expect("a folder");
    let status = project.run(&["status"]).expect(0);
    assert!(
        status.stdout.contains("made by another program"),
        "{}",
        status.stdout
    );
}

/// What was wrong with tables of another program was to be mended by `index --force`, which would have read other documents.
#[test]
fn tables_of_another_program_are_not_built_anew() {
    let other = Project::empty();
    other.write("input/a.txt", "Mia Keller met Tom Ashby in Ostwick.");
    other.run(&["index", "--quiet"]).expect(0);
    let project = Project::empty();
    project.write("input/a.txt", TEXT);
    project.run(&["index", "--quiet"]).expect(0);
    let table = "output/relationships.parquet";
    std::fs::copy(other.path(table), project.path(table)).expect("a table");
    std::fs::remove_file(project.path("output/manifest.json")).expect("a manifest");
    let examined = project.run(&["doctor", "--json"]).expect(3).json();
    let findings = examined["findings"].as_array().expect("findings");
    let open = findings
        .iter()
        .find(|finding| finding["what"] == "open_relationships")
        .expect("relationships of other entities");
    let remedy = open["remedy"].as_str().expect("a remedy");
    assert!(remedy.starts_with("another program wrote these tables"));
}

/// A question of small words alone was answered with whatever held most of them.
#[test]
fn small_words_alone_are_no_question_and_the_whole_is_meant_where_nothing_is_named() {
    let project = Project::with_demo_input();
    project.run(&["index", "--quiet"]).expect(0);
    for method in ["local", "basic"] {
        let run = project.run(&["query", "--method", method, "what is it"]);
        let said = run.expect(0).stdout;
        assert!(said.starts_with("Nothing in the index bears"), "{said}");
    }
    let args = ["query", "--method", "global", "What is this all about?"];
    let said = project.run(&args).expect(0).stdout;
    assert!(
        said.contains("subjects recur in these 49 documents"),
        "{said}"
    );
}

/// "What are the risks of inflation?" was answered with the subjects of the whole corpus, because risks are asked for; and a
/// question for one thing with whatever held its other words.
#[test]
fn a_question_for_one_subject_is_not_answered_with_those_of_the_whole() {
    let project = Project::with_demo_input();
    project.run(&["index", "--quiet"]).expect(0);
    let said = |question: &str| project.run(&["query", question]).expect(0).stdout;
    let valves = said("What are the main problems with valves?");
    let points: Vec<&str> = (valves.lines())
        .take_while(|line| *line != "Sources")
        .filter(|line| !line.is_empty())
        .collect();
    assert!(points.len() > 2, "{valves}");
    for point in points {
        assert!(point.to_lowercase().contains("valve"), "{point}");
    }
    // Eleven files lie in the folder.
    let letters = said("What are the main themes in the letters?");
    assert!(
        letters.contains("in the 11 documents named letters"),
        "{letters}"
    );
    let near = said("What are the recurring themes in valve failures?");
    assert!(near.contains("documents that speak of valve"), "{near}");
    let none = said("What are the main themes in unicorn husbandry?");
    assert!(!none.contains("recur in"), "{none}");
}

/// An answer made of a report's sentences took all citations of its finding, and flagged those that bore on other sentences.
#[test]
fn an_answer_without_a_model_flags_no_citation_of_its_own() {
    let project = Project::with_demo_input();
    project.run(&["index", "--quiet"]).expect(0);
    let said = project.run(&["query", "Who is Mr Haldane?"]);
    let said = said.expect(0).stdout;
    assert!(!said.contains("unsupported"), "{said}");
    assert!(said.contains("Haldane"), "{said}");
}

/// A text unit begins where a window of tokens ended, mostly inside a sentence and with a space; what was left of the sentence was
/// quoted as if it were one.
#[test]
fn what_a_window_cut_off_is_not_quoted() {
    let project = Project::empty();
    project.write("settings.yaml", "chunking: {size: 60, overlap: 20}\n");
    let mut sentences: Vec<String> = Vec::new();
    for place in ["Harrow", "Lune", "Windle", "Skerrow", "Tarrant", "Marsh"] {
        let text: Vec<String> = (1..30)
            .map(|day| {
                format!(
                    "On the {day}th the spare pump at {place} was tested again, and during this {day}-day trial the worn seal of the spare pump at {place} leaked into the sump."
                )
            })
            .collect();
        project.write(&format!("input/{place}.txt"), text.join(" "));
        sentences.extend(text);
    }
    project.run(&["index", "--quiet"]).expect(0);
    for method in ["global", "basic", "local"] {
        let args = ["query", "--method", method, "What are the main themes?"];
        let said = project.run(&args).expect(0).stdout;
        let quoted: Vec<&str> = (said.lines())
            .take_while(|line| *line != "Sources")
            .filter_map(|line| line.trim_start().strip_prefix("- "))
            .filter_map(|line| line.split(" [").next())
            .filter(|line| !line.starts_with("**"))
            .collect();
        for line in quoted {
            assert!(
                sentences.iter().any(|whole| whole == line),
                "{method}: {line}"
            );
        }
    }
}

/// "Who are the main people?" was answered with a sentence that holds the word people.
#[test]
fn a_question_for_the_main_people_lists_them() {
    let project = Project::with_demo_input();
    project.run(&["index", "--quiet"]).expect(0);
    let args = ["query", "--json", "Who are the main people?"];
    let said = project.run(&args).expect(0).json();
    let text = said["answer"].as_str().expect("an answer");
    assert_eq!(
        text.lines().filter(|line| line.starts_with("- **")).count(),
        12
    );
    for name in ["MARISOL VANE", "MR HALDANE", "ADAEZE NWOSU"] {
        assert!(text.contains(&format!("- **{name}**: ")), "{name}: {text}");
    }
    assert!(
        !text.contains("PUMP") && !text.contains("unresolved"),
        "{text}"
    );
}
