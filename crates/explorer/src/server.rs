//! The server: routes, and what keeps other pages and other people out.

use crate::answers;
use crate::api::{
    Books, DeparturesOf, Files, HintOf, Opened, Picture, ReviewOf, Sql, Text, Version,
};
// The descriptions of answers name them.
#[cfg(test)]
use crate::api::{Failed, Hint, Info, Parsed, Review};
use crate::books::{Desk, Lane, Served, name};
use crate::connections::{Connections, Patience};
use crate::problem::Problem;
use crate::{
    assets, hint as searching, opened, repertoire, review as reviewing, sql as asking, stream,
    write,
};
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, FromRequestParts, Path, Query, Request, State};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use axum::{Json, Router};
use obook::read::played::Played;
use obook::{Context, Store};
use obook_engine::Stop;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower_http::compression::{CompressionLayer, predicate::NotForContentType};

/// The port if it is free and no other is asked for.
const PORT: u16 = 8008;
/// The most requests at a time; beyond that the server is busy.
const REQUESTS: usize = 64;
/// The most streamed answers at a time.
const STREAMS: usize = 16;
/// The most searches at a time.
const SEARCHES: usize = 2;
/// The most searches that wait for their turn.
const SEARCHES_WAITING: usize = 16;
/// The longest that a search waits for its turn.
const TURN: Duration = Duration::from_secs(60);
/// The most bytes of a request's body.
const BODY: usize = 64 << 10;
/// The address that takes files.
const OPEN: &str = "/api/open";
/// The most books that browsers have sent; then the oldest goes.
const SENT: usize = 4;
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
    books: RwLock<Vec<Arc<Served>>>,
    context: Context,
    /// Files are read one after another.
    opening: Semaphore,
    /// The secret that each request must know; `None`: anybody on this machine can ask, and nobody else.
    token: Option<String>,
    /// Whether only this machine can ask.
    is_local: bool,
    /// Whether the books can be changed, one change at a time.
    write: Option<Semaphore>,
    connections: Connections,
    requests: Semaphore,
    streams: Arc<Semaphore>,
    searches: Arc<Semaphore>,
    searches_waiting: Semaphore,
}

type Shared = Arc<App>;

impl Server {
    /// Opens the books and starts to listen. Files of other formats are imported into temporary databases first.
    ///
    /// ```
    /// use obook::Context;
    /// use obook_explorer::{Options, Server};
    /// # let book = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pruned.dat");
    /// let options = Options { port: Some(0), ..Options::default() };
    /// let server = Server::open(&[book.into()], &options, &Context::default())?;
    /// assert!(server.url()?.starts_with("http://127.0.0.1:"));
    /// # Ok::<(), obook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if a book can't be read or the port is taken.
    pub fn open(paths: &[PathBuf], options: &Options, context: &Context) -> obook::Result<Server> {
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
        let listener =
            listener.map_err(obook::Error::io(wanted.as_ref(), "listen at this address"))?;
        let mut books: Vec<Arc<Served>> = Vec::new();
        for path in paths {
            if options.write {
                write::is_possible(path, context)?;
            }
            let name = name(path, |name| is_among(&books, name));
            books.push(Arc::new(Served::open(name, path, context)?));
        }
        let state = App::new(books, options, Patience::default(), context.clone());
        let state = Arc::new(state);
        Ok(Server { listener, state })
    }

    /// The address for the browser, with the token if one is needed.
    ///
    /// # Errors
    /// Returns an error if the system doesn't know the address.
    pub fn url(&self) -> obook::Result<String> {
        let address = self.listener.local_addr();
        let address = address.map_err(obook::Error::io("socket".as_ref(), "name"))?;
        Ok(match &self.state.token {
            Some(token) => format!("http://{address}/?token={token}"),
            None => format!("http://{address}/"),
        })
    }

