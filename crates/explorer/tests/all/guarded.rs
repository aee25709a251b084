//! Other pages, other people and too much work are kept out.

use crate::support::{Running, book};
use obook::write::edit::{Edit, edit};
use obook::{Context, Store};
use serde_json::json;
use std::io::Read;
use std::time::Duration;

/// Law (The server): The server answers only its page and programs, on this machine or with the token, and no contradictory
/// requests.
/// Also: `other_machines_need_the_token` `requests_that_contradict_themselves_are_refused`
/// `servers_on_one_machine_have_cookies_of_their_own` `crates/explorer/tests/all/written.rs`
/// `only_the_page_itself_changes_a_book`
#[test]
fn only_the_page_itself_may_ask() {
    let (_folder, path) = book();
    let server = Running::start(&[&path]);
    let own = format!("http://{}", server.host);
    let local = server.host.replace("127.0.0.1", "localhost");
    let asked = |headers: &[(&str, &str)]| server.request("GET", "/api/books", headers, "").status;
    assert_eq!(asked(&[("Host", &server.host)]), 200);
    assert_eq!(asked(&[("Host", &local)]), 200);
    assert_eq!(asked(&[("Host", &server.host), ("Origin", &own)]), 200);
    assert_eq!(
        asked(&[("Host", &server.host), ("Sec-Fetch-Site", "same-origin")]),
        200
    );
    // A name that leads here, a page elsewhere, and one at another port.
    assert_eq!(asked(&[("Host", "books.example")]), 403);
    assert_eq!(
        asked(&[("Host", &server.host), ("Origin", "http://books.example")]),
        403
    );
    assert_eq!(asked(&[("Host", &server.host), ("Origin", "null")]), 403);
    assert_eq!(
        asked(&[("Host", &server.host), ("Origin", "http://127.0.0.1:1")]),
        403
    );
    assert_eq!(
        asked(&[("Host", &server.host), ("Sec-Fetch-Site", "cross-site")]),
        403
    );
    // A link elsewhere may lead to the page.
    let page = server.request(
        "GET",
        "/",
        &[("Host", &server.host), ("Sec-Fetch-Site", "cross-site")],
        "",
    );
    assert_eq!(page.status, 200);
    let body = json!({ "sql": "SELECT 1" }).to_string();
    let headers = [
        ("Host", server.host.as_str()),
        ("Origin", "http://books.example"),
    ];
    assert_eq!(
        server
            .request("POST", "/api/book/sql", &headers, &body)
            .status,
        403
    );
}

/// Of two lines, a program on the way could believe the other one.
#[test]
fn requests_that_contradict_themselves_are_refused() {
    let (_folder, path) = book();
    let server = Running::start(&[&path]);
    let host = ("Host", server.host.as_str());
    let own = format!("http://{}", server.host);
    let asked = |target: &str, headers: &[(&str, &str)]| {
        let answer = server.request("GET", target, headers, "");
        (answer.status, answer.json()["error"].clone())
    };
    for (name, value, other) in [
        ("Host", server.host.as_str(), "books.example"),
        ("Origin", own.as_str(), "http://books.example"),
        ("Sec-Fetch-Site", "same-origin", "cross-site"),
    ] {
        let problem = json!(format!("the request has two lines {}", name.to_lowercase()));
        for second in [value, other] {
            for lines in [
                [(name, value), (name, second)],
                [(name, second), (name, value)],
            ] {
                let mut headers = lines.to_vec();
                if name != "Host" {
                    headers.push(host);
                }
                assert_eq!(
                    asked("/api/books", &headers),
                    (400, problem.clone()),
                    "{headers:?}"
                );
            }
        }
    }
    assert_eq!(asked("http://books.example/api/books", &[host]).0, 400);
    assert_eq!(asked("/api/books", &[]).0, 400);
    assert_eq!(asked(&format!("{own}/api/books"), &[host]).0, 200);
}

/// A browser sends the cookies of one port to all ports of a host.
#[test]
fn servers_on_one_machine_have_cookies_of_their_own() {
    let ((_one, first), (_other, second)) = (book(), book());
    let servers = [&first, &second].map(|path| Running::at("0.0.0.0".parse().unwrap(), &[path]));
    let given = servers.each_ref().map(|server| {
        let token = server.token.clone().unwrap();
        let host = [("Host", server.host.as_str())];
        let answer = server.request("GET", &format!("/?token={token}"), &host, "");
        let cookie = answer.header("set-cookie").unwrap();
        cookie.split(';').next().unwrap().to_owned()
    });
    let name = |cookie: &str| cookie.split('=').next().unwrap().to_owned();
    assert_ne!(
        name(&given[0]),
        name(&given[1]),
        "one would replace the other"
    );
    let all = given.join("; ");
    for server in &servers {
        let headers = [("Host", server.host.as_str()), ("Cookie", all.as_str())];
        assert_eq!(
            server.request("GET", "/api/books", &headers, "").status,
            200
        );
    }
}

