//! The server: routes, and what keeps other pages and other people out.

use crate::answers::{self, Which};
use crate::api::{
    At, Books, ChoiceOf, Chosen, EnterValue, Entered, Failed, Games, GamesOf, Hint, HintOf,
    History, Info, Near, NearBest, Openings, Parents, Parsed, Picture, Position, Queued, Schema,
    Search, Sql, Stats, Text, Transpositions, Undo, Undone, Version, Wanted, Why,
};
use crate::assets;
use crate::books::{Desk, Lane, Served, names};
use crate::problem::Problem;
use crate::{hint as searching, sql as asking, stream, write};
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, FromRequestParts, Path, Query, Request, State};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::request::Parts;
use axum::http::{self, HeaderMap, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use obook_book::Context;
use obook_engine::Stop;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tower_http::compression::CompressionLayer;

/// The port if it is free and no other is asked for.
const PORT: u16 = 8008;
/// The most connections at a time; others wait.
const CONNECTIONS: usize = 128;
/// The most requests at a time; beyond that the server is busy.
const REQUESTS: usize = 64;
/// The most streamed answers at a time.
const STREAMS: usize = 16;
/// The most searches at a time.
const SEARCHES: usize = 2;
/// The most bytes of a request's body.
const BODY: usize = 64 << 10;
/// The time for a client to send the head of its next request; then its connection is closed.
const HEAD: Duration = Duration::from_secs(20);
/// The time for answers in progress when the server is stopped.
const GRACE: Duration = Duration::from_secs(1);
/// The time between two looks at whether to stop.
const GLANCE: Duration = Duration::from_millis(50);

/// The address and port to listen at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The address. Beyond this machine, every request needs a token.
    pub address: IpAddr,
    /// The port; `None`: 8008, or a free one if it is taken.
    pub port: Option<u16>,
    /// Whether the books can be changed. Then every request needs a token, on this machine too.
    pub write: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            address: Ipv4Addr::LOCALHOST.into(),
            port: None,
            write: false,
        }
    }
}

/// Books in the browser.
pub struct Server {
    listener: TcpListener,
    state: Shared,
}

/// The state that all requests share.
pub(crate) struct App {
    books: Vec<Arc<Served>>,
    /// The secret that each request must know; `None`: anybody on this machine can ask, and nobody else.
    token: Option<String>,
    /// Whether only this machine can ask.
    is_local: bool,
    /// Whether the books can be changed, one change at a time.
    write: Option<Semaphore>,
    requests: Arc<Semaphore>,
    streams: Arc<Semaphore>,
    searches: Arc<Semaphore>,
}

type Shared = Arc<App>;

impl Server {
    /// Opens the books and starts to listen. Files of other formats are imported into temporary databases first.
    ///
    /// ```
    /// use obook_book::Context;
    /// use obook_explorer::{Options, Server};
    /// # let book = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/edax/games.dat");
    /// let options = Options { port: Some(0), ..Options::default() };
    /// let server = Server::open(&[book.into()], &options, &Context::default())?;
    /// assert!(server.url()?.starts_with("http://127.0.0.1:"));
    /// # Ok::<(), obook_book::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if a book can't be read or the port is taken.
    pub fn open(
        paths: &[PathBuf],
        options: &Options,
        context: &Context,
    ) -> obook_book::Result<Server> {
        let address = |port| SocketAddr::new(options.address, port);
        let bound = match options.port {
            Some(port) => TcpListener::bind(address(port)),
            None => TcpListener::bind(address(PORT)).or_else(|_| TcpListener::bind(address(0))),
        };
        let listener = bound.and_then(|listener| {
            listener.set_nonblocking(true)?;
            Ok(listener)
        });
        let wanted = address(options.port.unwrap_or(PORT)).to_string();
        let listener = listener.map_err(obook_book::Error::io(
            wanted.as_ref(),
            "listen at this address",
        ))?;
        let mut books = Vec::new();
        for (name, path) in names(paths).into_iter().zip(paths) {
            if options.write {
                write::is_possible(path, context)?;
            }
            books.push(Arc::new(Served::open(name, path, context)?));
        }
        let state = Arc::new(App {
            books,
            token: (options.write || !options.address.is_loopback()).then(token),
            is_local: options.address.is_loopback(),
            write: options.write.then(|| Semaphore::new(1)),
            requests: Arc::new(Semaphore::new(REQUESTS)),
            streams: Arc::new(Semaphore::new(STREAMS)),
            searches: Arc::new(Semaphore::new(SEARCHES)),
        });
        Ok(Server { listener, state })
    }