    /// Serves the books until `stop` is set.
    ///
    /// # Errors
    /// Returns an error if the system refuses to serve.
    pub fn run(self, stop: &Stop) -> obook::Result<()> {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().build();
        let stopped = async || {
            while !stop.is_set() {
                tokio::time::sleep(GLANCE).await;
            }
        };
        let served = runtime.and_then(|runtime| {
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(self.listener)?;
                let connections = self.state.connections.clone();
                let router = router(self.state);
                connections.serve(listener, router, stopped()).await;
                Ok(())
            })
        });
        served.map_err(obook::Error::io("socket".as_ref(), "serve"))
    }
}

fn is_among(books: &[Arc<Served>], name: &str) -> bool {
    books.iter().any(|book| book.name == name)
}

/// A secret of 128 bits.
fn token() -> String {
    let mut bits = [0; 16];
    getrandom::fill(&mut bits).expect("the system has random numbers");
    obook_base::hex(&bits)
}

fn router(state: Shared) -> Router {
    let api = Router::new()
        .route("/books", get(books))
        .route("/open", post(open))
        .route("/{book}/version", get(version))
        .route("/{book}/position", ask(Lane::Short, answers::position))
        .route("/{book}/choose", ask(Lane::Short, answers::choose))
        .route("/{book}/games", ask(Lane::Long, answers::games))
        .route("/{book}/game", ask(Lane::Short, answers::game))
        .route("/{book}/players", ask(Lane::Long, answers::players))
        .route("/{book}/departures", get(departures))
        .route("/{book}/why", ask(Lane::Long, answers::why))
        .route("/{book}/parents", ask(Lane::Long, answers::parents))
        .route(
            "/{book}/transpositions",
            ask(Lane::Long, answers::transpositions),
        )
        .route("/{book}/parse", get(parse))
        .route("/{book}/openings", ask(Lane::Short, answers::openings))
        .route("/{book}/info", get(info))
        .route("/{book}/stats", ask(Lane::Long, answers::stats))
        .route("/{book}/history", ask(Lane::Long, answers::history))
        .route("/{book}/frontier", ask(Lane::Long, answers::frontier))
        .route("/{book}/worst", ask(Lane::Long, answers::worst))
        .route("/{book}/plot/{kind}", get(plot))
        .route("/{book}/sql", post(sql))
        .route("/{book}/sql/schema", ask(Lane::Long, asking::schema))
        .route("/{book}/hint", get(hint))
        .route("/{book}/review", get(review))
        .route(
            "/{book}/repertoire",
            ask(Lane::Short, repertoire::repertoire).merge(change(repertoire::keep)),
        )
        .route("/{book}/value", change(write::value))
        .route("/{book}/line", change(write::add_line))
        .route("/{book}/search", change(write::search))
        .route("/{book}/undo", change(write::undo));
    assets::routes()
        .nest("/api", api)
        .fallback(async || Problem::missing("there is nothing at this address"))
        .method_not_allowed_fallback(async || {
            let problem = "this address has another method";
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, problem)
        })
        // A compressed stream would come late.
        .layer(CompressionLayer::new().compress_when(NotForContentType::const_new(stream::KIND)))
        // Bodies have come as a whole, within their own limits.
        .layer(DefaultBodyLimit::disable())
        .layer(middleware::from_fn_with_state(Arc::clone(&state), admit))
        .with_state(state)
}

/// The policy of the page: its own files, and nothing written into it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// The policy of a picture, which has its own styles.
const PICTURE_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

