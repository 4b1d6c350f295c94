//! Clusters a graph given as `source target weight` lines and prints its hierarchy as `level community parent node` lines.
//!
//! ```text
//! cargo run --release --example leiden -- --seed 7 --max-cluster-size 10 graph.edges > communities.txt
//! ```

use std::collections::HashMap;
use std::io::{BufWriter, ErrorKind, Read, Write};
use std::process::ExitCode;

use belvedere::graph::Csr;
use belvedere::graph::leiden::{LeidenSettings, Quality, hierarchical_leiden};

const USAGE: &str = "\
usage: leiden [OPTION]... [FILE]

Reads edges from FILE, or from standard input without FILE: one `source target weight` a line, separated by spaces or
tabs, names without spaces. The order of lines and of the two ends does not matter; edges given more than once are summed.
Prints one `level community parent node` line for each node of each community; level 0 is the coarsest, its parent -1.

  --seed N               seed of every random choice (3735928559)
  --resolution X         higher gives smaller communities (1)
  --max-cluster-size N   larger communities are clustered again (10)
  --iterations N         full passes of the algorithm (2)
  --randomness X         randomness of refinement, in units of the mean weight (0.001)
  --quality NAME         modularity or cpm (modularity)
  --stats                print figures to standard error
";

struct Options {
    settings: LeidenSettings,
    file: Option<String>,
    stats: bool,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments
        .iter()
        .any(|argument| argument == "--help" || argument == "-h")
    {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    match parse_options(&arguments).and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn parse_options(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options {
        settings: LeidenSettings::default(),
        file: None,
        stats: false,
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if !argument.starts_with("--") {
            if options.file.replace(argument.clone()).is_some() {
                return Err(format!("unexpected argument `{argument}`: give one file"));
            }
            continue;
        }
        if argument == "--stats" {
            options.stats = true;
            continue;
        }
        let value = rest
            .next()
            .ok_or_else(|| format!("`{argument}` needs a value: see --help"))?;
        let settings = &mut options.settings;
        match argument.as_str() {
            "--seed" => settings.seed = number(argument, value)?,
            "--resolution" => settings.resolution = at_least_zero(argument, value)?,
            "--max-cluster-size" => settings.max_cluster_size = number(argument, value)?,
            "--iterations" => settings.iterations = number(argument, value)?,
            "--randomness" => settings.randomness = at_least_zero(argument, value)?,
            "--quality" => {
                settings.quality = match value.as_str() {
                    "modularity" => Quality::Modularity,
                    "cpm" => Quality::Cpm,
                    _ => return Err(format!("unknown quality `{value}`: give modularity or cpm")),
                }
            }
            _ => return Err(format!("unknown option `{argument}`: see --help")),
        }
    }
    Ok(options)
}

fn number<T: std::str::FromStr>(option: &str, value: &str) -> Result<T, String> {
    value
        .parse()
        .map_err(|_| format!("`{option} {value}` is not a whole number in range: see --help"))
}

fn at_least_zero(option: &str, value: &str) -> Result<f64, String> {
    match value.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => Err(format!(
            "`{option} {value}` is not a number of at least 0: see --help"
        )),
    }
}

fn run(options: &Options) -> Result<(), String> {
    let text = read(options.file.as_deref())?;
    let (names, edges) = parse_edges(&text)?;
    let start = cpu_seconds();
    let graph = Csr::from_edges(names.len(), &edges);
    let built = cpu_seconds();
    let hierarchy = hierarchical_leiden(&graph, &options.settings);
    let clustered = cpu_seconds();
    if graph.dropped().total() > 0 {
        eprintln!(
            "note: {} edges dropped, their weight is not a positive number",
            graph.dropped().total()
        );
    }
    if options.stats {
        eprintln!(
            "{} nodes, {} edges, {} communities",
            names.len(),
            graph.edge_count(),
            hierarchy.clusters.len()
        );
        for level in &hierarchy.levels {
            eprintln!(
                "level {}: {} communities, {} of them single nodes, modularity {:.6}",
                level.level, level.clusters, level.singletons, level.modularity
            );
        }
        if let (Some(start), Some(built), Some(clustered)) = (start, built, clustered) {
            eprintln!(
                "CPU seconds: {:.3} to build the graph, {:.3} to cluster it",
                built - start,
                clustered - built
            );
        }
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    for cluster in &hierarchy.clusters {
        let parent = cluster.parent.map_or(-1, i64::from);
        for &node in &cluster.members {
            let written = writeln!(
                out,
                "{} {} {} {}",
                cluster.level, cluster.id, parent, names[node as usize]
            );
            match written {
                Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
                Err(error) => return Err(format!("cannot write the result: {error}")),
                Ok(()) => {}
            }
        }
    }
    match out.flush() {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("cannot write the result: {error}"))
        }
        _ => Ok(()),
    }
}

fn read(file: Option<&str>) -> Result<String, String> {
    let mut text = String::new();
    match file {
        Some(path) => std::fs::File::open(path)
            .and_then(|mut file| file.read_to_string(&mut text))
            .map_err(|error| format!("cannot read `{path}`: {error}: give a UTF-8 text file"))?,
        None => std::io::stdin()
            .read_to_string(&mut text)
            .map_err(|error| format!("cannot read standard input: {error}: give UTF-8 text"))?,
    };
    Ok(text)
}

/// Names of the nodes, and edges between their numbers.
type EdgeList<'a> = (Vec<&'a str>, Vec<(u32, u32, f64)>);

/// Reads edges over node numbers; names are numbered in alphabetical order, so that the order of lines does not matter.
fn parse_edges(text: &str) -> Result<EdgeList<'_>, String> {
    let mut number_of: HashMap<&str, u32> = HashMap::new();
    let mut names: Vec<&str> = Vec::new();
    let mut edges = Vec::new();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (index, line) in text.lines().enumerate() {
        let mut fields = line.split_ascii_whitespace();
        let Some(source) = fields.next() else {
            continue;
        };
        let (Some(target), Some(weight), None) = (fields.next(), fields.next(), fields.next())
        else {
            return Err(format!(
                "line {}: `{}` is not `source target weight`: give three fields",
                index + 1,
                line.escape_debug()
            ));
        };
        let Ok(weight) = weight.parse::<f64>() else {
            return Err(format!(
                "line {}: the weight `{}` is not a number: correct it",
                index + 1,
                weight.escape_debug()
            ));
        };
        let mut number = |name| {
            *number_of.entry(name).or_insert_with(|| {
                names.push(name);
                names.len() as u32 - 1
            })
        };
        edges.push((number(source), number(target), weight));
    }
    let mut order: Vec<u32> = (0..names.len() as u32).collect();
    order.sort_unstable_by_key(|&old| names[old as usize]);
    let mut new_number = vec![0; names.len()];
    for (new, &old) in order.iter().enumerate() {
        new_number[old as usize] = new as u32;
    }
    for edge in &mut edges {
        *edge = (
            new_number[edge.0 as usize],
            new_number[edge.1 as usize],
            edge.2,
        );
    }
    names.sort_unstable();
    Ok((names, edges))
}

/// CPU time of all threads of this process so far; `None` where the system does not tell.
fn cpu_seconds() -> Option<f64> {
    let mut nanoseconds = 0.0;
    for thread in std::fs::read_dir("/proc/self/task").ok()? {
        let figures = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        nanoseconds += figures.split(' ').next()?.parse::<f64>().ok()?;
    }
    Some(nanoseconds / 1e9)
}
