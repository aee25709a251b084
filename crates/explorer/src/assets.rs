//! The files of the page, which are inside the program.

use crate::problem::Problem;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use obook_base::hex;
use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "web/dist/"]
struct Files;

/// The contents of a file of the page.
pub(crate) fn bytes(name: &str) -> Vec<u8> {
    let file = Files::get(name).expect("the build makes the file");
    file.data.into_owned()
}

/// A file of the page. The browser asks each time whether it has changed.
pub(crate) async fn file(uri: Uri, headers: HeaderMap) -> Response {
    let path = match uri.path() {
        "/" => "index.html",
        path => &path[1..],
    };
    let Some(file) = Files::get(path) else {
        return Problem::missing("there is nothing at this address").into_response();
    };
    let hash = file.metadata.sha256_hash();
    let tag = format!("W/\"{}\"", hex(&hash[..16]));
    let known = headers.get(IF_NONE_MATCH);
    let tags = [
        (ETAG, tag.clone()),
        (CACHE_CONTROL, String::from("no-cache")),
    ];
    if known.is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
        return (StatusCode::NOT_MODIFIED, tags).into_response();
    }
    let kind = [(CONTENT_TYPE, file.metadata.mimetype().to_owned())];
    (tags, kind, file.data.into_owned()).into_response()
}