const HEADERS: [(&str, &str); 5] = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// Lets requests in that come from the server's own page or from programs, and adds the headers of all answers.
async fn admit(State(app): State<Shared>, request: Request, next: Next) -> Response {
    let accepted = request.headers().get(header::ACCEPT);
    let is_visit = accepted.is_some_and(|kinds| kinds.as_bytes().starts_with(b"text/html"));
    let admitted = answered(&app, request, next).await;
    let mut response = admitted.unwrap_or_else(IntoResponse::into_response);
    // A browser that came here by an address asks for a page; scripts and programs don't.
    if is_visit && let Some(problem) = response.extensions().get::<Problem>() {
        let allow = response.headers().get(header::ALLOW).cloned();
        response = problem.to_page();
        let allow = allow.map(|methods| (header::ALLOW, methods));
        response.headers_mut().extend(allow);
    }
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        let entry = headers.entry(name);
        entry.or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Answers a request, if it is allowed and comes as a whole.
async fn answered(app: &App, request: Request, next: Next) -> Answered {
    if let Some(response) = allowed(app, &request)? {
        return Ok(response);
    }
    // A body has no place among the requests until it has come. Long ones come one after another.
    let is_long = request.method() == Method::POST && request.uri().path() == OPEN;
    let _turn = match is_long {
        true => Some(app.opening.try_acquire().map_err(|_| Problem::busy())?),
        false => None,
    };
    let limit = if is_long { opened::LONGEST } else { BODY };
    let request = whole(request, limit, app.connections.patience()).await?;
    let _permit = app.requests.try_acquire().map_err(|_| Problem::busy())?;
    Ok(next.run(request).await)
}

/// Waits for the body of a request.
async fn whole(request: Request, limit: usize, patience: Duration) -> Result<Request, Problem> {
    let (head, body) = request.into_parts();
    let read = tokio::time::timeout(patience, axum::body::to_bytes(body, limit)).await;
    let read = read.map_err(|_| {
        let problem = format!("the request's body took longer than {patience:?}");
        Problem::new(StatusCode::REQUEST_TIMEOUT, problem)
    })?;
    let bytes = read.map_err(|_| {
        let problem = format!("the request is longer than {limit} bytes");
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, problem)
    })?;
    Ok(Request::from_parts(head, bytes.into()))
}

/// The text of a header. Of two lines, programs on the way could each believe another one.
fn only(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, Problem> {
    let mut lines = headers.get_all(&name).iter();
    let line = lines.next();
    if lines.next().is_some() {
        return Err(Problem::wrong(format!("the request has two lines {name}")));
    }
    let text = line.map(HeaderValue::to_str).transpose();
    text.map_err(|_| Problem::wrong(format!("the request's {name} is no plain text")))
}

/// Checks who asks. A page elsewhere can send requests here, and even read the answers if its own name leads to this address;
/// the browser tells it by `Host`, `Origin` and `Sec-Fetch-Site`.
fn allowed(app: &App, request: &Request) -> Result<Option<Response>, Problem> {
    let refused = |what: &str| Problem::new(StatusCode::FORBIDDEN, what);
    let headers = request.headers();
    let host =
        only(headers, header::HOST)?.ok_or_else(|| Problem::wrong("the request names no host"))?;
    let target = request.uri().authority();
    if target.is_some_and(|target| !target.as_str().eq_ignore_ascii_case(host)) {
        return Err(Problem::wrong("the request names two hosts"));
    }
    if app.is_local && !is_loopback(host) {
        return Err(refused("this server answers only to localhost"));
    }
    let origin = only(headers, header::ORIGIN)?;
    if origin.is_some_and(|origin| origin != format!("http://{host}")) {
        return Err(refused("the request comes from another page"));
    }
    let is_api = request.uri().path().starts_with("/api");
    let site = only(headers, HeaderName::from_static("sec-fetch-site"))?;
    if is_api && site.is_some_and(|site| !matches!(site, "same-origin" | "none")) {
        return Err(refused("the request comes from another page"));
    }
    let Some(token) = &app.token else {
        return Ok(None);
    };
    // Browsers send the cookies of one port to all ports of a host.
    let prefix = format!("obook-{}=", port_of(host).unwrap_or("80"));
    let query = request.uri().query().unwrap_or_default();
    if let Some(given) = query.strip_prefix("token=")
        && !is_api
        && is_same(given, token)
    {
        let cookie = format!("{prefix}{token}; HttpOnly; SameSite=Lax; Path=/");
        let headers = [
            (header::SET_COOKIE, cookie),
            (header::LOCATION, String::from("/")),
        ];
        return Ok(Some((StatusCode::SEE_OTHER, headers).into_response()));
    }
    let bearer = only(headers, header::AUTHORIZATION)?;
    let bearer = bearer.and_then(|given| given.strip_prefix("Bearer "));
    let cookies = only(headers, header::COOKIE)?.unwrap_or_default();
    let cookies = cookies.split("; ");
    let own = cookies.filter_map(|cookie| cookie.strip_prefix(&prefix));
    match own.chain(bearer).any(|given| is_same(given, token)) {
        true => Ok(None),
        false => Err(Problem::new(
            StatusCode::UNAUTHORIZED,
            "this server needs its token: open the address that it printed when it began",
        )),
    }
}

/// The port that a host names.
fn port_of(host: &str) -> Option<&str> {
    let (_, port) = host.rsplit_once(':')?;
    port.bytes().all(|c| c.is_ascii_digit()).then_some(port)
}

/// Whether a host with or without a port is this machine.
fn is_loopback(host: &str) -> bool {
    let name = port_of(host).map_or(host, |port| &host[..host.len() - port.len() - 1]);
    let address = name.strip_prefix('[');
    let address = address.and_then(|name| name.strip_suffix(']'));
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

impl<T: DeserializeOwned> Asked<T> {
    fn of(uri: &Uri) -> Result<Asked<T>, Problem> {
        Query::try_from_uri(uri)
            .map(|Query(asked)| Asked(asked))
            .map_err(|error| Problem::wrong(in_words(&error.body_text())))
    }
}

/// Says in plain words which parameter is wrong, and why. The library names it, but gives Rust's reasons.
fn in_words(problem: &str) -> String {
    let said = problem.strip_prefix("Failed to deserialize query string: ");
    let problem = said.unwrap_or(problem);
    let (name, why) = problem.split_once(": ").unwrap_or_default();
    match why {
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            format!("{name}: expected a whole number from 0")
        }
        "number too large to fit in target type" => format!("{name}: the number is too large"),
        _ => problem.to_owned(),
    }
}

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Asked<T>, Problem> {
        Asked::of(&parts.uri)
    }
}

