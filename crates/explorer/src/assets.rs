//! The files of the page, which are inside the program.

use crate::problem::Problem;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};

/// A file of the page.
struct File {
    name: &'static str,
    media_type: &'static str,
    hash: &'static str,
    bytes: &'static [u8],
}

/// `web/build.mjs` lists them.
static FILES: &[File] = &include!("../web/dist/files.rs");

fn find(name: &str) -> Option<&'static File> {
    FILES.iter().find(|file| file.name == name)
}

/// The contents of a file of the page.
pub(crate) fn bytes(name: &str) -> &'static [u8] {
    find(name).expect("the build makes the file").bytes
}

/// A file of the page. The browser asks each time whether it has changed.
pub(crate) async fn file(uri: Uri, headers: HeaderMap) -> Response {
    let path = match uri.path() {
        "/" => "index.html",
        path => &path[1..],
    };
    let Some(file) = find(path) else {
        return Problem::missing("there is nothing at this address").into_response();
    };
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