    /// The address for the browser, with the token if one is needed.
    ///
    /// # Errors
    /// Returns an error if the system doesn't know the address.
    pub fn url(&self) -> obook_book::Result<String> {
        let address = self.listener.local_addr();
        let address = address.map_err(obook_book::Error::io("socket".as_ref(), "name"))?;
        Ok(match &self.state.token {
            Some(token) => format!("http://{address}/?token={token}"),
            None => format!("http://{address}/"),
        })
    }

    /// Serves the books until `stop` is set.
    ///
    /// # Errors
    /// Returns an error if the system refuses to serve.
    pub fn run(self, stop: &Stop) -> obook_book::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let stopped = async || {
            while !stop.is_set() {
                tokio::time::sleep(GLANCE).await;
            }
        };
        let served = runtime.and_then(|runtime| {
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(self.listener)?;
                serve(listener, router(self.state), stopped(), HEAD).await;
                Ok(())
            })
        });
        served.map_err(obook_book::Error::io("socket".as_ref(), "serve"))
    }
}

/// A secret of 128 bits.
fn token() -> String {
    let mut bits = [0; 16];
    getrandom::fill(&mut bits).expect("the system has random numbers");
    bits.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Answers requests until `stopped`, then finishes the answers in progress. A client has the time `head` to send the head of a
/// request.
async fn serve(
    listener: tokio::net::TcpListener,
    router: Router,
    stopped: impl Future,
    head: Duration,
) {
    let connections = Arc::new(Semaphore::new(CONNECTIONS));
    let graceful = GracefulShutdown::new();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(head);
    let accept = async {
        loop {
            let permit = Arc::clone(&connections).acquire_owned().await;
            let permit = permit.expect("the semaphore is never closed");
            let Ok((stream, _)) = listener.accept().await else {
                // The system has run out of something; it will come back.
                tokio::time::sleep(GLANCE).await;
                continue;
            };
            // Answers are written at once; if that fails, they only take longer.
            let _ = stream.set_nodelay(true);
            let service = TowerToHyperService::new(router.clone());
            let connection = http.serve_connection(TokioIo::new(stream), service);
            let connection = graceful.watch(connection);
            tokio::spawn(async move {
                let _permit = permit;
                // A connection that breaks is the client's affair.
                let _ = connection.await;
            });
        }
    };
    tokio::select! {
        () = accept => {}
        _ = stopped => {}
    }
    drop(listener);
    let finished = tokio::time::timeout(GRACE, graceful.shutdown()).await;
    // Whatever takes longer is cut off.
    let _ = finished;
}

fn router(state: Shared) -> Router {
    let api = Router::new()
        .route("/books", get(books))
        .route("/{book}/version", get(version))
        .route("/{book}/position", get(position))
        .route("/{book}/choose", get(choose))
        .route("/{book}/games", get(games))
        .route("/{book}/why", get(why))
        .route("/{book}/parents", get(parents))
        .route("/{book}/transpositions", get(transpositions))
        .route("/{book}/parse", get(parse))
        .route("/{book}/openings", get(openings))
        .route("/{book}/info", get(info))
        .route("/{book}/stats", get(stats))
        .route("/{book}/history", get(history))
        .route("/{book}/frontier", get(frontier))
        .route("/{book}/worst", get(worst))
        .route("/{book}/plot/{kind}", get(plot))
        .route("/{book}/sql", post(sql))
        .route("/{book}/sql/schema", get(schema))
        .route("/{book}/hint", get(hint))
        .route("/{book}/value", post(value))
        .route("/{book}/line", post(add_line))
        .route("/{book}/search", post(search))
        .route("/{book}/undo", post(undo))
        .fallback(async || Problem::missing("there is nothing at this address"))
        .method_not_allowed_fallback(async || {
            Problem::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "this address has another method",
            )
        });
    Router::new()
        .nest("/api", api)
        .fallback(get(assets::file))
        .layer(DefaultBodyLimit::max(BODY))
        .layer(CompressionLayer::new().compress_when(is_whole))
        .layer(middleware::from_fn_with_state(Arc::clone(&state), admit))
        .with_state(state)
}