impl App {
    fn new(
        books: Vec<Arc<Served>>,
        options: &Options,
        patience: Patience,
        context: Context,
    ) -> App {
        App {
            books: RwLock::new(books),
            context,
            opening: Semaphore::new(1),
            token: (options.write || !options.address.is_loopback()).then(token),
            is_local: options.address.is_loopback(),
            write: options.write.then(|| Semaphore::new(1)),
            connections: Connections::new(patience),
            requests: Semaphore::new(REQUESTS),
            streams: Arc::new(Semaphore::new(STREAMS)),
            searches: Arc::new(Semaphore::new(SEARCHES)),
            searches_waiting: Semaphore::new(SEARCHES_WAITING),
        }
    }

    fn books(&self) -> Vec<Arc<Served>> {
        let books = self.books.read().unwrap_or_else(PoisonError::into_inner);
        books.clone()
    }

    fn book(&self, name: &str) -> Result<Arc<Served>, Problem> {
        let found = self.books().into_iter().find(|book| book.name == name);
        found.ok_or_else(|| Problem::missing(format!("there is no book {name}")))
    }

    /// Serves a book that a browser sent, under a name of its own.
    fn add(&self, file: PathBuf, bytes: u64, store: Store) -> obook::Result<Arc<Served>> {
        let mut books = self.books.write().unwrap_or_else(PoisonError::into_inner);
        let name = name(&file, |name| is_among(&books, name));
        let book = Arc::new(Served::of(name, &file, Some(bytes), store)?);
        if books.iter().filter(|book| book.sent.is_some()).count() >= SENT
            && let Some(oldest) = books.iter().position(|book| book.sent.is_some())
        {
            books.remove(oldest);
        }
        books.push(Arc::clone(&book));
        Ok(book)
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
            book: app.book(name)?,
            app: Arc::clone(app),
            headers: parts.headers.clone(),
        })
    }
}

