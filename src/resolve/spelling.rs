//! Whether two words are spellings of one: slips, contractions, nicknames.

use super::tables;

/// Whether one first name is short for the other.
pub(super) fn nicknames(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let beginning = short.chars().count() >= 3
        && long.chars().count() >= short.chars().count() + 2
        && long.starts_with(short);
    beginning
        || tables::NICKNAMES
            .iter()
            .any(|&(nick, name)| nick == short && name == long || nick == long && name == short)
}

/// "pt" for "point", "dept" for "department": the first letter, the last, and letters between in order.
pub(super) fn contracted(short: &str, long: &str) -> bool {
    let (count, of) = (short.chars().count(), long.chars().count());
    if !(2..=4).contains(&count) || of < count + 2 || !short.is_ascii() || !long.is_ascii() {
        return false;
    }
    let ends = short.as_bytes().first() == long.as_bytes().first()
        && short.as_bytes().last() == long.as_bytes().last();
    let is_vowel = |c: char| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u');
    let mut rest = long.chars();
    let spoken = short.chars().any(is_vowel) && short != "dept";
    ends && !spoken && short.chars().all(|c| rest.any(|other| other == c))
}

/// Whether two words are so near that one may be a slip for the other: the first letter the same, one slip in five letters
/// or more, two in nine or more, or in the vowels of six or more. An ending more ("employ", "employs") is none.
pub(super) fn misspelt(a: &str, b: &str) -> bool {
    let (mut x, mut y) = ([' '; LONGEST], [' '; LONGEST]);
    let (Some(x), Some(y)) = (characters(a, &mut x), characters(b, &mut y)) else {
        return false;
    };
    let length = x.len().min(y.len());
    if length < 5 || x[0] != y[0] || x.len().abs_diff(y.len()) > 2 {
        return false;
    }
    let common = x.iter().zip(y).take_while(|(a, b)| a == b).count();
    if common == length {
        return false;
    }
    let far = distance(x, y);
    far <= if length >= 9 { 2 } else { 1 }
        || far == 2 && length >= 6 && consonants(x).eq(consonants(y))
}

/// Consonants in order, doubled ones once.
fn consonants(word: &[char]) -> impl Iterator<Item = char> {
    let mut previous = ' ';
    word.iter().copied().filter(move |&c| {
        let new = c != previous;
        previous = c;
        new && !matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
    })
}

const LONGEST: usize = 32;

fn characters<'a>(text: &str, buffer: &'a mut [char; LONGEST]) -> Option<&'a [char]> {
    let mut count = 0;
    for c in text.chars() {
        *buffer.get_mut(count)? = c;
        count += 1;
    }
    buffer.get(..count)
}

/// Damerau's distance, neighbours swapped counting one (optimal string alignment).
fn distance(x: &[char], y: &[char]) -> usize {
    let mut rows = [[0usize; LONGEST + 1]; 3];
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=x.len() {
        let (now, before, two) = (i % 3, (i + 2) % 3, (i + 1) % 3);
        rows[now][0] = i;
        for j in 1..=y.len() {
            let substitution = rows[before][j - 1] + usize::from(x[i - 1] != y[j - 1]);
            let mut best = substitution
                .min(rows[before][j] + 1)
                .min(rows[now][j - 1] + 1);
            if i > 1 && j > 1 && x[i - 1] == y[j - 2] && x[i - 2] == y[j - 1] {
                best = best.min(rows[two][j - 2] + 1);
            }
            rows[now][j] = best;
        }
    }
    rows[x.len() % 3][y.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_damerau() {
        let far = |a: &str, b: &str| {
            let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            distance(&a, &b)
        };
        assert_eq!(far("abcd", "abdc"), 1);
        assert_eq!(far("kitten", "sitting"), 3);
        assert_eq!(far("", "abc"), 3);
    }

    #[test]
    fn slips_are_few_and_not_at_the_front() {
        assert!(misspelt("dunmoor", "dunmore") && misspelt("gisborne", "gisbourne"));
        assert!(!misspelt("march", "marsha") && !misspelt("board", "beerd"));
        assert!(!misspelt("carson", "larson") && !misspelt("employ", "employs"));
    }

    #[test]
    fn contractions_keep_first_and_last_letters() {
        assert!(contracted("pt", "point") && contracted("dept", "department"));
        assert!(!contracted("ar", "alasdair") && !contracted("sre", "service"));
    }
}