/// Whether an answer comes as a whole: a compressed stream would come late.
fn is_whole(_: StatusCode, _: http::Version, headers: &HeaderMap, _: &http::Extensions) -> bool {
    let kind = headers.get(header::CONTENT_TYPE);
    kind.is_none_or(|kind| kind.as_bytes() != stream::KIND.as_bytes())
}

/// The policy of the page: its own files, and nothing written into it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// The policy of a picture, which has its own styles.
const PICTURE_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 5] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];

/// Lets requests in that come from the server's own page or from programs, and adds the headers of all answers.
async fn admit(State(app): State<Shared>, request: Request, next: Next) -> Response {
    let mut response = match allowed(&app, &request) {
        Ok(None) => match Arc::clone(&app.requests).try_acquire_owned() {
            Ok(_permit) => next.run(request).await,
            Err(_) => Problem::busy().into_response(),
        },
        Ok(Some(response)) => response,
        Err(problem) => problem.into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Checks who asks. A page elsewhere can send requests here, and even read the answers if its own name leads to this address;
/// the browser tells it by `Host`, `Origin` and `Sec-Fetch-Site`.
fn allowed(app: &App, request: &Request) -> Result<Option<Response>, Problem> {
    let refused = |what: &str| Problem::new(StatusCode::FORBIDDEN, what);
    let text = |name: HeaderName| request.headers().get(name)?.to_str().ok();
    let host = text(header::HOST).ok_or_else(|| refused("the request names no host"))?;
    if app.is_local && !is_loopback(host) {
        return Err(refused("this server answers only to localhost"));
    }
    let origin = request.headers().get(header::ORIGIN);
    if origin.is_some_and(|origin| origin.as_bytes() != format!("http://{host}").as_bytes()) {
        return Err(refused("the request comes from another page"));
    }
    let is_api = request.uri().path().starts_with("/api");
    let site = text(HeaderName::from_static("sec-fetch-site"));
    if is_api && site.is_some_and(|site| !matches!(site, "same-origin" | "none")) {
        return Err(refused("the request comes from another page"));
    }
    let Some(token) = &app.token else {
        return Ok(None);
    };
    if let Some(given) = request
        .uri()
        .query()
        .and_then(|query| query.strip_prefix("token="))
        && !is_api
        && is_same(given, token)
    {
        let cookie = format!("obook={token}; HttpOnly; SameSite=Strict; Path=/");
        let headers = [
            (header::SET_COOKIE, cookie),
            (header::LOCATION, String::from("/")),
        ];
        return Ok(Some((StatusCode::SEE_OTHER, headers).into_response()));
    }
    let bearer = text(header::AUTHORIZATION).and_then(|given| given.strip_prefix("Bearer "));
    let cookies = text(header::COOKIE).unwrap_or_default().split("; ");
    let mut given = cookies
        .filter_map(|cookie| cookie.strip_prefix("obook="))
        .chain(bearer);
    match given.any(|given| is_same(given, token)) {
        true => Ok(None),
        false => Err(Problem::new(
            StatusCode::UNAUTHORIZED,
            "this server needs its token: open the address that `obook serve` printed",
        )),
    }
}

/// Whether a host with or without a port is this machine.
fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|c| c.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'));
    let address = address.unwrap_or(name).parse::<IpAddr>();
    name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// Compares in a time that doesn't depend on the place of the difference.
fn is_same(given: &str, token: &str) -> bool {
    let pairs = given.bytes().zip(token.bytes());
    given.len() == token.len() && pairs.fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

/// The parameters of a request.
pub(crate) struct Asked<T>(T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Asked<T>, Problem> {
        Query::try_from_uri(&parts.uri)
            .map(|Query(asked)| Asked(asked))
            .map_err(|error| Problem::wrong(error.body_text()))
    }
}

impl App {
    fn book(&self, name: &str) -> Result<&Arc<Served>, Problem> {
        let mut books = self.books.iter();
        let found = books.find(|book| book.name == name);
        found.ok_or_else(|| Problem::missing(format!("there is no book {name}")))
    }
}

/// A question about a book.
pub(crate) struct Question {
    app: Shared,
    book: Arc<Served>,
    headers: HeaderMap,
}

impl FromRequestParts<Shared> for Question {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Question, Problem> {
        let names = Path::<Vec<(String, String)>>::from_request_parts(parts, app).await;
        let Path(names) = names.map_err(|error| Problem::wrong(error.body_text()))?;
        let name = names.first().map_or("", |(_, name)| name);
        Ok(Question {
            book: Arc::clone(app.book(name)?),
            app: Arc::clone(app),
            headers: parts.headers.clone(),
        })
    }
}

impl Question {
    /// Answers as JSON, unless the page has the answer already.
    async fn answer<T: Serialize + Send + 'static>(
        &self,
        lane: Lane,
        work: impl FnOnce(&Desk) -> Result<T, Problem> + Send + 'static,
    ) -> Result<Response, Problem> {
        self.tagged(async || Ok(Json(self.book.ask(lane, work).await?).into_response()))
            .await
    }

    /// Adds the tag of the book's version to an answer, or says that nothing has changed.
    async fn tagged(
        &self,
        answer: impl AsyncFnOnce() -> Result<Response, Problem>,
    ) -> Result<Response, Problem> {
        // The version comes first: the answer may be newer, but never older.
        let tag = format!("W/\"{}\"", self.book.version());
        let known = self.headers.get(header::IF_NONE_MATCH);
        let known = known
            .and_then(|tags| tags.to_str().ok())
            .unwrap_or_default();
        let mut response = match known.split(',').any(|known| known.trim() == tag) {
            true => StatusCode::NOT_MODIFIED.into_response(),
            false => answer().await?,
        };
        let headers = response.headers_mut();
        let tag = HeaderValue::from_str(&tag).expect("a version is plain text");
        headers.insert(header::ETAG, tag);
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        Ok(response)
    }
}

type Answered = Result<Response, Problem>;

/// The books that are served
#[utoipa::path(get, path = "/api/books", responses((status = 200, body = Books)))]
pub(crate) async fn books(State(app): State<Shared>) -> Answered {
    let mut books = Vec::new();
    for book in &app.books {
        books.push(book.entry().await?);
    }
    let obook = env!("CARGO_PKG_VERSION").to_owned();
    let answer = (
        [(header::CACHE_CONTROL, "no-cache")],
        Json(Books {
            obook,
            books,
            writable: app.write.is_some(),
        }),
    );
    Ok(answer.into_response())
}

/// The version of a book, to notice that another process has changed it
#[utoipa::path(get, path = "/api/{book}/version", params(("book" = String, Path)),
    responses((status = 200, body = Version), (status = 304, description = "unchanged"), (status = 404, body = Failed)))]