/// Who opens an address gets a page; programs and scripts get JSON.
#[test]
fn people_see_problems_as_a_page() {
    let (_folder, path) = book();
    let server = Running::at("0.0.0.0".parse().unwrap(), &[&path]);
    let visit = ("Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8");
    let asked = |target: &str, headers: &[(&str, &str)]| {
        let host = [("Host", server.host.as_str())];
        server.request("GET", target, &[&host[..], headers].concat(), "")
    };
    let kind = |answer: &crate::support::Response| {
        let kind = answer.header("content-type").unwrap();
        kind.split(';').next().unwrap().to_owned()
    };
    let page = asked("/", &[visit]);
    assert_eq!((page.status, kind(&page)), (401, String::from("text/html")));
    assert!(
        page.text()
            .contains("This server needs its token: open the address"),
        "{page:?}"
    );
    assert!(page.header("content-security-policy").is_some());
    let answer = asked("/", &[("Accept", "*/*")]);
    assert_eq!(
        (answer.status, kind(&answer)),
        (401, String::from("application/json"))
    );
    let bearer = format!("Bearer {}", server.token.as_ref().unwrap());
    let missing = asked("/api/%3Cb%3E/info", &[visit, ("Authorization", &bearer)]);
    assert_eq!(missing.status, 404);
    assert!(
        missing.text().contains("There is no book &lt;b&gt;."),
        "{missing:?}"
    );
}

#[test]
fn other_machines_need_the_token() {
    let (_folder, path) = book();
    let server = Running::at("0.0.0.0".parse().unwrap(), &[&path]);
    let token = server.token.clone().unwrap();
    let asked = |path: &str, headers: &[(&str, &str)]| {
        let host = [("Host", "attic.lan:8008")];
        server.request("GET", path, &[&host[..], headers].concat(), "")
    };
    assert_eq!(asked("/", &[]).status, 401);
    assert_eq!(asked("/api/books", &[]).status, 401);
    assert_eq!(
        asked("/?token=0123456789abcdef0123456789abcdef", &[]).status,
        401
    );
    let first = asked(&format!("/?token={token}"), &[]);
    assert_eq!((first.status, first.header("location")), (303, Some("/")));
    let cookie = first.header("set-cookie").unwrap();
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"),
        "{cookie}"
    );
    let cookie = cookie.split(';').next().unwrap();
    assert_eq!(asked("/api/books", &[("Cookie", cookie)]).status, 200);
    assert_eq!(
        asked(
            "/api/books",
            &[("Authorization", &format!("Bearer {token}"))]
        )
        .status,
        200
    );
    // In the address of an answer it would end up in logs.
    assert_eq!(asked(&format!("/api/books?token={token}"), &[]).status, 401);
}

#[test]
fn all_answers_carry_the_policy() {
    let (_folder, path) = book();
    let server = Running::start(&[&path]);
    for path in [
        "/",
        "/api/books",
        "/api/book/position",
        "/api/nothing",
        "/nothing",
        "/../Cargo.toml",
    ] {
        let answer = server.get(path);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(
            policy.starts_with("default-src 'none'") && !policy.contains("unsafe"),
            "{path}"
        );
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(
            answer.header("cross-origin-resource-policy"),
            Some("same-origin")
        );
    }
    assert_eq!(server.get("/nothing").status, 404);
    assert_eq!(server.get("/../Cargo.toml").status, 404);
    assert_eq!(server.get("/api/other/position").status, 404);
    assert_eq!(server.post("/api/book/position", "").status, 405);
}

