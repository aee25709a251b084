//! Answers to questions that can't be answered.

use crate::api::Failed;
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

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

    /// There is no such thing.
    pub(crate) fn missing(error: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, error)
    }

    /// Too much is asked at once.
    pub(crate) fn busy() -> Problem {
        Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the server is busy; try again",
        )
    }

    /// The answer took too long.
    pub(crate) fn late() -> Problem {
        Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the time limit was reached",
        )
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

impl From<obook_book::Error> for Problem {
    fn from(error: obook_book::Error) -> Problem {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
    }
}

impl From<rusqlite::Error> for Problem {
    fn from(error: rusqlite::Error) -> Problem {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::OperationInterrupted) => Problem::late(),
            _ => Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.status, Json(self.to_answer())).into_response()
    }
}
