//! Partitions of `0..n` given as one number per node.

/// Renumbers the parts `0..` in order of first appearance; returns how many there are. Parts are below `part.len()`.
pub(super) fn compact(part: &mut [u32]) -> usize {
    let mut new_id = vec![u32::MAX; part.len()];
    let mut count = 0;
    for p in part.iter_mut() {
        // invariant: parts are below the number of nodes, by the contract above.
        let id = &mut new_id[*p as usize];
        if *id == u32::MAX {
            *id = count;
            count += 1;
        }
        *p = *id;
    }
    count as usize
}

/// Lists the nodes of each part, in ascending order: those of part `p` are `members[starts[p]..starts[p + 1]]`.
#[derive(Debug)]
pub(super) struct Members {
    starts: Vec<usize>,
    members: Vec<u32>,
}

impl Members {
    /// Sorts nodes by part; parts are below `count`.
    pub fn new(part: &[u32], count: usize) -> Self {
        Self::in_order(part, count, 0..part.len() as u32)
    }

    /// Sorts nodes by part, keeping those of one part in the order of `nodes`, which has each node once.
    pub fn in_order(part: &[u32], count: usize, nodes: impl Iterator<Item = u32>) -> Self {
        // invariant: parts are below `count`, and `nodes` yields as many nodes as there are, each below `part.len()`.
        let mut starts = vec![0usize; count + 1];
        for &p in part {
            starts[p as usize + 1] += 1;
        }
        for p in 0..count {
            starts[p + 1] += starts[p];
        }
        let mut next = starts.clone();
        let mut members = vec![0u32; part.len()];
        for node in nodes {
            let place = &mut next[part[node as usize] as usize];
            members[*place] = node;
            *place += 1;
        }
        Self { starts, members }
    }

    /// Returns all nodes, those of one part next to each other.
    pub fn into_order(self) -> Vec<u32> {
        self.members
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.starts
            .windows(2)
            .map(|range| &self.members[range[0]..range[1]])
    }
}