pub(crate) async fn version(question: Question) -> Answered {
    let version = question.book.version();
    question
        .tagged(async || Ok(Json(Version { version }).into_response()))
        .await
}

/// A position with its moves, their games, and the best line
#[utoipa::path(get, path = "/api/{book}/position", params(("book" = String, Path), At),
    responses((status = 200, body = Position), (status = 304, description = "unchanged"), (status = 400, body = Failed)))]
pub(crate) async fn position(question: Question, Asked(asked): Asked<At>) -> Answered {
    let line = answers::line(&asked.at)?;
    question
        .answer(Lane::Short, move |desk| answers::position(desk, line))
        .await
}

/// A move that a rule chooses
#[utoipa::path(get, path = "/api/{book}/choose", params(("book" = String, Path), ChoiceOf),
    responses((status = 200, body = Chosen), (status = 304, description = "unchanged"), (status = 400, body = Failed)))]
pub(crate) async fn choose(question: Question, Asked(asked): Asked<ChoiceOf>) -> Answered {
    question
        .answer(Lane::Short, move |desk| answers::choose(desk, &asked))
        .await
}

/// The games through a position
#[utoipa::path(get, path = "/api/{book}/games", params(("book" = String, Path), GamesOf),
    responses((status = 200, body = Games), (status = 304, description = "unchanged"), (status = 400, body = Failed)))]
