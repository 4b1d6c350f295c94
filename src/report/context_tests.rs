use super::*;
use crate::model::{
    Claim, ClaimId, Entity, ExtractedClaim, Finding, Relationship, ReportSource, TextUnitIx,
};
use crate::report::fixture::{community, edge, entity, finish};

/// Words, and every other visible character: no less for a text cut at line ends than for the whole.
fn plain_count(text: &str) -> usize {
    let mut count = 0;
    let mut in_word = false;
    for c in text.chars() {
        let word = c.is_alphanumeric();
        count += usize::from(!c.is_whitespace() && (!word || !in_word));
        in_word = word;
    }
    count
}

fn bpe_count(text: &str) -> usize {
    bpe_openai::o200k_base().count(text)
}

struct World {
    entities: Vec<Entity>,
    relationships: Vec<Relationship>,
    communities: Vec<Community>,
    claims: Vec<Claim>,
}

impl World {
    fn graph(&self) -> Graph<'_> {
        Graph {
            entities: &self.entities,
            relationships: &self.relationships,
            communities: &self.communities,
            claims: &self.claims,
        }
    }
}

/// Three levels over 24 entities: 0 -> (1, 2), 1 -> (3, 4), 2 -> (5, 6), leaves of 6 entities each, complete inside, and a
/// few edges between leaves and between halves.
fn hierarchy(description: &str) -> World {
    let mut entities: Vec<Entity> = (0..24)
        .map(|row| entity(&format!("ENTITY {row}"), &[row]))
        .collect();
    for entity in &mut entities {
        entity.description = description.into();
    }
    let mut relationships = Vec::new();
    for leaf in 0..4u32 {
        for a in 0..6 {
            for b in a + 1..6 {
                relationships.push(edge(leaf * 6 + a, leaf * 6 + b, description, &[leaf]));
            }
        }
    }
    for (a, b) in [(0, 6), (1, 7), (12, 18), (0, 12), (5, 23)] {
        relationships.push(edge(a, b, description, &[a]));
    }
    finish(&mut entities, &mut relationships);
    let members = |from: u32, to: u32| (from..to).collect::<Vec<_>>();
    let node = |number, level, parent, children: &[u32], from, to| {
        community(
            number,
            level,
            parent,
            children,
            &members(from, to),
            &entities,
            &relationships,
        )
    };
    let communities = vec![
        node(0, 0, None, &[1, 2], 0, 24),
        node(1, 1, Some(0), &[3, 4], 0, 12),
        node(2, 1, Some(0), &[5, 6], 12, 24),
        node(3, 2, Some(1), &[], 0, 6),
        node(4, 2, Some(1), &[], 6, 12),
        node(5, 2, Some(2), &[], 12, 18),
        node(6, 2, Some(2), &[], 18, 24),
    ];
    World {
        entities,
        relationships,
        communities,
        claims: Vec::new(),
    }
}

fn report(number: u32) -> Report {
    Report {
        community: CommunityIx(number),
        title: format!("Report {number}"),
        summary: format!("Summary of {number} [Data: Entities (1000, {number})]."),
        findings: vec![Finding {
            summary: "A finding".into(),
            explanation: "It is explained in some twenty words, so that the short form of the report is shorter than the whole.".into(),
        }],
        rank: 5.0,
        rating_explanation: String::new(),
        source: ReportSource::Model,
    }
}

