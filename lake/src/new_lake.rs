//! A lake that is being written, which appears as a whole.

use crate::error::{Error, Result, at};
use crate::place::Place;
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::prelude::SessionContext;
use futures::TryStreamExt;
use object_store::buffered::BufWriter;
use object_store::path::Path as ObjectPath;
use object_store::{ObjectStore, ObjectStoreExt as _};
use obook_lake_files::{FILE, Manifest, SCRIPT, TableEntry};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::fs::File;
use tokio::io::{AsyncWriteExt as _, copy_buf};
use tokio_util::io::StreamReader;
use url::Url;

/// A new lake. Unless it is [complete](NewLake::commit), nothing is left of it.
pub(crate) struct NewLake<'p> {
    place: &'p Place,
    /// Where its files are made: beside the folder that it becomes, or on the way to a bucket.
    made: TempDir,
    bucket: Option<Bucket>,
}

impl<'p> NewLake<'p> {
    /// Begins a lake where there is nothing yet.
    pub(crate) async fn create(session: &SessionContext, place: &'p Place) -> Result<NewLake<'p>> {
        let store = place.store(session)?;
        let is_taken = match place.folder() {
            Some(folder) => match std::fs::read_dir(folder) {
                Ok(mut entries) => entries.next().is_some(),
                Err(_) => folder.exists(),
            },
            None => {
                let first = store.list(Some(place.prefix())).try_next().await;
                first.map_err(place.at(""))?.is_some()
            }
        };
        if is_taken {
            let problem = format!("{place} exists: choose one that is new or empty");
            return Err(Error::Other(problem));
        }
        let beside = match place.folder().map(Path::parent) {
            Some(Some(parent)) if parent != Path::new("") => parent.to_owned(),
            Some(_) => ".".into(),
            None => std::env::temp_dir(),
        };
        let made = tempfile::Builder::new()
            .prefix(".obook-lake-")
            .tempdir_in(&beside);
        let uploaded = Vec::new();
        let bucket = place.folder().is_none().then(|| Bucket { store, uploaded });
        Ok(NewLake {
            place,
            made: made.map_err(at(&beside))?,
            bucket,
        })
    }

    /// The folder in which the files of tables are made.
    pub(crate) fn folder(&self) -> &Path {
        self.made.path()
    }

    /// Where executors read a folder of a table that is [published](NewLake::publish).
    pub(crate) fn url(&self, path: &str) -> Result<ListingTableUrl> {
        if self.bucket.is_some() {
            return self.place.url(path);
        }
        let folder = std::path::absolute(self.made.path().join(path));
        let folder = folder.map_err(at(self.made.path()))?;
        let url = Url::from_directory_path(folder).expect("the path is absolute");
        Ok(ListingTableUrl::try_new(url, None)?)
    }

    /// Takes a table's files to where executors find them.
    pub(crate) async fn publish(&mut self, table: &TableEntry) -> Result<()> {
        for file in &table.files {
            self.upload(&file.path).await?;
        }
        Ok(())
    }

    async fn upload(&mut self, path: &str) -> Result<()> {
        let Some(bucket) = &mut self.bucket else {
            return Ok(());
        };
        let made = self.made.path().join(path);
        let mut from = tokio::io::BufReader::new(File::open(&made).await.map_err(at(&made))?);
        let object = self.place.object(path);
        // An upload that ended early is removed, too.
        bucket.uploaded.push(object.clone());
        let mut to = BufWriter::new(Arc::clone(&bucket.store), object);
        let uploaded = async {
            copy_buf(&mut from, &mut to).await?;
            to.shutdown().await
        };
        let url = format!("{}/{path}", self.place);
        uploaded.await.map_err(at(Path::new(&url)))?;
        std::fs::remove_file(&made).map_err(at(&made))
    }

    /// Takes a table over from another lake as it is.
    pub(crate) async fn copy(
        &mut self,
        session: &SessionContext,
        from: &Place,
        table: &TableEntry,
    ) -> Result<()> {
        let store = from.store(session)?;
        for file in &table.files {
            let found = store.get(&from.object(&file.path)).await;
            let found = found.map_err(from.at(&file.path))?;
            let made = self.made.path().join(&file.path);
            let folder = made.parent().expect("a file is in its table's folder");
            std::fs::create_dir_all(folder).map_err(at(folder))?;
            let bytes = found.into_stream().map_err(std::io::Error::other);
            let copied = async {
                let mut to = File::create(&made).await?;
                copy_buf(&mut StreamReader::new(bytes), &mut to).await?;
                to.shutdown().await
            };
            copied.await.map_err(at(&made))?;
            self.upload(&file.path).await?;
        }
        Ok(())
    }

    /// Drops the files of a table that isn't part of the lake.
    pub(crate) async fn discard(&mut self, table: &str) -> Result<()> {
        let folder = self.made.path().join(table);
        if folder.exists() {
            std::fs::remove_dir_all(&folder).map_err(at(&folder))?;
        }
        if let Some(bucket) = &mut self.bucket {
            let prefix = self.place.object(table);
            let is_of_it = |object: &mut ObjectPath| object.prefix_matches(&prefix);
            for object in bucket.uploaded.extract_if(.., is_of_it) {
                let deleted = bucket.store.delete(&object).await;
                deleted.map_err(self.place.at(table))?;
            }
        }
        Ok(())
    }

    /// Makes a lake of it: the manifest comes last.
    pub(crate) async fn commit(mut self, manifest: &Manifest, script: &str) -> Result<()> {
        let path = self.made.path().join(SCRIPT);
        std::fs::write(&path, script).map_err(at(&path))?;
        manifest.write(self.made.path())?;
        self.upload(SCRIPT).await?;
        self.upload(FILE).await?;
        if let Some(bucket) = &mut self.bucket {
            bucket.uploaded.clear();
        }
        match self.place.folder() {
            Some(folder) => std::fs::rename(self.made.keep(), folder).map_err(at(folder)),
            None => Ok(()),
        }
    }
}

/// The files of a lake that are in a bucket. Until there is a manifest they are no lake, and go if it isn't completed.
struct Bucket {
    store: Arc<dyn ObjectStore>,
    uploaded: Vec<ObjectPath>,
}

impl Drop for Bucket {
    fn drop(&mut self) {
        let (store, files) = (Arc::clone(&self.store), std::mem::take(&mut self.uploaded));
        if files.is_empty() {
            return;
        }
        // The runtime of this thread may be shutting down, and doesn't wait for destructors.
        let deleted = std::thread::spawn(move || {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            runtime.enable_all().build()?.block_on(async {
                for file in &files {
                    match store.delete(file).await {
                        Ok(()) | Err(object_store::Error::NotFound { .. }) => (),
                        Err(error) => return Err(std::io::Error::other(error)),
                    }
                }
                Ok(())
            })
        });
        if !matches!(deleted.join(), Ok(Ok(()))) {
            eprintln!(
                "obook-lake: can't delete what was written of the new lake; it has no manifest"
            );
        }
    }
}