pub(crate) async fn games(question: Question, Asked(asked): Asked<GamesOf>) -> Answered {
    question
        .answer(Lane::Long, move |desk| answers::games(desk, &asked))
        .await
}

/// Why a position has its value, as `obook why --json`
#[utoipa::path(get, path = "/api/{book}/why", params(("book" = String, Path), At),
    responses((status = 200, body = Why), (status = 304, description = "unchanged"), (status = 400, body = Failed),
        (status = 404, body = Failed)))]
pub(crate) async fn why(question: Question, Asked(asked): Asked<At>) -> Answered {
    let line = answers::line(&asked.at)?;
    question
        .answer(Lane::Long, move |desk| answers::why(desk, line))
        .await
}

/// The positions from which the book leads to a position
#[utoipa::path(get, path = "/api/{book}/parents", params(("book" = String, Path), At),
    responses((status = 200, body = Parents), (status = 304, description = "unchanged"), (status = 400, body = Failed)))]
pub(crate) async fn parents(question: Question, Asked(asked): Asked<At>) -> Answered {
    let line = answers::line(&asked.at)?;
    question
        .answer(Lane::Long, move |desk| answers::parents_of(desk, &line))
        .await
}

/// The moves to positions of the book, each with the number of positions from which the book leads there
#[utoipa::path(get, path = "/api/{book}/transpositions", params(("book" = String, Path), At),
    responses((status = 200, body = Transpositions), (status = 304, description = "unchanged"), (status = 400, body = Failed)))]
pub(crate) async fn transpositions(question: Question, Asked(asked): Asked<At>) -> Answered {
    let line = answers::line(&asked.at)?;
    question
        .answer(Lane::Long, move |desk| answers::transpositions(desk, &line))
        .await
}

/// A text in any notation as a line
#[utoipa::path(get, path = "/api/{book}/parse", params(("book" = String, Path), Text),
    responses((status = 200, body = Parsed), (status = 400, body = Failed)))]
pub(crate) async fn parse(_: Question, Asked(asked): Asked<Text>) -> Answered {
    Ok(Json(answers::parsed(&asked.text)?).into_response())
}

/// Openings by name, with their values
#[utoipa::path(get, path = "/api/{book}/openings", params(("book" = String, Path), Search),
    responses((status = 200, body = Openings), (status = 304, description = "unchanged")))]
pub(crate) async fn openings(question: Question, Asked(asked): Asked<Search>) -> Answered {
    question
        .answer(Lane::Short, move |desk| {
            answers::openings(desk, &asked.search)
        })
        .await
}

/// An overview of the book
#[utoipa::path(get, path = "/api/{book}/info", params(("book" = String, Path)),
    responses((status = 200, body = Info), (status = 304, description = "unchanged")))]
pub(crate) async fn info(question: Question) -> Answered {
    let file = question.book.path.display().to_string();
    question
        .answer(Lane::Long, move |desk| answers::info(desk, file))
        .await
}

/// Positions by empty squares and by value
#[utoipa::path(get, path = "/api/{book}/stats", params(("book" = String, Path)),
    responses((status = 200, body = Stats), (status = 304, description = "unchanged")))]
pub(crate) async fn stats(question: Question) -> Answered {
    question.answer(Lane::Long, answers::stats).await
}

/// The changes that were made to the book
#[utoipa::path(get, path = "/api/{book}/history", params(("book" = String, Path)),
    responses((status = 200, body = History), (status = 304, description = "unchanged")))]
pub(crate) async fn history(question: Question) -> Answered {
    question.answer(Lane::Long, answers::history).await
}

/// The leaves nearest to best play
#[utoipa::path(get, path = "/api/{book}/frontier", params(("book" = String, Path), Near),
    responses((status = 200, body = NearBest), (status = 304, description = "unchanged"), (status = 400, body = Failed)))]
