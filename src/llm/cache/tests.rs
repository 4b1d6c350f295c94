use std::fs;

use super::*;

fn answer(key: u128, text: &str) -> Record {
    Record {
        kind: Kind::Answer,
        key: Key(key),
        payload: text.as_bytes().to_vec(),
    }
}

fn rejected(key: u128, text: &str) -> Record {
    Record {
        kind: Kind::Rejected,
        key: Key(key),
        payload: text.as_bytes().to_vec(),
    }
}

async fn text(cache: &Cache, key: u128) -> Option<String> {
    cache
        .get(Key(key))
        .await
        .map(|payload| String::from_utf8(payload).unwrap())
}

#[tokio::test]
async fn answers_survive_a_reopen_with_and_without_the_sidecar() {
    let dir = tempfile::tempdir().unwrap();
    let cache = Cache::open(dir.path()).unwrap();
    for n in 0..100 {
        cache
            .put(vec![answer(n, &format!("answer {n}"))])
            .await
            .unwrap();
    }
    cache
        .put(vec![
            rejected(7, "bad"),
            rejected(7, "worse"),
            rejected(200, "never good"),
            answer(7, "good at last"),
        ])
        .await
        .unwrap();
    drop(cache);
    assert!(dir.path().join("answers.idx").exists());
    for without in [false, true] {
        if without {
            fs::remove_file(dir.path().join("answers.idx")).unwrap();
        }
        let cache = Cache::open(dir.path()).unwrap();
        assert_eq!(cache.len(), 100);
        assert_eq!(text(&cache, 42).await.as_deref(), Some("answer 42"));
        assert_eq!(text(&cache, 7).await.as_deref(), Some("good at last"));
        assert_eq!(
            cache.rejected(Key(7)).await,
            [b"bad".to_vec(), b"worse".to_vec()]
        );
        assert_eq!(cache.rejected(Key(200)).await.len(), 1);
        assert_eq!(text(&cache, 200).await, None);
    }
}

#[tokio::test]
async fn a_rejection_ends_an_answers_life() {
    for cache in [
        Cache::memory(),
        Cache::open(tempfile::tempdir().unwrap().path()).unwrap(),
    ] {
        cache.put(vec![answer(1, "looked good")]).await.unwrap();
        cache.put(vec![rejected(1, "looked good")]).await.unwrap();
        assert_eq!(text(&cache, 1).await, None);
        assert_eq!(cache.rejected(Key(1)).await.len(), 1);
    }
}

#[tokio::test]
async fn a_cut_at_every_byte_of_the_last_record_loses_only_it_and_the_log_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let cache = Cache::open(dir.path()).unwrap();
    cache.put(vec![answer(1, "first")]).await.unwrap();
    let path = cache.path().unwrap();
    let before = fs::metadata(&path).unwrap().len();
    cache.put(vec![answer(2, "second")]).await.unwrap();
    drop(cache);
    let whole = fs::read(&path).unwrap();
    for cut in before..whole.len() as u64 {
        fs::write(&path, &whole[..cut as usize]).unwrap();
        let cache = Cache::open(dir.path()).unwrap();
        assert_eq!(
            text(&cache, 1).await.as_deref(),
            Some("first"),
            "cut at {cut}"
        );
        assert_eq!(text(&cache, 2).await, None, "cut at {cut}");
        cache.put(vec![answer(3, "third")]).await.unwrap();
        drop(cache);
        let cache = Cache::open(dir.path()).unwrap();
        assert_eq!(
            text(&cache, 3).await.as_deref(),
            Some("third"),
            "cut at {cut}"
        );
        assert_eq!(
            verify(dir.path()).unwrap(),
            Verified {
                intact: 2,
                damaged: 0,
                torn_tail: false
            }
        );
    }
}

#[tokio::test]
async fn a_damaged_record_in_the_middle_is_dropped_and_counted() {
    let dir = tempfile::tempdir().unwrap();
    let cache = Cache::open(dir.path()).unwrap();
    cache
        .put(vec![
            answer(1, "first"),
            answer(2, "second answer"),
            answer(3, "third"),
        ])
        .await
        .unwrap();
    let path = cache.path().unwrap();
    drop(cache);
    let whole = fs::read(&path).unwrap();
    let at = whole
        .windows(6)
        .position(|window| window == b"second")
        .unwrap();
    // payload, then header
    for offset in [at + 3, at - 20] {
        let mut damaged = whole.clone();
        damaged[offset] ^= 1;
        fs::write(&path, &damaged).unwrap();
        let _ = fs::remove_file(dir.path().join("answers.idx"));
        let cache = Cache::open(dir.path()).unwrap();
        assert_eq!(text(&cache, 2).await, None);
        assert_eq!(text(&cache, 1).await.as_deref(), Some("first"));
        assert_eq!(text(&cache, 3).await.as_deref(), Some("third"));
        assert_eq!(cache.damaged(), 1);
        assert_eq!(
            verify(dir.path()).unwrap(),
            Verified {
                intact: 2,
                damaged: 1,
                torn_tail: false
            }
        );
        cache.put(vec![answer(2, "again")]).await.unwrap();
        assert_eq!(text(&cache, 2).await.as_deref(), Some("again"));
        drop(cache);
        let pruned = prune(dir.path(), &PruneRule::default()).unwrap();
        assert_eq!(pruned.kept, 3);
        assert_eq!(
            verify(dir.path()).unwrap(),
            Verified {
                intact: 3,
                damaged: 0,
                torn_tail: false
            }
        );
    }
}