#[test]
fn a_context_that_fits_has_the_layout_of_the_reference() {
    let mut entities = vec![
        entity("A", &[0]),
        entity("B \"X\"", &[0]),
        entity("C", &[0]),
        entity("D", &[0]),
    ];
    entities[0].description = "first, of all".into();
    let mut relationships = vec![
        edge(1, 2, "b to c", &[0]),
        edge(0, 1, "", &[0]),
        edge(0, 2, "", &[0]),
        edge(0, 3, "", &[0]),
    ];
    finish(&mut entities, &mut relationships);
    let communities = vec![community(
        0,
        0,
        None,
        &[],
        &[0, 1, 2, 3],
        &entities,
        &relationships,
    )];
    let claims = vec![Claim {
        id: ClaimId(1),
        claim: ExtractedClaim {
            subject: "C".into(),
            object: "NONE".into(),
            kind: "FRAUD".into(),
            status: "TRUE".into(),
            start_date: "NONE".into(),
            end_date: "NONE".into(),
            description: "C lied".into(),
            source_text: "not shown".into(),
        },
        subject: Some(EntityIx(2)),
        text_unit: TextUnitIx(0),
        contradicts: Vec::new(),
        confirms: Vec::new(),
    }];
    let world = World {
        entities,
        relationships,
        communities,
        claims,
    };
    let builder = ContextBuilder::new(world.graph(), &plain_count);
    let context = builder.local(CommunityIx(0), &|_| None).fit(10_000);
    // Degrees 3, 2, 2, 1: edges 1 and 2 sum to 5, then 0 and 3 to 4.
    assert_eq!(
        context.text,
        "-----Entities-----\nhuman_readable_id,title,description,degree\n0,A,\"first, of all\",3\n1,\"B \"\"X\"\"\",,2\n2,C,,2\n3,D,,1\n\
         \n-----Claims-----\nhuman_readable_id,subject_id,object_id,type,status,start_date,end_date,description\n\
         0,C,NONE,FRAUD,TRUE,NONE,NONE,C lied\n\
         \n-----Relationships-----\nhuman_readable_id,source,target,description,combined_degree\n\
         1,A,\"B \"\"X\"\"\",,5\n2,A,C,,5\n0,\"B \"\"X\"\"\",C,b to c,4\n3,A,D,,4\n"
    );
    assert_eq!(context.tokens, plain_count(&context.text));
    assert_eq!(context.allowed.ids(DataKind::Relationships), [0, 1, 2, 3]);
    assert_eq!(context.allowed.ids(DataKind::Claims), [0]);
    assert_eq!(
        (
            context.figures.edges_shown,
            context.figures.claims_shown,
            context.figures.edges_left_out
        ),
        (4, 1, 0)
    );
}

/// Figures and allowed ids agree with the text.
fn consistent(
    world: &World,
    community: u32,
    context: &Context,
    budget: usize,
    count: fn(&str) -> usize,
) {
    let total = world.communities[community as usize].relationships.len();
    let figures = &context.figures;
    assert!(
        count(&context.text) <= context.tokens,
        "{} > {}",
        count(&context.text),
        context.tokens
    );
    assert!(context.tokens <= budget, "{} > {budget}", context.tokens);
    assert_eq!(
        figures.edges_shown + figures.edges_in_reports + figures.edges_left_out,
        total
    );
    let section = context.text.split("-----Relationships-----\n").nth(1);
    // Rows end at line ends outside quotation marks; one is the header.
    let mut quoted = false;
    let row_ends = section.unwrap_or("").chars().filter(|&c| {
        quoted ^= c == '"';
        c == '\n' && !quoted
    });
    let rows = row_ends.count().saturating_sub(1);
    assert_eq!(rows, figures.edges_shown);
    assert_eq!(
        context.allowed.ids(DataKind::Relationships).len(),
        figures.edges_shown
    );
    for report in &figures.reports {
        assert!(context.allowed.contains(DataKind::Reports, report.0));
        assert!(
            context.allowed.contains(DataKind::Entities, 1000),
            "what a shown report cites may be cited"
        );
    }
}

#[test]
fn no_budget_is_passed_and_every_edge_is_shown_or_in_a_report_while_the_reports_fit() {
    let world = hierarchy("a description, with a comma and \"quotes\" and\na line end");
    let reports: Vec<Report> = (0..7).map(report).collect();
    for count in [plain_count as fn(&str) -> usize, bpe_count] {
        let builder = ContextBuilder::new(world.graph(), &count);
        for community in [0, 1, 3] {
            let local = builder.local(CommunityIx(community), &|ix| reports.get(ix.at()));
            let whole = local.fit(usize::MAX >> 8);
            assert_eq!(whole.figures.edges_left_out, 0);
            assert_eq!(whole.figures.reports, []);
            for budget in (0..whole.tokens + 5).step_by(3) {
                let context = local.fit(budget);
                consistent(&world, community, &context, budget, count);
                if community == 0 && budget > 700 {
                    assert_eq!(context.figures.edges_left_out, 0, "{budget}");
                }
            }
        }
    }
}

