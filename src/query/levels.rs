//! The hierarchy rolled up to one level: every community is represented once, by the finest report at or above the level.

use super::error::QueryError;
use super::index::{Communities, NO_ROW, Reports};

/// The level used where none is asked for: the original's default, or the deepest there is.
const DEFAULT_LEVEL: u32 = 2;

/// The levels of an index, ascending.
pub fn known(communities: &Communities) -> Vec<u32> {
    let mut levels = communities.levels.clone();
    levels.sort_unstable();
    levels.dedup();
    levels
}

/// The level to use.
///
/// # Errors
/// `UnknownLevel` when a level was asked for that the index does not have.
pub fn choose(communities: &Communities, asked: Option<u32>) -> Result<u32, QueryError> {
    let known = known(communities);
    let deepest = known.last().copied().unwrap_or(0);
    match asked {
        None => Ok(DEFAULT_LEVEL.min(deepest)),
        Some(level) if known.contains(&level) => Ok(level),
        Some(asked) => Err(QueryError::UnknownLevel { asked, known }),
    }
}

/// The communities that partition the graph at `level`: those of the level, and those above it that were not split.
pub fn cells(communities: &Communities, level: u32) -> impl Iterator<Item = u32> + '_ {
    let is_cell = move |&row: &usize| {
        let own = communities.levels[row];
        own == level || own < level && !communities.has_children[row]
    };
    (0..communities.levels.len())
        .filter(is_cell)
        .map(|row| row as u32)
}

/// The finest report on a community or on one it was split from; `None` where none of them has one.
pub fn report_of(communities: &Communities, reports: &Reports, community: u32) -> Option<u32> {
    let mut at = community;
    // A damaged table may have a cycle; no hierarchy is deeper than it has rows.
    for _ in 0..communities.levels.len() {
        let report = *reports.of_community.get(at as usize)?;
        if report != NO_ROW {
            return Some(report);
        }
        at = communities.parents[at as usize];
    }
    None
}

/// The reports that together represent every community once at `level`, in table order.
pub fn rolled_up(communities: &Communities, reports: &Reports, level: u32) -> Vec<u32> {
    let mut rows: Vec<u32> = cells(communities, level)
        .filter_map(|cell| report_of(communities, reports, cell))
        .collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// The communities that each was split into, by row.
pub fn children(communities: &Communities) -> Vec<Vec<u32>> {
    let mut below: Vec<Vec<u32>> = vec![Vec::new(); communities.levels.len()];
    for (row, &parent) in communities.parents.iter().enumerate() {
        if let Some(list) = below.get_mut(parent as usize) {
            list.push(row as u32);
        }
    }
    below
}

/// The reports that `allows` takes and that represent what they can at `level`: where a community's report is not allowed, those
/// nearest below it that are. In table order.
pub fn within(
    communities: &Communities,
    reports: &Reports,
    level: u32,
    allows: impl Fn(u32) -> bool,
) -> Vec<u32> {
    let below = children(communities);
    let mut open: Vec<u32> = cells(communities, level).collect();
    let mut seen = vec![false; communities.levels.len()];
    let mut rows = Vec::new();
    while let Some(community) = open.pop() {
        if std::mem::replace(&mut seen[community as usize], true) {
            continue;
        }
        let report = reports.of_community[community as usize];
        if report != NO_ROW && allows(report) {
            rows.push(report);
        } else {
            open.extend(&below[community as usize]);
        }
    }
    rows.sort_unstable();
    rows
}

#[cfg(test)]
mod tests {
    use super::super::index::fixture;
    use super::*;

    // 0 -> 1, 2 -> (2 -> 3, 4); 5 was never split.
    fn tree() -> Communities {
        let mut communities = fixture::communities(&[
            (0, None),
            (1, Some(0)),
            (1, Some(0)),
            (2, Some(2)),
            (2, Some(2)),
            (0, None),
        ]);
        communities.has_children[0] = true;
        communities
    }

    #[test]
    fn a_level_takes_its_own_communities_and_those_above_that_were_not_split() {
        let communities = tree();
        let reports = fixture::reports_on(&communities, &[0, 1, 2, 3, 4, 5]);
        assert_eq!(rolled_up(&communities, &reports, 0), [0, 5]);
        assert_eq!(rolled_up(&communities, &reports, 1), [1, 2, 5]);
        assert_eq!(rolled_up(&communities, &reports, 2), [1, 3, 4, 5]);
    }

    #[test]
    fn a_missing_report_is_stood_in_for_by_the_one_above_once() {
        let communities = tree();
        let reports = fixture::reports_on(&communities, &[0, 1, 2, 5]);
        assert_eq!(
            rolled_up(&communities, &reports, 2),
            [1, 2, 3],
            "rows of the reports on 1, 2 and 5"
        );
        let none = fixture::reports_on(&communities, &[]);
        assert_eq!(rolled_up(&communities, &none, 2), [0u32; 0]);
    }

    #[test]
    fn below_a_report_that_is_not_allowed_those_that_are_stand_for_it() {
        let communities = tree();
        let reports = fixture::reports_on(&communities, &[0, 1, 2, 3, 4, 5]);
        let found = |allowed: &[u32], level| {
            within(&communities, &reports, level, |report| {
                allowed.contains(&report)
            })
        };
        assert_eq!(found(&[0, 1, 2, 3, 4, 5], 0), [0, 5]);
        assert_eq!(found(&[1, 3, 5], 0), [1, 3, 5]);
        assert_eq!(found(&[0, 4], 1), [4], "no report above the level");
        assert_eq!(found(&[], 0), [0u32; 0]);
    }

    #[test]
    fn a_cycle_of_parents_ends() {
        let mut communities = tree();
        communities.parents[0] = 2;
        let reports = fixture::reports_on(&communities, &[5]);
        assert_eq!(report_of(&communities, &reports, 3), None);
    }

    #[test]
    fn the_default_level_is_two_or_the_deepest_and_an_unknown_one_is_refused() {
        let communities = tree();
        assert_eq!(choose(&communities, None).unwrap(), 2);
        assert_eq!(choose(&communities, Some(1)).unwrap(), 1);
        let error = choose(&communities, Some(3)).unwrap_err().to_string();
        assert!(error.contains("levels 0, 1, 2"), "{error}");
        assert_eq!(choose(&Communities::default(), None).unwrap(), 0);
    }
}