/// At every address a wrong method gets the same answer: the methods that are allowed, and a problem.
#[test]
fn wrong_methods_are_told_the_right_ones() {
    let (_folder, path) = book();
    let server = Running::start(&[&path]);
    let host = ("Host", server.host.as_str());
    let visit = ("Accept", "text/html");
    let asked = |method: &str, path: &str, headers: &[(&str, &str)]| {
        let answer = server.request(method, path, headers, "");
        let allow = answer.header("allow").map(str::to_owned);
        (answer.status, allow, answer.text())
    };
    for (method, path, methods) in [
        ("POST", "/", "GET,HEAD"),
        ("DELETE", "/main.js", "GET,HEAD"),
        ("POST", "/api/book/position", "GET,HEAD"),
        ("PUT", "/api/book/repertoire", "GET,HEAD,POST"),
        ("GET", "/api/book/sql", "POST"),
    ] {
        let wrong = (405, Some(methods.to_owned()));
        for (headers, said) in [
            (&[host][..], "\"error\":\"this address has another method\""),
            (&[host, visit][..], "This address has another method."),
        ] {
            let (status, allow, text) = asked(method, path, headers);
            assert_eq!((status, allow), wrong, "{method} {path}");
            assert!(text.contains(said), "{method} {path}: {text}");
        }
    }
    for path in ["/nothing", "/api/nothing", "/api/"] {
        let (status, allow, text) = asked("POST", path, &[host]);
        assert_eq!((status, allow), (404, None), "{path}");
        assert!(text.contains("there is nothing at this address"), "{path}");
    }
}

/// The version says that another process has written.
#[test]
fn changes_by_others_are_noticed() {
    let (_folder, path) = book();
    let server = Running::start(&[&path]);
    let address = "/api/book/position?at=f5d6c3";
    let first = server.get(address);
    let tag = first.header("etag").unwrap().to_owned();
    let again = || {
        let headers = [
            ("Host", server.host.as_str()),
            ("If-None-Match", tag.as_str()),
        ];
        server.request("GET", address, &headers, "")
    };
    let unchanged = again();
    assert_eq!((unchanged.status, unchanged.body.len()), (304, 0));
    let version = server.get("/api/book/version").json();
    let mut store = Store::open_for_writing(&path, &Context::new("other")).unwrap();
    edit(&mut store, &"f5d6c3".parse().unwrap(), Edit::Enter(7)).unwrap();
    while server.get("/api/book/version").json() == version {
        std::thread::sleep(Duration::from_millis(20));
    }
    let changed = again();
    assert_eq!((changed.status, &changed.json()["value"]), (200, &json!(7)));
    assert_ne!(changed.header("etag"), Some(tag.as_str()));
    let history = server.get("/api/book/history").json();
    assert_eq!(history["changes"][0]["command"], json!("other"));
}

/// Law (The server): SQL of the page changes nothing, opens nothing, and delays nobody.
/// Also: `endless_queries_neither_delay_moves_nor_outlive_their_reader`
#[test]
fn sql_can_only_read_the_book() {
    let (folder, path) = book();
    let server = Running::start(&[&path]);
    let secret = folder.path().join("secret.dat");
    std::fs::copy(obook_testing::golden::golden("games.dat"), &secret).unwrap();
    let secret = secret.display();
    let before = std::fs::read(&path).unwrap();
    for sql in [
        "DELETE FROM links",
        "WITH one AS (SELECT 1) UPDATE positions SET value = 0",
        "CREATE TEMP TABLE t (a)",
        "DROP TABLE links",
        "PRAGMA query_only = off",
        "PRAGMA journal_mode = delete",
        "PRAGMA wal_checkpoint",
        "SELECT load_extension('x')",
        "BEGIN",
        "COMMIT",
        "VACUUM",
        "",
        "-- nothing",
        "SELECT 1; SELECT 2",
        "PRAGMA database_list",
        "SELECT file FROM pragma_database_list",
        &format!("ATTACH '{secret}' AS other"),
        &format!("VACUUM INTO '{secret}.copy'"),
        &format!("SELECT count(*) FROM edax('{secret}')"),
        &format!("SELECT * FROM book_file_links('{secret}')"),
    ] {
        let answer = server.sql(sql);
        assert_eq!(answer.status, 400, "{sql}: {answer:?}");
        assert_eq!(answer.json()["ok"], json!(false));
    }
    for (sql, said) in [
        ("", "no SQL"),
        (" ;", "no SQL"),
        ("-- nothing", "no SQL"),
        ("VACUUM", "nothing can be written"),
    ] {
        let answer = server.sql(sql);
        assert!(answer.text().contains(said), "{sql}: {answer:?}");
    }
    // No statement that may run tells where the book lies.
    let place = folder.path().to_str().unwrap();
    let pragmas = server.sql("SELECT name FROM pragma_pragma_list").lines();
    let pragmas = pragmas[1..].iter().filter_map(|row| row[0].as_str());
    let mut told = 0;
    for pragma in pragmas {
        let answer = server.sql(&format!("PRAGMA {pragma}"));
        assert!(!answer.text().contains(place), "{pragma}: {answer:?}");
        told += usize::from(answer.status == 200);
    }
    assert!(told > 15, "{told} pragmas may run");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(
        server.sql("SELECT count(*) FROM links").lines()[1],
        json!([2252])
    );
}

