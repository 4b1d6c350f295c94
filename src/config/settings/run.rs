choice! {
    /// Accepted for compatibility, without effect.
    pub enum AsyncMode {
        /// Accepted for compatibility, without effect.
        Threaded = "threaded",
        /// Accepted for compatibility, without effect.
        Asyncio = "asyncio",
    }
}

section! {
    /// What a run may use. A cap counts what is in flight and stops the run before it is passed; absent means no cap.
    pub struct BudgetConfig {
        /// How much a run may cost, in the currency of the models' prices. Needs a known price for every model it uses.
        #[schemars(range(min = 0))]
        pub max_cost: Option<f64> = None,
        /// How many tokens, of prompts and answers, a run may use.
        pub max_tokens: Option<u64> = None,
        /// How many calls a run may make.
        pub max_calls: Option<u64> = None,
    }
}

choice! {
    /// What becomes of a question that batches left without an answer.
    pub enum BatchFallback {
        /// Its item fails; the next run asks again.
        None = "none",
        /// It is asked directly, at the full price.
        Direct = "direct",
    }
}

section! {
    /// How `index --batch` uses the provider's Batch API: half the price, answers within a day.
    pub struct BatchConfig {
        /// What becomes of a question that its batches left without an answer. `--batch-fallback` is `direct`.
        pub fallback: BatchFallback = BatchFallback::None,
        /// How often such a question goes into a further batch first.
        #[schemars(range(max = 10))]
        pub retries: u32 = 2,
        /// Requests in one batch at most; also how many questions wait at once, each with some 30 kilobytes of memory.
        #[schemars(range(min = 1, max = 50_000))]
        pub max_requests: u32 = 50_000,
        /// Megabytes in one batch file at most.
        #[schemars(range(min = 1, max = 200))]
        pub max_megabytes: u32 = 200,
        /// Prompt tokens in unfinished batches at most, where the account has such a limit; found out otherwise.
        #[schemars(range(min = 1))]
        pub max_queued_tokens: Option<u64> = None,
        /// A batch is sent when no further question came for so many seconds.
        #[schemars(range(min = 0.01, max = 60))]
        pub linger: f64 = 2.0,
        /// Seconds between two looks at a batch, at most.
        #[schemars(range(min = 0.01, max = 3600))]
        pub poll: f64 = 60.0,
    }
}

section! {
    /// Bounds that keep one bad file or one bad answer from holding up a run.
    pub struct LimitsConfig {
        /// A larger file, in megabytes, is reported and left out.
        #[schemars(range(min = 1))]
        pub max_file_size: u32 = 512,
        /// How long one call may take, in seconds.
        #[schemars(range(min = 1))]
        pub call_timeout: u32 = 180,
        /// How often an answer that cannot be used is asked for again, never with the very same request.
        #[schemars(range(max = 10))]
        pub max_reasks: u32 = 2,
    }
}
