choice! {
    /// What the input folder holds.
    pub enum InputType {
        /// Every format that can be read, each by its own reader.
        Auto = "auto",
        /// Plain text and Markdown.
        Text = "text",
        /// Comma-separated rows, one document a row.
        Csv = "csv",
        /// A JSON object or an array of objects, one document an object.
        Json = "json",
        /// One JSON object, and document, a line.
        Jsonl = "jsonl",
        /// Parquet rows, one document a row.
        Parquet = "parquet",
        /// Office documents, PDF and HTML.
        Markitdown = "markitdown",
    }
}

section! {
    /// Which files are read, and which of their columns.
    pub struct InputConfig {
        /// The format to read. The default `auto` reads every known format; the reference's default is `text`.
        #[serde(rename = "type")]
        pub kind: InputType = InputType::Auto,
        /// The encoding of text files; detected for each file when absent.
        pub encoding: Option<String> = None,
        /// A regular expression that a file's path, relative to the input folder, must contain. The default takes the extensions of `type`.
        pub file_pattern: Option<String> = None,
        /// For rows: the column with the document's id; derived from the content when absent.
        pub id_column: Option<String> = None,
        /// For rows: the column with the document's title; file name and row number when absent.
        pub title_column: Option<String> = None,
        /// For rows: the column with the text; `text` when absent.
        pub text_column: Option<String> = None,
    }
}

choice! {
    /// How documents are cut into text units.
    pub enum ChunkType {
        /// Windows of `size` tokens that share `overlap` tokens with their neighbour.
        Tokens = "tokens",
        /// One sentence each.
        Sentence = "sentence",
    }
}

choice! {
    /// The vocabulary tokens are counted with.
    pub enum EncodingModel {
        /// That of GPT-4o and later.
        O200kBase = "o200k_base",
        /// That of GPT-4, GPT-3.5 and text-embedding-3.
        Cl100kBase = "cl100k_base",
    }
}

section! {
    /// How documents are cut into text units.
    pub struct ChunkingConfig {
        /// Token windows or sentences.
        #[serde(rename = "type")]
        pub kind: ChunkType = ChunkType::Tokens,
        /// The vocabulary tokens are counted with, here and in every budget.
        pub encoding_model: EncodingModel = EncodingModel::O200kBase,
        /// The window's length in tokens.
        #[schemars(range(min = 1, max = 1_000_000))]
        pub size: u32 = 1200,
        /// How many tokens a window shares with the one before; less than `size`.
        pub overlap: u32 = 100,
        /// Names of document fields that are put before each text unit as `name: value` lines.
        pub prepend_metadata: Option<Vec<String>> = None,
    }
}