impl Question {
    /// Lets a thread of this lane answer, unless the page has the answer already.
    async fn answer(&self, lane: Lane, work: Work) -> Answered {
        self.tagged(async || self.book.ask(lane, work).await).await
    }

    /// Adds the tag of the book's version to an answer, or says that nothing has changed.
    async fn tagged(&self, answer: impl AsyncFnOnce() -> Answered) -> Answered {
        // The version comes first: the answer may be newer, but never older.
        let tag = format!("W/\"{}\"", self.book.version());
        let known = self.headers.get(header::IF_NONE_MATCH);
        let known = known.and_then(|tags| tags.to_str().ok());
        let known = known.unwrap_or_default();
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

    /// Up to which level to search, and the permit for it, when its turn has come.
    async fn turn(
        &self,
        level: Option<u8>,
        usual: u8,
    ) -> Result<(u8, OwnedSemaphorePermit), Problem> {
        let level = level.unwrap_or(usual);
        if !(1..=searching::HIGHEST).contains(&level) {
            let problem = format!("expected a level from 1 to {}", searching::HIGHEST);
            return Err(Problem::wrong(problem));
        }
        let searches = Arc::clone(&self.app.searches);
        let waits = self.app.searches_waiting.try_acquire();
        let _waits = waits.map_err(|_| Problem::busy())?;
        let permit = tokio::time::timeout(TURN, searches.acquire_owned()).await;
        let permit = permit.map_err(|_| Problem::busy())?;
        Ok((level, permit.map_err(|_| Problem::busy())?))
    }

    /// Changes the book on a thread of its own, after the changes before.
    async fn change(&self, task: impl FnOnce() -> Result<Task, Problem>) -> Answered {
        let Some(turn) = &self.app.write else {
            let problem = "this server only reads";
            return Err(Problem::new(StatusCode::FORBIDDEN, problem));
        };
        if self.book.sent.is_some() {
            let problem = "this book came from a browser and can't be changed";
            return Err(Problem::new(StatusCode::FORBIDDEN, problem));
        }
        let task = task()?;
        let _turn = turn.acquire().await.map_err(|_| Problem::busy())?;
        let path = self.book.path.clone();
        let changed = tokio::task::spawn_blocking(move || task(&path)).await;
        let changed = changed.unwrap_or_else(|_| Err(Problem::failed()))?;
        self.book.look();
        Ok(([(header::CACHE_CONTROL, "no-store")], changed).into_response())
    }
}

type Answered = Result<Response, Problem>;
/// Answers a question about a book, on one of its threads.
type Work = Box<dyn FnOnce(&Desk) -> Answered + Send>;
/// Changes the file of a book, on a thread of its own.
type Task = Box<dyn FnOnce(&std::path::Path) -> Answered + Send>;
/// Turns a part of a request into work for a thread. A handler takes ten kilobytes of code; behind one type, it is compiled only once.
type Reads<Part, W> = Arc<dyn Fn(&Part) -> Result<W, Problem> + Send + Sync>;

/// An answer in JSON.
fn work<T: Serialize>(answer: impl FnOnce(&Desk) -> Result<T, Problem> + Send + 'static) -> Work {
    Box::new(move |desk| Ok(Json(answer(desk)?).into_response()))
}

/// Lets a thread of this lane answer a question about a book.
fn ask<A: DeserializeOwned + Send + 'static, T: Serialize + 'static>(
    lane: Lane,
    answer: fn(&Desk, &A) -> Result<T, Problem>,
) -> MethodRouter<Shared> {
    let read = move |uri: &Uri| {
        let Asked(asked) = Asked::of(uri)?;
        Ok(work(move |desk| answer(desk, &asked)))
    };
    let read: Reads<Uri, Work> = Arc::new(read);
    get(async move |question: Question, uri: Uri| question.answer(lane, read(&uri)?).await)
}

/// Lets a thread of its own change a book.
fn change<A: DeserializeOwned + Send + 'static, T: Serialize + 'static>(
    change: fn(&std::path::Path, &A) -> Result<T, Problem>,
) -> MethodRouter<Shared> {
    let read = move |body: &Bytes| -> Result<Task, Problem> {
        let asked = json(body)?;
        Ok(Box::new(move |path| {
            Ok(Json(change(path, &asked)?).into_response())
        }))
    };
    let read: Reads<Bytes, Task> = Arc::new(read);
    post(async move |question: Question, body: Bytes| question.change(|| read(&body)).await)
}

/// The books that are served
#[cfg_attr(test, utoipa::path(get, path = "/api/books", responses((status = 200, body = Books))))]
pub(crate) async fn books(State(app): State<Shared>) -> Answered {
    let mut books = Vec::new();
    for book in app.books() {
        match book.entry().await {
            // A book that is gone hides no other.
            Err(problem) if !problem.is_busy() => {}
            entry => books.push(entry?),
        }
    }
    let found = Books {
        obook: env!("CARGO_PKG_VERSION").to_owned(),
        books,
        writable: app.write.is_some(),
    };
    Ok(([(header::CACHE_CONTROL, "no-cache")], Json(found)).into_response())
}

/// Serves a book, or games with their lists of names, until the server ends or more are sent. The body holds the files one after another
#[cfg_attr(test, utoipa::path(post, path = "/api/open", params(Files), request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 200, body = Opened), (status = 400, body = Failed), (status = 503, body = Failed))))]
pub(crate) async fn open(
    State(app): State<Shared>,
    Asked(asked): Asked<Files>,
    body: Bytes,
) -> Answered {
    let bytes = body.len() as u64;
    let context = app.context.clone();
    let read = tokio::task::spawn_blocking(move || opened::read(&asked, &body, &context)).await;
    let read = read.unwrap_or_else(|_| Err(Problem::failed()))?;
    let book = app.add(read.file, bytes, read.store)?;
    let opened = Opened {
        book: book.entry().await?,
        faulty: read.faulty,
    };
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(opened)).into_response())
}

