//! The files of the page, which are inside the program.

use axum::Router;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

/// A file of the page.
struct File {
    name: &'static str,
    media_type: &'static str,
    hash: &'static str,
    bytes: &'static [u8],
}

/// `web/build.mjs` lists them.
static FILES: &[File] = &include!("../web/dist/files.rs");

fn find(name: &str) -> &'static File {
    let found = FILES.iter().find(|file| file.name == name);
    found.expect("the build makes the file")
}

/// The contents of a file of the page.
pub(crate) fn bytes(name: &str) -> &'static [u8] {
    find(name).bytes
}

/// The addresses of the files.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let files = FILES.iter().map(|file| (format!("/{}", file.name), file));
    let start = (String::from("/"), find("index.html"));
    files
        .chain([start])
        .fold(Router::new(), |router, (path, file)| {
            let respond = async move |headers: HeaderMap| answer(file, &headers);
            router.route(&path, get(respond))
        })
}

/// Answers with a file. The browser asks each time whether it has changed.
fn answer(file: &'static File, headers: &HeaderMap) -> Response {
    let tag = format!("W/\"{}\"", file.hash);
    let known = headers.get(IF_NONE_MATCH);
    let tags = [
        (ETAG, tag.clone()),
        (CACHE_CONTROL, String::from("no-cache")),
    ];
    if known.is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
        return (StatusCode::NOT_MODIFIED, tags).into_response();
    }
    let kind = [(CONTENT_TYPE, file.media_type)];
    (tags, kind, file.bytes).into_response()
}
