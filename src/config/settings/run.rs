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