/// The version of a book, to notice that another process has changed it
#[cfg_attr(test, utoipa::path(get, path = "/api/{book}/version", params(("book" = String, Path)),
    responses((status = 200, body = Version), (status = 304, description = "unchanged"), (status = 404, body = Failed))))]
pub(crate) async fn version(question: Question) -> Answered {
    let version = question.book.version();
    question
        .tagged(async || Ok(Json(Version { version }).into_response()))
        .await
}

/// The games may be those of another book.
async fn departures(question: Question, Asked(asked): Asked<DeparturesOf>) -> Answered {
    let games = match &asked.games {
        Some(name) => question.app.book(name)?,
        None => Arc::clone(&question.book),
    };
    let work = move |desk: &Desk| answers::departures(desk, &desk.reader_of(&games)?, &asked);
    let found = question.book.ask(Lane::Long, work).await?;
    Ok(([(header::CACHE_CONTROL, "no-cache")], Json(found)).into_response())
}

/// A text in any notation as a line
#[cfg_attr(test, utoipa::path(get, path = "/api/{book}/parse", params(("book" = String, Path), Text),
    responses((status = 200, body = Parsed), (status = 400, body = Failed))))]
pub(crate) async fn parse(_: Question, Asked(asked): Asked<Text>) -> Answered {
    Ok(Json(answers::parsed(&asked.text)?).into_response())
}

/// An overview of the book
#[cfg_attr(test, utoipa::path(get, path = "/api/{book}/info", params(("book" = String, Path)),
    responses((status = 200, body = Info), (status = 304, description = "unchanged"))))]
pub(crate) async fn info(question: Question) -> Answered {
    let path = question.book.path.clone();
    let work = work(move |desk| answers::info(desk, desk.store().context().name_of(&path)));
    question.answer(Lane::Long, work).await
}

/// A picture: `empties.svg`, `scores.svg`, `tree.svg` or `growth.svg`
#[cfg_attr(test, utoipa::path(get, path = "/api/{book}/plot/{kind}", params(("book" = String, Path), ("kind" = String, Path), Picture),
    responses((status = 200, body = String, content_type = "image/svg+xml"), (status = 304, description = "unchanged"),
        (status = 404, body = Failed))))]
