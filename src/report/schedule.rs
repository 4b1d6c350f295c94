//! In which order reports may be written: a community as soon as its children are done, across levels.

use std::collections::BTreeSet;

use crate::model::{Community, CommunityIx};

/// A ready queue over the hierarchy. Deeper communities come first, because they have the longer way up; then by number.
#[derive(Clone, Debug)]
pub struct Schedule {
    parents: Vec<Option<CommunityIx>>,
    levels: Vec<u32>,
    /// Children still to finish.
    waiting_for: Vec<u32>,
    ready: BTreeSet<(std::cmp::Reverse<u32>, CommunityIx)>,
    left: usize,
}

impl Schedule {
    /// Starts with all communities that have no children. `communities` are in order of their numbers.
    pub fn new(communities: &[Community]) -> Self {
        let mut waiting_for = vec![0u32; communities.len()];
        let parents: Vec<Option<CommunityIx>> = communities
            .iter()
            .map(|community| {
                community
                    .parent
                    .filter(|parent| parent.at() < communities.len())
            })
            .collect();
        for parent in parents.iter().flatten() {
            waiting_for[parent.at()] += 1;
        }
        let levels: Vec<u32> = communities
            .iter()
            .map(|community| community.level)
            .collect();
        let free = (0..communities.len()).filter(|&row| waiting_for[row] == 0);
        let ready = free
            .map(|row| (std::cmp::Reverse(levels[row]), CommunityIx(row as u32)))
            .collect();
        Self {
            parents,
            levels,
            waiting_for,
            ready,
            left: communities.len(),
        }
    }

    /// The next community that may start; `None` while all others wait for one that has started.
    pub fn start_next(&mut self) -> Option<CommunityIx> {
        self.ready.pop_first().map(|(_, community)| community)
    }

    /// Notes that a started community has its report, or will never have one.
    pub fn finish(&mut self, community: CommunityIx) {
        self.left = self.left.saturating_sub(1);
        let Some(parent) = self.parents.get(community.at()).copied().flatten() else {
            return;
        };
        let waiting = &mut self.waiting_for[parent.at()];
        *waiting = waiting.saturating_sub(1);
        if *waiting == 0 {
            self.ready
                .insert((std::cmp::Reverse(self.levels[parent.at()]), parent));
        }
    }

    /// Communities not finished yet.
    pub fn left(&self) -> usize {
        self.left
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture::community;

    /// 0 -> (1, 2), 1 -> (3, 4); 5 alone.
    fn tree() -> Vec<Community> {
        let node = |number, level, parent, children: &[u32]| {
            community(number, level, parent, children, &[], &[], &[])
        };
        vec![
            node(0, 0, None, &[1, 2]),
            node(1, 1, Some(0), &[3, 4]),
            node(2, 1, Some(0), &[]),
            node(3, 2, Some(1), &[]),
            node(4, 2, Some(1), &[]),
            node(5, 0, None, &[]),
        ]
    }

    fn numbers(list: Vec<CommunityIx>) -> Vec<u32> {
        list.into_iter().map(|ix| ix.0).collect()
    }

    #[test]
    fn leaves_start_at_once_deepest_first_and_parents_wait() {
        let mut schedule = Schedule::new(&tree());
        let mut started = Vec::new();
        while let Some(next) = schedule.start_next() {
            started.push(next);
        }
        assert_eq!(numbers(started), [3, 4, 2, 5]);
        schedule.finish(CommunityIx(3));
        assert_eq!(schedule.start_next(), None);
        schedule.finish(CommunityIx(4));
        assert_eq!(schedule.start_next(), Some(CommunityIx(1)));
        schedule.finish(CommunityIx(2));
        assert_eq!(schedule.start_next(), None);
        schedule.finish(CommunityIx(1));
        assert_eq!(schedule.start_next(), Some(CommunityIx(0)));
        assert_eq!(schedule.left(), 2);
    }

    #[test]
    fn every_community_starts_once_after_its_children_whatever_order_they_finish_in() {
        for seed in 0..50usize {
            let mut schedule = Schedule::new(&tree());
            let mut running: Vec<CommunityIx> = Vec::new();
            let mut done: Vec<u32> = Vec::new();
            loop {
                while let Some(next) = schedule.start_next() {
                    assert!(
                        tree()[next.at()]
                            .children
                            .iter()
                            .all(|child| done.contains(&child.0))
                    );
                    running.push(next);
                }
                if running.is_empty() {
                    break;
                }
                let finished = running.swap_remove((seed * 7 + done.len() * 3) % running.len());
                done.push(finished.0);
                schedule.finish(finished);
            }
            assert_eq!(schedule.left(), 0);
            done.sort();
            assert_eq!(done, [0, 1, 2, 3, 4, 5]);
        }
    }
}