#[test]
fn the_deepest_sub_communities_are_replaced_first_and_only_as_many_as_needed() {
    let world = hierarchy("some description of seven words or so");
    let reports: Vec<Report> = (0..7).map(report).collect();
    let count = plain_count;
    let builder = ContextBuilder::new(world.graph(), &count);
    let local = builder.local(CommunityIx(0), &|ix| reports.get(ix.at()));
    let whole = local.fit(1_000_000);
    let one_less = local.fit(whole.tokens - 1);
    // All leaves are as large, but for the digits in their names; one suffices, and it is a leaf.
    assert_eq!(one_less.figures.reports.len(), 1);
    assert!(one_less.figures.reports[0].0 >= 3);
    assert_eq!(
        (
            one_less.figures.edges_in_reports,
            one_less.figures.edges_shown
        ),
        (15, 50)
    );
    assert!(
        one_less
            .text
            .starts_with("----Reports-----\ncommunity,full_content\n")
    );
    // Halves replace their leaves where even four leaf reports are too long.
    let cost = |number: u32| {
        let mut row = String::new();
        rows::report(
            CommunityIx(number),
            &reports[number as usize],
            Form::Full,
            &mut row,
        );
        plain_count(&row)
    };
    let all_leaves = (0..whole.tokens)
        .rev()
        .map(|budget| local.fit(budget))
        .find(|context| context.figures.reports.len() == 4)
        .unwrap();
    let tighter = local.fit(all_leaves.tokens - cost(3));
    assert_eq!(tighter.figures.edges_left_out, 0);
    assert!(
        tighter.figures.reports.iter().any(|ix| ix.0 < 3),
        "{:?}",
        tighter.figures
    );
}

#[test]
fn without_children_descriptions_go_before_edges() {
    let world = hierarchy(
        "a long description of many words that takes most of the room there is in the context of the report",
    );
    let builder = ContextBuilder::new(world.graph(), &plain_count);
    let local = builder.local(CommunityIx(3), &|_| None);
    let whole = local.fit(1_000_000);
    let shorter = local.fit(whole.tokens - 1);
    assert_eq!(
        (shorter.figures.edges_shown, shorter.figures.edges_bare),
        (15, 1)
    );
    let tight = local.fit(whole.tokens / 3);
    assert_eq!(tight.figures.edges_left_out, 0);
    assert!(tight.figures.edges_bare > 0);
    let last = local.fit(100);
    assert!(last.figures.edges_left_out > 0 && last.figures.edges_shown > 0);
    // The most prominent edges are the ones kept.
    let best = world.communities[3]
        .relationships
        .iter()
        .map(|ix| world.relationships[ix.at()].combined_degree)
        .max()
        .unwrap();
    let kept = last.allowed.ids(DataKind::Relationships)[0] as usize;
    assert_eq!(world.relationships[kept].combined_degree, best);
}

#[test]
fn each_row_is_tokenised_once_however_often_contexts_are_built() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let world = hierarchy("words");
    let calls = AtomicUsize::new(0);
    let count = |text: &str| {
        calls.fetch_add(1, Ordering::Relaxed);
        plain_count(text)
    };
    let builder = ContextBuilder::new(world.graph(), &count);
    let rows = world.entities.len() + world.relationships.len() + Section::ALL.len();
    assert_eq!(calls.load(Ordering::Relaxed), rows);
    for number in 0..7 {
        builder.local(CommunityIx(number), &|_| None).fit(100_000);
    }
    assert_eq!(calls.load(Ordering::Relaxed), rows);
}