pub(crate) async fn plot(
    question: Question,
    Path(names): Path<(String, String)>,
    Asked(asked): Asked<Picture>,
) -> Answered {
    let draw = move |desk: &Desk| {
        let (_, kind) = names;
        let headers = [
            (header::CONTENT_TYPE, "image/svg+xml"),
            (header::CONTENT_SECURITY_POLICY, PICTURE_POLICY),
        ];
        Ok((headers, answers::plot(desk, &kind, &asked)?).into_response())
    };
    question.answer(Lane::Long, Box::new(draw)).await
}

/// The rows of a SQL query, as lines of JSON: `{"columns": […]}`, a list for each row, and at the end `{"rows", "ms",
/// "truncated"}` or an error. Bytes are hexadecimal digits
#[cfg_attr(test, utoipa::path(post, path = "/api/{book}/sql", params(("book" = String, Path)), request_body = Sql,
    responses((status = 200, body = String, content_type = "application/x-ndjson"), (status = 400, body = Failed),
        (status = 503, body = Failed))))]
pub(crate) async fn sql(question: Question, body: Bytes) -> Answered {
    let asked: Sql = json(&body)?;
    let streams = Arc::clone(&question.app.streams);
    let permit = streams.try_acquire_owned().map_err(|_| Problem::busy())?;
    stream::answer(permit, |lines| asking::start(&question.book, asked, lines)).await
}

/// The best moves by obook's own engine, as lines of JSON: one for each level. To stop the search, close the connection
#[cfg_attr(test, utoipa::path(get, path = "/api/{book}/hint", params(("book" = String, Path), HintOf),
    responses((status = 200, body = Hint, content_type = "application/x-ndjson"), (status = 400, body = Failed),
        (status = 503, body = Failed))))]
pub(crate) async fn hint(question: Question, Asked(asked): Asked<HintOf>) -> Answered {
    let line = answers::line(&asked.at)?;
    let (level, permit) = question.turn(asked.level, searching::USUAL).await?;
    stream::answer(permit, |lines| searching::start(&line, level, lines)).await
}

/// What the moves of a line gave up, by the book and beyond it by obook's own engine, as lines of JSON: one for each level. To stop the
/// search, close the connection
#[cfg_attr(test, utoipa::path(get, path = "/api/{book}/review", params(("book" = String, Path), ReviewOf),
    responses((status = 200, body = Review, content_type = "application/x-ndjson"), (status = 400, body = Failed),
        (status = 503, body = Failed))))]
pub(crate) async fn review(question: Question, Asked(asked): Asked<ReviewOf>) -> Answered {
    let line = answers::line(&asked.at)?;
    let game = reviewing::game_of(line.clone(), asked.record.as_deref())?;
    let (level, permit) = question.turn(asked.level, reviewing::USUAL).await?;
    let look_up = |desk: &Desk| Ok(Played::new(Some(desk.store()), line)?);
    let played = question.book.ask(Lane::Short, look_up).await?;
    let start = |lines| Ok(reviewing::start(played, game, level, lines));
    stream::answer(permit, start).await
}