#[tokio::test]
async fn two_handles_on_one_folder_see_each_others_answers_after_their_next_write() {
    let dir = tempfile::tempdir().unwrap();
    let one = Cache::open(dir.path()).unwrap();
    let two = Cache::open(dir.path()).unwrap();
    let writers = [(one.clone(), 0u128), (two.clone(), 1000)].map(|(cache, base)| {
        tokio::spawn(async move {
            for n in 0..200 {
                cache
                    .put(vec![answer(base + n, &format!("{}", base + n))])
                    .await
                    .unwrap();
            }
        })
    });
    for writer in writers {
        writer.await.unwrap();
    }
    one.put(vec![answer(5000, "x")]).await.unwrap();
    two.put(vec![answer(5001, "y")]).await.unwrap();
    assert_eq!(text(&two, 5000).await.as_deref(), Some("x"));
    assert_eq!(text(&one, 1100).await.as_deref(), Some("1100"));
    assert_eq!(text(&two, 100).await.as_deref(), Some("100"));
    assert!(matches!(
        prune(dir.path(), &PruneRule::default()),
        Err(CacheError::InUse { .. })
    ));
    drop((one, two));
    assert_eq!(
        verify(dir.path()).unwrap(),
        Verified {
            intact: 402,
            damaged: 0,
            torn_tail: false
        }
    );
    let cache = Cache::open(dir.path()).unwrap();
    assert_eq!(cache.len(), 402);
    // pruning in one process, sidecar of another log: never mixed up
    drop(cache);
    let rule = PruneRule {
        forget: [Key(5000)].into_iter().collect(),
        ..PruneRule::default()
    };
    assert_eq!(prune(dir.path(), &rule).unwrap().dropped, 1);
    let cache = Cache::open(dir.path()).unwrap();
    assert_eq!(text(&cache, 5000).await, None);
    assert_eq!(text(&cache, 1100).await.as_deref(), Some("1100"));
}

#[tokio::test]
async fn logs_merge_by_concatenation() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for (dir, key) in [(&here, 1), (&there, 2)] {
        Cache::open(dir.path())
            .unwrap()
            .put(vec![answer(key, "a")])
            .await
            .unwrap();
    }
    let mut bytes = fs::read(here.path().join("answers.log")).unwrap();
    bytes.extend(fs::read(there.path().join("answers.log")).unwrap());
    fs::write(here.path().join("answers.log"), bytes).unwrap();
    let cache = Cache::open(here.path()).unwrap();
    assert_eq!((cache.len(), cache.damaged()), (2, 0));
}

#[tokio::test]
async fn statistics_count_what_would_be_served() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(stats(dir.path()).unwrap(), Stats::default());
    let cache = Cache::open(dir.path()).unwrap();
    let embedding = Record {
        kind: Kind::Embedding,
        key: Key(9),
        payload: vec![0; 16],
    };
    cache
        .put(vec![
            answer(1, "old"),
            answer(1, "new"),
            rejected(2, "bad"),
            embedding,
        ])
        .await
        .unwrap();
    let stats = stats(dir.path()).unwrap();
    assert_eq!(
        (
            stats.answers,
            stats.embeddings,
            stats.rejected,
            stats.superseded,
            stats.damaged
        ),
        (1, 1, 1, 1, 0)
    );
}

#[test]
fn a_file_in_the_way_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("cache");
    fs::write(&path, "x").unwrap();
    let error = Cache::open(&path).unwrap_err();
    assert!(
        error.to_string().contains(&path.display().to_string()),
        "{error}"
    );
}

/// Not an assertion: prints how long a million entries take to write, to open and to hit.
#[tokio::test]
#[ignore = "a measurement"]
async fn a_million_entries() {
    use std::time::Instant;
    let dir = tempfile::tempdir().unwrap();
    let cache = Cache::open(dir.path()).unwrap();
    let started = Instant::now();
    let text = "an answer of a usual length. ".repeat(20);
    for batch in 0..1000u128 {
        let records = (0..1000)
            .map(|n| answer(batch * 1000 + n + 1, &text))
            .collect();
        cache.put(records).await.unwrap();
    }
    println!("written in {:?}", started.elapsed());
    drop(cache);
    let started = Instant::now();
    let cache = Cache::open(dir.path()).unwrap();
    println!("{} opened in {:?}", cache.len(), started.elapsed());
    let started = Instant::now();
    for n in 0..10_000u128 {
        assert!(cache.get(Key(n * 97 + 1)).await.is_some());
    }
    println!("a hit takes {:?}", started.elapsed() / 10_000);
    drop(cache);
    fs::remove_file(dir.path().join("answers.idx")).unwrap();
    let started = Instant::now();
    let cache = Cache::open(dir.path()).unwrap();
    println!(
        "{} opened without the sidecar in {:?}",
        cache.len(),
        started.elapsed()
    );
}
