//! Plain columns, free of Arrow types, as the rest of the crate reads them.

/// A column of strings in one buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StringColumn {
    data: String,
    /// Ends of the strings in `data`, in bytes.
    ends: Vec<u64>,
}

impl StringColumn {
    /// Takes a text and the ends of the strings in it; `None` where they do not cut it into whole characters from end to end.
    pub fn from_parts(data: String, ends: Vec<u64>) -> Option<Self> {
        let whole = ends.last().copied().unwrap_or(0) == data.len() as u64;
        let fits = |&end: &u64| data.is_char_boundary(end as usize);
        (whole && ends.is_sorted() && ends.iter().all(fits)).then_some(Self { data, ends })
    }

    /// Appends one string.
    pub fn push(&mut self, text: &str) {
        self.data.push_str(text);
        self.ends.push(self.data.len() as u64);
    }

    /// Number of strings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The string in a row; empty beyond the end.
    pub fn get(&self, row: usize) -> &str {
        let Some(&end) = self.ends.get(row) else {
            return "";
        };
        let start = match row.checked_sub(1) {
            Some(previous) => self.ends[previous],
            None => 0,
        };
        // invariant: ends are pushed only at string boundaries of `data`
        &self.data[start as usize..end as usize]
    }

    /// All strings in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|row| self.get(row))
    }
}

/// A column of lists over a flat column of values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListColumn<T> {
    /// All values of all rows, in order.
    pub values: T,
    /// Ends of the rows in `values`.
    pub ends: Vec<u32>,
}

impl<T: Default> ListColumn<T> {
    /// As many empty lists as there are rows.
    pub fn empty(rows: usize) -> Self {
        Self {
            values: T::default(),
            ends: vec![0; rows],
        }
    }
}

impl<T> ListColumn<T> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Positions in `values` that belong to a row; empty beyond the end.
    pub fn range(&self, row: usize) -> std::ops::Range<usize> {
        let Some(&end) = self.ends.get(row) else {
            return 0..0;
        };
        let start = match row.checked_sub(1) {
            Some(previous) => self.ends[previous],
            None => 0,
        };
        start as usize..end as usize
    }
}