/// The JSON of a request.
fn json<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(body).map_err(Problem::wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::time::Instant;

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

    /// Lets clients ask a server with a book, which waits for them only as long as it is told.
    fn ask_with(patience: Patience, clients: impl FnOnce(SocketAddr) + Send + 'static) {
        let (_folder, path) = obook_testing::imported::imported("games.dat");
        let book = Served::open(String::from("book"), &path, &Context::default()).unwrap();
        let books = vec![Arc::new(book)];
        let app = App::new(books, &Options::default(), patience, Context::default());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        listener.set_nonblocking(true).unwrap();
        let (done, end) = tokio::sync::oneshot::channel::<()>();
        let client = std::thread::spawn(move || {
            clients(address);
            drop(done);
        });
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            let connections = app.connections.clone();
            connections
                .serve(listener, router(Arc::new(app)), end)
                .await;
        });
        client.join().unwrap();
    }

    const NEVER: Duration = Duration::from_secs(3600);
    const SOON: Duration = Duration::from_millis(100);
    const HALF_A_HEAD: &str = "GET / HTTP/1.1\r\nHost: localh";
    const HALF_A_BODY: &str =
        "POST /api/book/sql HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n{";

    fn sent(address: SocketAddr, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    }

    /// The status of an answer.
    fn status(mut stream: TcpStream) -> u16 {
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        let mut head = [0; 12];
        stream
            .read_exact(&mut head)
            .expect("an answer within a minute");
        std::str::from_utf8(&head[9..]).unwrap().parse().unwrap()
    }

    fn books(address: SocketAddr) -> u16 {
        status(sent(
            address,
            "GET /api/books HTTP/1.1\r\nHost: localhost\r\n\r\n",
        ))
    }

    fn query(address: SocketAddr, sql: &str) -> TcpStream {
        let body = serde_json::json!({ "sql": sql }).to_string();
        let head = "POST /api/book/sql HTTP/1.1\r\nHost: localhost\r\nContent-Length";
        sent(address, &format!("{head}: {}\r\n\r\n{body}", body.len()))
    }

    /// Law (The server): The server soon drops a client that stops sending or reading, and tells it if rows are missing.
    /// Also: `bodies_that_never_come_hold_no_place` `many_silent_clients_are_not_waited_for`
    /// `answers_that_nobody_reads_end` `crates/explorer/src/stream.rs` `unread_lines_end_at_the_deadline`
    /// `unread_lines_make_way_for_others` `lines_that_are_read_slowly_make_way_for_others`
    #[test]
    fn clients_that_send_too_slowly_are_sent_away() {
        let patience = Patience {
            usual: SOON,
            crowded: NEVER,
        };
        ask_with(patience, |address| {
            for text in ["", HALF_A_HEAD] {
                let mut answer = Vec::new();
                sent(address, text).read_to_end(&mut answer).unwrap();
            }
            assert_eq!(status(sent(address, HALF_A_BODY)), 408);
        });
    }

    #[test]
    fn bodies_that_never_come_hold_no_place() {
        let patience = Patience {
            usual: NEVER,
            crowded: NEVER,
        };
        ask_with(patience, |address| {
            let _silent: Vec<_> = (0..2 * REQUESTS - 10)
                .map(|_| sent(address, HALF_A_BODY))
                .collect();
            assert_eq!(books(address), 200);
        });
    }

    #[test]
    fn many_silent_clients_are_not_waited_for() {
        let patience = Patience {
            usual: NEVER,
            crowded: SOON,
        };
        for text in ["", HALF_A_HEAD, HALF_A_BODY] {
            ask_with(patience, move |address| {
                let _silent: Vec<_> = (0..300).map(|_| sent(address, text)).collect();
                assert_eq!(books(address), 200);
            });
        }
    }

    /// They hold no place, though their clients stay, and no thread longer than two seconds each while others wait.
    #[test]
    fn answers_that_nobody_reads_end() {
        let patience = Patience {
            usual: NEVER,
            crowded: NEVER,
        };
        ask_with(patience, |address| {
            let large = "SELECT hex(randomblob(1000000)) FROM positions";
            let _unread: Vec<_> = (0..STREAMS).map(|_| query(address, large)).collect();
            let end = Instant::now() + Duration::from_secs(300);
            while status(query(address, "SELECT 1")) != 200 {
                assert!(
                    Instant::now() < end,
                    "the answers that nobody reads hold all places"
                );
                std::thread::sleep(SOON);
            }
        });
    }

    #[test]
    fn tokens_differ() {
        let (one, other) = (token(), token());
        assert_eq!(one.len(), 32);
        assert!(is_same(&one, &one) && !is_same(&one, &other) && !is_same(&one[1..], &one));
    }
}
