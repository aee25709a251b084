//! Answers to questions that can't be answered.

use crate::api::Failed;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use axum::{Extension, Json};
use obook::plot::Markup;
use obook_base::capital;

/// Why a question has no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    error: String,
    offset: Option<usize>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, error: impl Into<String>) -> Problem {
        Problem {
            status,
            error: error.into(),
            offset: None,
        }
    }

    /// The question is wrong.
    pub(crate) fn wrong(error: impl ToString) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, error.to_string())
    }

    /// The question is wrong at this place of its SQL.
    pub(crate) fn at(self, offset: Option<usize>) -> Problem {
        Problem { offset, ..self }
    }

    /// It doesn't exist.
    pub(crate) fn missing(error: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, error)
    }

    /// Too much is asked at once.
    pub(crate) fn busy() -> Problem {
        let error = "the server is busy; try again";
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, error)
    }

    /// Whether the same question may be answered later.
    pub(crate) fn is_busy(&self) -> bool {
        self.status == StatusCode::SERVICE_UNAVAILABLE
    }

    /// The answer took too long.
    pub(crate) fn late() -> Problem {
        let error = "the time limit was reached";
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, error)
    }

    /// The server has a bug: the thread that worked on the answer panicked.
    pub(crate) fn failed() -> Problem {
        let error = "the server failed: its terminal says where";
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error)
    }

    /// As a page, for a person whose browser came to this address.
    pub(crate) fn to_page(&self) -> Response {
        let mut page = Markup::default();
        page.open("html", &[("lang", "en")]);
        page.empty("meta", &[("charset", "utf-8")]);
        let scheme = [("name", "color-scheme"), ("content", "light dark")];
        page.empty("meta", &scheme);
        page.words("title", &[], "obook");
        page.words("h1", &[], "obook");
        page.words("p", &[], &format!("{}.", capital(&self.error)));
        let page = format!("<!doctype html>\n{}", page.finish());
        (self.status, Html(page)).into_response()
    }

    /// As JSON.
    pub(crate) fn to_answer(&self) -> Failed {
        Failed {
            ok: false,
            error: self.error.clone(),
            offset: self.offset,
            status: self.status.as_u16(),
        }
    }
}

impl From<obook::Error> for Problem {
    fn from(error: obook::Error) -> Problem {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
    }
}

impl From<obook::StoreError> for Problem {
    fn from(error: obook::StoreError) -> Problem {
        obook::Error::from(error).into()
    }
}

/// If the statement was interrupted, the desk turns this into a late answer.
impl From<rusqlite::Error> for Problem {
    fn from(error: rusqlite::Error) -> Problem {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
    }
}

/// The answer is JSON, and carries the problem, of which a page can be made.
impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let answer = Json(self.to_answer());
        (self.status, Extension(self), answer).into_response()
    }
}