pub(crate) async fn frontier(question: Question, Asked(asked): Asked<Near>) -> Answered {
    question
        .answer(Lane::Long, move |desk| {
            answers::near_best(desk, Which::Frontier, &asked)
        })
        .await
}

/// The most costly moves near best play
#[utoipa::path(get, path = "/api/{book}/worst", params(("book" = String, Path), Near),
    responses((status = 200, body = NearBest), (status = 304, description = "unchanged"), (status = 400, body = Failed)))]
pub(crate) async fn worst(question: Question, Asked(asked): Asked<Near>) -> Answered {
    question
        .answer(Lane::Long, move |desk| {
            answers::near_best(desk, Which::Worst, &asked)
        })
        .await
}

/// A picture: `empties.svg`, `scores.svg`, `tree.svg` or `growth.svg`
#[utoipa::path(get, path = "/api/{book}/plot/{kind}", params(("book" = String, Path), ("kind" = String, Path), Picture),
    responses((status = 200, body = String, content_type = "image/svg+xml"), (status = 304, description = "unchanged"),
        (status = 404, body = Failed)))]
pub(crate) async fn plot(
    question: Question,
    Path(names): Path<(String, String)>,
    Asked(asked): Asked<Picture>,
) -> Answered {
    let draw = async || {
        let (_, kind) = names;
        let draw = move |desk: &Desk| answers::plot(desk, &kind, &asked);
        let picture = question.book.ask(Lane::Long, draw).await?;
        let headers = [
            (header::CONTENT_TYPE, "image/svg+xml"),
            (header::CONTENT_SECURITY_POLICY, PICTURE_POLICY),
        ];
        Ok((headers, picture).into_response())
    };
    question.tagged(draw).await
}

/// The rows of a SQL query, as lines of JSON: `{"columns": […]}`, a list for each row, and at the end `{"rows", "ms",
/// "truncated"}` or an error. Bytes are hexadecimal digits
#[utoipa::path(post, path = "/api/{book}/sql", params(("book" = String, Path)), request_body = Sql,
    responses((status = 200, body = String, content_type = "application/x-ndjson"), (status = 400, body = Failed),
        (status = 503, body = Failed)))]
pub(crate) async fn sql(question: Question, request: Request<Body>) -> Answered {
    let asked: Sql = body(request).await?;
    let streams = Arc::clone(&question.app.streams);
    let permit = streams.try_acquire_owned().map_err(|_| Problem::busy())?;
    stream::answer(permit, |lines| asking::start(&question.book, asked, lines)).await
}

/// The tables, columns and functions of SQL
#[utoipa::path(get, path = "/api/{book}/sql/schema", params(("book" = String, Path)),
    responses((status = 200, body = Schema), (status = 304, description = "unchanged")))]
pub(crate) async fn schema(question: Question) -> Answered {
    question.answer(Lane::Long, asking::schema).await
}

/// The best moves by obook's own engine, as lines of JSON: one for each level. To stop the search, close the connection
#[utoipa::path(get, path = "/api/{book}/hint", params(("book" = String, Path), HintOf),
    responses((status = 200, body = Hint, content_type = "application/x-ndjson"), (status = 400, body = Failed),
        (status = 503, body = Failed)))]
pub(crate) async fn hint(question: Question, Asked(asked): Asked<HintOf>) -> Answered {
    let line = answers::line(&asked.at)?;
    let level = asked.level.unwrap_or(searching::USUAL);
    if !(1..=searching::HIGHEST).contains(&level) {
        let problem = format!("expected a level from 1 to {}", searching::HIGHEST);
        return Err(Problem::wrong(problem));
    }
    let searches = Arc::clone(&question.app.searches);
    let permit = searches.try_acquire_owned().map_err(|_| Problem::busy())?;
    stream::answer(permit, |lines| searching::start(&line, level, lines)).await
}

/// The JSON of a request.
async fn body<T: DeserializeOwned>(request: Request<Body>) -> Result<T, Problem> {
    let bytes = axum::body::to_bytes(request.into_body(), BODY).await;
    let bytes = bytes.map_err(|_| {
        let problem = format!("the request is longer than {BODY} bytes");
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, problem)
    })?;
    serde_json::from_slice(&bytes).map_err(Problem::wrong)
}

