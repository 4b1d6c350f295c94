use std::collections::BTreeMap;
use std::path::PathBuf;

use super::models::Secret;

choice! {
    /// Where files are kept.
    pub enum StorageType {
        /// A folder.
        File = "file",
    }
}

section! {
    /// Where documents are read from.
    pub struct InputStorageConfig {
        /// Where it is kept. Only folders are supported.
        #[serde(rename = "type")]
        pub kind: StorageType = StorageType::File,
        /// Accepted for compatibility, without effect.
        pub encoding: Option<String> = None,
        /// The input folder. Relative to the folder of this file.
        pub base_dir: PathBuf = PathBuf::from("input"),
        /// Accepted for compatibility, without effect.
        pub connection_string: Option<Secret> = None,
        /// Accepted for compatibility, without effect.
        pub container_name: Option<String> = None,
        /// Accepted for compatibility, without effect.
        pub account_url: Option<String> = None,
        /// Accepted for compatibility, without effect.
        pub database_name: Option<String> = None,
    }
}

section! {
    /// Where tables are written.
    pub struct OutputStorageConfig {
        /// Where it is kept. Only folders are supported.
        #[serde(rename = "type")]
        pub kind: StorageType = StorageType::File,
        /// Accepted for compatibility, without effect.
        pub encoding: Option<String> = None,
        /// The output folder. Relative to the folder of this file.
        pub base_dir: PathBuf = PathBuf::from("output"),
        /// Accepted for compatibility, without effect.
        pub connection_string: Option<Secret> = None,
        /// Accepted for compatibility, without effect.
        pub container_name: Option<String> = None,
        /// Accepted for compatibility, without effect.
        pub account_url: Option<String> = None,
        /// Accepted for compatibility, without effect.
        pub database_name: Option<String> = None,
    }
}

section! {
    /// Accepted for compatibility: updates are written to the output folder itself, whole tables or none.
    pub struct UpdateOutputStorageConfig {
        /// Where it is kept. Only folders are supported.
        #[serde(rename = "type")]
        pub kind: StorageType = StorageType::File,
        /// Accepted for compatibility, without effect.
        pub encoding: Option<String> = None,
        /// Not used. Relative to the folder of this file.
        pub base_dir: PathBuf = PathBuf::from("update_output"),
        /// Accepted for compatibility, without effect.
        pub connection_string: Option<Secret> = None,
        /// Accepted for compatibility, without effect.
        pub container_name: Option<String> = None,
        /// Accepted for compatibility, without effect.
        pub account_url: Option<String> = None,
        /// Accepted for compatibility, without effect.
        pub database_name: Option<String> = None,
    }
}

section! {
    /// Where model answers are kept.
    pub struct CacheStorageConfig {
        /// Where it is kept. Only folders are supported.
        #[serde(rename = "type")]
        pub kind: StorageType = StorageType::File,
        /// Accepted for compatibility, without effect.
        pub encoding: Option<String> = None,
        /// The cache folder. Relative to the folder of this file.
        pub base_dir: PathBuf = PathBuf::from("cache"),
        /// Accepted for compatibility, without effect.
        pub connection_string: Option<Secret> = None,
        /// Accepted for compatibility, without effect.
        pub container_name: Option<String> = None,
        /// Accepted for compatibility, without effect.
        pub account_url: Option<String> = None,
        /// Accepted for compatibility, without effect.
        pub database_name: Option<String> = None,
    }
}

choice! {
    /// The format of the tables.
    pub enum TableType {
        /// Parquet files.
        Parquet = "parquet",
    }
}

section! {
    /// The format of the tables.
    pub struct TableProviderConfig {
        /// Only Parquet is supported.
        #[serde(rename = "type")]
        pub kind: TableType = TableType::Parquet,
        /// Accepted for compatibility, without effect.
        pub container_name: Option<String> = None,
        /// Accepted for compatibility, without effect.
        pub legacy_container: Option<String> = None,
        /// Accepted for compatibility, without effect.
        pub batch_size: u32 = 50,
    }
}

choice! {
    /// Whether model answers are kept.
    pub enum CacheType {
        /// Kept on disk, in one append-only log.
        Json = "json",
        /// The same as `json`; the reference's other format.
        Sqlite = "sqlite",
        /// Kept until the process ends.
        Memory = "memory",
        /// Not kept.
        None = "none",
    }
}

section! {
    /// The cache of model answers.
    pub struct CacheConfig {
        /// Whether, and how long, answers are kept.
        #[serde(rename = "type")]
        pub kind: CacheType = CacheType::Json,
        /// Where they are kept.
        pub storage: CacheStorageConfig = CacheStorageConfig::default(),
        /// Accepted for compatibility, without effect.
        pub database_name: String = "cache.db".to_owned(),
    }
}

impl CacheConfig {
    /// Whether answers outlive the process.
    pub fn is_durable(&self) -> bool {
        matches!(self.kind, CacheType::Json | CacheType::Sqlite)
    }
}

section! {
    /// Where logs are written.
    pub struct ReportingConfig {
        /// Where logs are kept. Only folders are supported.
        #[serde(rename = "type")]
        pub kind: StorageType = StorageType::File,
        /// The log folder. Relative to the folder of this file.
        pub base_dir: PathBuf = PathBuf::from("logs"),
        /// Accepted for compatibility, without effect.
        pub connection_string: Option<Secret> = None,
        /// Accepted for compatibility, without effect.
        pub container_name: Option<String> = None,
        /// Accepted for compatibility, without effect.
        pub account_url: Option<String> = None,
    }
}

choice! {
    /// Where vectors are kept.
    pub enum VectorStoreType {
        /// Files in the output folder.
        File = "file",
        /// Accepted for compatibility; the same as `file`.
        Lancedb = "lancedb",
    }
}

section! {
    /// Where vectors are kept: always in the output folder, with the dimension of the model that made them.
    pub struct VectorStoreConfig {
        /// `lancedb` is accepted and means `file`.
        #[serde(rename = "type")]
        pub kind: VectorStoreType = VectorStoreType::File,
        /// Accepted for compatibility, without effect.
        pub db_uri: Option<String> = None,
        /// Accepted for compatibility, without effect.
        pub url: Option<String> = None,
        /// Accepted for compatibility, without effect.
        pub api_key: Option<Secret> = None,
        /// Accepted for compatibility, without effect.
        pub audience: Option<String> = None,
        /// Accepted for compatibility, without effect.
        pub connection_string: Option<Secret> = None,
        /// Accepted for compatibility, without effect.
        pub database_name: Option<String> = None,
        /// Accepted for compatibility, without effect: the dimension is read from the first vector.
        pub vector_size: u32 = 3072,
        /// Accepted for compatibility, without effect.
        pub index_schema: BTreeMap<String, IndexSchemaConfig> = BTreeMap::new(),
    }
}

section! {
    /// Accepted for compatibility, without effect.
    pub struct IndexSchemaConfig {
        /// Accepted for compatibility, without effect.
        pub index_name: String = "vector_index".to_owned(),
        /// Accepted for compatibility, without effect.
        pub id_field: String = "id".to_owned(),
        /// Accepted for compatibility, without effect.
        pub vector_field: String = "vector".to_owned(),
        /// Accepted for compatibility, without effect.
        pub vector_size: u32 = 3072,
        /// Accepted for compatibility, without effect.
        pub fields: BTreeMap<String, String> = BTreeMap::new(),
    }
}
