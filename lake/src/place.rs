//! The place of a lake: a folder, or a bucket of an object store that speaks the protocol of S3.

use crate::error::{Error, Result};
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::error::Result as SqlResult;
use datafusion::execution::object_store::{DefaultObjectStoreRegistry, ObjectStoreRegistry};
use datafusion::prelude::SessionContext;
use futures::TryStreamExt;
use object_store::aws::AmazonS3Builder;
use object_store::path::Path as ObjectPath;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt as _};
use obook_lake_files::{FILE, MOST_MANIFEST, Manifest};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use url::Url;

/// A folder, or what begins with a path in a bucket: `games.lake`, `s3://bucket/games.lake`.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// As its user wrote it.
    text: String,
    url: Box<ListingTableUrl>,
    /// The folder, if it is one.
    folder: Option<PathBuf>,
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Place, String> {
        let folder = (!text.starts_with("s3://")).then(|| PathBuf::from(text));
        let url = match &folder {
            Some(folder) => {
                let path = std::path::absolute(folder).map_err(|error| error.to_string())?;
                Url::from_directory_path(path).map_err(|()| "expected a folder".to_owned())?
            }
            None => {
                let url = Url::parse(&format!("{}/", text.trim_end_matches('/')));
                let url = url.map_err(|error| error.to_string())?;
                if url.host_str().is_none() || url.path() == "/" {
                    return Err("expected a bucket and a path, as in s3://bucket/games.lake".into());
                }
                url
            }
        };
        Ok(Place {
            text: text.to_owned(),
            url: Box::new(ListingTableUrl::try_new(url, None).map_err(|error| error.to_string())?),
            folder,
        })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Place {
    /// The folder, if it is one.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The address of something in it, which ends with a slash if it is a folder.
    pub(crate) fn url(&self, path: &str) -> Result<ListingTableUrl> {
        let url = self.url.get_url().join(path);
        let url = url.map_err(|error| Error::Other(format!("{self}/{path}: {error}")))?;
        Ok(ListingTableUrl::try_new(url, None)?)
    }

    /// The prefix of the names that its files have in the store.
    pub(crate) fn prefix(&self) -> &ObjectPath {
        self.url.prefix()
    }

    /// The store that has it.
    pub(crate) fn store(&self, session: &SessionContext) -> Result<Arc<dyn ObjectStore>> {
        let stores = session.runtime_env();
        Ok(stores.object_store(self.url.object_store())?)
    }

    /// The name of a file in the store.
    pub(crate) fn object(&self, path: &str) -> ObjectPath {
        let steps = path.split('/');
        steps.fold(self.prefix().clone(), ObjectPath::join)
    }

    /// The error of a file in it.
    pub(crate) fn at(&self, path: &str) -> impl FnOnce(object_store::Error) -> Error + use<> {
        let path = format!("{self}/{path}");
        move |error| match error {
            object_store::Error::NotFound { .. } => Error::Other(format!("{path}: not found")),
            error => Error::Other(format!("{path}: {error}")),
        }
    }

    /// A text of at most `most` bytes.
    pub(crate) async fn read(
        &self,
        session: &SessionContext,
        path: &str,
        most: u64,
    ) -> Result<String> {
        let found = self.store(session)?.get(&self.object(path)).await;
        let found = found.map_err(self.at(path))?;
        let unfit = |problem: String| Error::Other(format!("{self}/{path}: {problem}"));
        let bytes = found.meta.size;
        if bytes > most {
            return Err(unfit(format!("{bytes} bytes: expected at most {most}")));
        }
        let bytes = found.bytes().await.map_err(self.at(path))?;
        String::from_utf8(bytes.into()).map_err(|_| unfit("expected text in UTF-8".to_owned()))
    }

    /// The manifest of the lake that is there. Its names and paths stay within the lake, and its files are there.
    pub(crate) async fn manifest(&self, session: &SessionContext) -> Result<Manifest> {
        let text = self.read(session, FILE, MOST_MANIFEST).await?;
        let path = Path::new(&self.text);
        let manifest = Manifest::parse(&text, &path.join(FILE))?;
        let (store, prefix) = (self.store(session)?, self.prefix());
        let objects = store.list(Some(prefix)).try_collect().await;
        let objects: Vec<ObjectMeta> = objects.map_err(self.at(""))?;
        let found = objects.iter().filter_map(|object| {
            let steps = object.location.prefix_match(prefix)?;
            let steps: Vec<String> = steps.map(|step| step.as_ref().to_owned()).collect();
            Some((steps.join("/"), object.size))
        });
        let found = found.filter(|(path, _)| path.ends_with(".parquet"));
        let found: BTreeMap<String, u64> = found.collect();
        manifest.compare(path, &found)?;
        Ok(manifest)
    }
}

/// Knows the file system, and the buckets of the store that the environment names as for any other tool: by `AWS_ACCESS_KEY_ID`,
/// `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `AWS_ENDPOINT`, `AWS_ALLOW_HTTP` and so on. Each process has its own environment.
#[derive(Debug, Default)]
pub(crate) struct Stores(DefaultObjectStoreRegistry);

impl ObjectStoreRegistry for Stores {
    fn register_store(
        &self,
        url: &Url,
        store: Arc<dyn ObjectStore>,
    ) -> Option<Arc<dyn ObjectStore>> {
        self.0.register_store(url, store)
    }

    fn get_store(&self, url: &Url) -> SqlResult<Arc<dyn ObjectStore>> {
        match url.host_str().filter(|_| url.scheme() == "s3") {
            None => self.0.get_store(url),
            Some(bucket) => self.0.get_store(url).or_else(|_| {
                let store = AmazonS3Builder::from_env().with_bucket_name(bucket);
                let store: Arc<dyn ObjectStore> = Arc::new(store.build()?);
                self.0.register_store(url, Arc::clone(&store));
                Ok(store)
            }),
        }
    }
}