impl Question {
    /// Changes the book on a thread of its own, after the changes before.
    async fn change<A: DeserializeOwned + Send + 'static, T: Serialize + Send + 'static>(
        &self,
        request: Request<Body>,
        change: fn(&std::path::Path, &A) -> Result<T, Problem>,
    ) -> Answered {
        let Some(turn) = &self.app.write else {
            return Err(Problem::new(
                StatusCode::FORBIDDEN,
                "this server only reads",
            ));
        };
        let asked = body(request).await?;
        let _turn = turn.acquire().await.map_err(|_| Problem::busy())?;
        let path = self.book.path.clone();
        let changed = tokio::task::spawn_blocking(move || change(&path, &asked)).await;
        let changed = changed.unwrap_or_else(|_| Err(Problem::busy()))?;
        self.book.has_changed();
        Ok(([(header::CACHE_CONTROL, "no-store")], Json(changed)).into_response())
    }
}

/// Enters or removes a person's value, as `obook edit`
#[utoipa::path(post, path = "/api/{book}/value", params(("book" = String, Path)), request_body = EnterValue,
    responses((status = 200, body = Entered), (status = 400, body = Failed), (status = 403, body = Failed),
        (status = 409, body = Failed)))]
pub(crate) async fn value(question: Question, request: Request<Body>) -> Answered {
    question.change(request, write::value).await
}

/// Queues searches of the positions of a line that the book lacks, for the next run of `obook learn`
#[utoipa::path(post, path = "/api/{book}/line", params(("book" = String, Path)), request_body = Wanted,
    responses((status = 200, body = Queued), (status = 400, body = Failed), (status = 403, body = Failed),
        (status = 409, body = Failed)))]
pub(crate) async fn add_line(question: Question, request: Request<Body>) -> Answered {
    question.change(request, write::add_line).await
}

/// Queues a search of a position's moves out of the book, for the next run of `obook learn`
#[utoipa::path(post, path = "/api/{book}/search", params(("book" = String, Path)), request_body = Wanted,
    responses((status = 200, body = Queued), (status = 400, body = Failed), (status = 403, body = Failed),
        (status = 409, body = Failed)))]
pub(crate) async fn search(question: Question, request: Request<Body>) -> Answered {
    question.change(request, write::search).await
}

/// Undoes the last change, as `obook undo`
#[utoipa::path(post, path = "/api/{book}/undo", params(("book" = String, Path)), request_body = Undo,
    responses((status = 200, body = Undone), (status = 400, body = Failed), (status = 403, body = Failed),
        (status = 409, body = Failed)))]
pub(crate) async fn undo(question: Question, request: Request<Body>) -> Answered {
    question.change(request, write::undo).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    #[test]
    fn only_names_of_this_machine_are_loopback() {
        for host in [
            "localhost",
            "LOCALHOST:8008",
            "127.0.0.1:1",
            "127.0.0.2",
            "[::1]:8008",
            "[::1]",
        ] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "",
            "example.com",
            "localhost.example.com:8008",
            "127.0.0.1.nip.io",
            "192.168.0.1",
            "[::2]:1",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    /// A client that sends a head bit by bit, or none, must not hold a connection for ever.
    #[test]
    fn slow_heads_end_their_connection() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        listener.set_nonblocking(true).unwrap();
        let (done, end) = tokio::sync::oneshot::channel::<()>();
        let client = std::thread::spawn(move || {
            for sent in ["", "GET / HTTP/1.1\r\nHost: localh"] {
                let mut stream = std::net::TcpStream::connect(address).unwrap();
                stream.write_all(sent.as_bytes()).unwrap();
                let mut answer = Vec::new();
                stream.read_to_end(&mut answer).unwrap();
            }
            done.send(()).unwrap();
        });
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            serve(listener, Router::new(), end, Duration::from_millis(100)).await;
        });
        client.join().unwrap();
    }

    #[test]
    fn tokens_differ() {
        let (one, other) = (token(), token());
        assert_eq!(one.len(), 32);
        assert!(is_same(&one, &one) && !is_same(&one, &other) && !is_same(&one[1..], &one));
    }
}
