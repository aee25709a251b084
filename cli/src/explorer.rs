//! Books in a browser.

use crate::commands::{serve, site};
use crate::prelude::*;
use crate::{interrupt, starter};
use obook_explorer::{Options, Server, SiteOptions, write_site};

/// `obook serve`.
pub(crate) fn serve(arguments: &serve::Arguments) -> Result<(), Failure> {
    let options = Options {
        address: arguments.address,
        port: arguments.port,
        write: arguments.write,
    };
    let books = match &arguments.books[..] {
        [] => vec![starter::instead()?],
        books => books.to_vec(),
    };
    if arguments.write {
        books.iter().try_for_each(|book| refuse_starter(book))?;
    }
    let server = Server::open(&books, &options, &context::shown())?;
    let stop = interrupt::stop();
    print(format!("{}\n", server.url()?))?;
    Ok(server.run(&stop)?)
}

/// `obook site`.
pub(crate) fn site(arguments: &site::Arguments) -> Result<(), Failure> {
    let options = match arguments.repertoire {
        true => SiteOptions::Repertoire,
        false => SiteOptions::Reached {
            plies: arguments.plies.into(),
            min_games: arguments.min_games,
        },
    };
    let (folder, if_exists) = (&arguments.folder, arguments.force.if_exists());
    let context = context::shown();
    let site = write_site(&arguments.book, folder, if_exists, &options, &context)?;
    drop(context);
    account(&site, arguments.json, |site, out| {
        let positions = count(site.positions as u64, "position[|s]");
        let files = count(site.files as u64, "file[|s]");
        let kilobytes = site.bytes / 1000;
        let index = folder.join("index.html");
        let index = index.display();
        writeln!(out, "{positions} in {files}, {kilobytes} kB: open {index}")
    })
}