const ENDLESS: &str =
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

/// Queries that nobody waits for end, so that others can run; meanwhile the board answers.
#[test]
fn endless_queries_neither_delay_moves_nor_outlive_their_reader() {
    let (_folder, path) = book();
    let server = Running::start(&[&path]);
    let body = json!({ "sql": ENDLESS }).to_string();
    let host = [("Host", server.host.as_str())];
    let endless: Vec<_> = (0..4)
        .map(|_| server.send("POST", "/api/book/sql", &host, &body))
        .collect();
    for _ in 0..20 {
        assert_eq!(server.get("/api/book/position").status, 200);
    }
    drop(endless);
    assert_eq!(server.sql("SELECT 1").lines()[1], json!([1]));
}

#[test]
fn too_much_is_refused() {
    let (_folder, path) = book();
    let server = Running::start(&[&path]);
    assert_eq!(server.sql(&" ".repeat(70_000)).status, 413);
    assert_eq!(
        server
            .get(&format!("/api/book/position?at={}", "f5".repeat(2000)))
            .status,
        400
    );
    assert_eq!(server.sql("SELECT zeroblob(100000000)").status, 400);
    assert_eq!(server.get("/api/book/hint?at=f5&level=31").status, 400);
    for body in [
        "",
        "{}",
        "[]",
        "{\"sql\": 1}",
        "{\"sql\": \"SELECT 1\", \"write\": true}",
    ] {
        assert_eq!(server.post("/api/book/sql", body).status, 400, "{body}");
    }
}

/// Two search, sixteen wait, and another one is refused. Moves don't wait for any of them. As soon as readers go away, those who wait
/// have their turn.
#[test]
fn searches_take_turns() {
    let (_folder, path) = book();
    let server = Running::start(&[&path]);
    let host = [("Host", server.host.as_str())];
    let search = |level: u8| {
        let path = format!("/api/book/hint?at=f5d6&level={level}");
        server.send("GET", &path, &host, "")
    };
    let mut searching: Vec<_> = (0..2).map(|_| search(30)).collect();
    for search in &mut searching {
        search.read_exact(&mut [0; 16]).unwrap();
    }
    let waiting = (0..16).map(|_| {
        let search = search(1);
        assert_eq!(server.get("/api/book/position").status, 200);
        search
    });
    let waiting: Vec<_> = waiting.collect();
    assert_eq!(server.get("/api/book/hint?at=f5d6&level=1").status, 503);
    drop(searching);
    for mut search in waiting {
        let mut head = [0; 12];
        search.read_exact(&mut head).unwrap();
        assert_eq!(head, *b"HTTP/1.1 200");
    }
}

/// The server stops even if answers are in progress.
#[test]
fn the_server_stops() {
    let (_folder, path) = book();
    let mut server = Running::start(&[&path]);
    let body = json!({ "sql": ENDLESS }).to_string();
    let host = server.host.clone();
    let _endless = server.send("POST", "/api/book/sql", &[("Host", &host)], &body);
    assert_eq!(server.get("/api/books").status, 200);
    server.stop();
    assert!(std::net::TcpStream::connect(&host).is_err());
}

#[test]
fn several_books_are_served_under_names_of_their_own() {
    let ((_one, first), (_other, second)) = (book(), book());
    let server = Running::start(&[&first, &second]);
    let books = server.get("/api/books").json();
    let names: Vec<_> = books["books"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].clone())
        .collect();
    assert_eq!(names, [json!("book"), json!("book-2")]);
    assert_eq!(server.get("/api/book-2/position").status, 200);
}

#[test]
fn answers_are_compressed_except_for_streams() {
    let (_folder, path) = book();
    let server = Running::start(&[&path]);
    let headers = [("Host", server.host.as_str()), ("Accept-Encoding", "gzip")];
    let encoding = |path: &str| {
        let answer = server.request("GET", path, &headers, "");
        answer.header("content-encoding").map(str::to_owned)
    };
    assert_eq!(encoding("/api/book/position").as_deref(), Some("gzip"));
    assert_eq!(encoding("/api/book/hint?at=f5&level=1"), None);
}
