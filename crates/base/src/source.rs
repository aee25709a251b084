//! The inputs that a name on the command line stands for: a file, the files of a folder or of a `.zip` archive, or standard input.

use crate::{folder_of, identity, locked, open_file};
use flate2::bufread::DeflateDecoder;
use rawzip::{
    CompressionMethod, FileReader, RECOMMENDED_BUFFER_SIZE, RangeReader, ZipArchiveEntryWayfinder,
    ZipLocator,
};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

/// Whether a name stands for standard input: `-`. A file of that name is `./-`.
#[must_use]
pub fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// Standard input, if it is a `.zip` archive: a copy, because an archive is read from its end.
static PIPED: OnceLock<File> = OnceLock::new();

/// Copies standard input to a temporary file if it begins like a `.zip` archive, and returns whether it is one.
fn is_piped() -> io::Result<bool> {
    let mut input = io::stdin().lock();
    if PIPED.get().is_none() && input.fill_buf()?.starts_with(b"PK\x03\x04") {
        let mut copy = unnamed_file()?;
        io::copy(&mut input, &mut copy)?;
        PIPED.get_or_init(|| copy);
    }
    Ok(PIPED.get().is_some())
}

/// A temporary file that goes with the process.
fn unnamed_file() -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    #[cfg(windows)]
    {
        /// FILE_FLAG_DELETE_ON_CLOSE
        const DELETE_ON_CLOSE: u32 = 0x0400_0000;
        std::os::windows::fs::OpenOptionsExt::custom_flags(&mut options, DELETE_ON_CLOSE);
    }
    let mut number = 0;
    loop {
        let name = format!(".obook-{}-{number}.zip", std::process::id());
        let path = std::env::temp_dir().join(name);
        match options.open(&path) {
            // A process that crashed left it.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
            Ok(file) => {
                #[cfg(unix)]
                std::fs::remove_file(&path)?;
                return Ok(file);
            }
        }
    }
}

/// The files that a name stands for: the file itself or, of a folder, all files in it and in its folders, in the order of their
/// names. A `.zip` archive is a folder, too, also on standard input: the path of a file in it begins with that of the archive. Hidden
/// files and what macOS adds to archives are left out.
///
/// # Errors
/// Returns an error if a folder or an archive can't be read, or has no files.
pub fn files_of(path: &Path) -> io::Result<Vec<PathBuf>> {
    let is_one = match is_stdin(path) {
        true => !is_piped()?,
        false => !path.is_dir() && !is_archive(path),
    };
    if is_one {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        if is_archive(&folder) {
            match members(&folder) {
                Ok(members) => files.extend(members),
                // Among others, it is a file that can't be read.
                Err(_) if folder != path => files.push(folder),
                Err(error) => return Err(error),
            }
            continue;
        }
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            // A link to a folder may lead round.
            match entry.file_type()?.is_dir() {
                _ if is_hidden(&path) => {}
                true => folders.push(path),
                false if is_archive(&path) => folders.push(path),
                false if path.is_file() => files.push(path),
                false => {}
            }
        }
    }
    files.sort();
    match files.is_empty() {
        true if is_archive(path) => Err(not_found("the archive has no files")),
        true => Err(not_found("the folder has no files")),
        false => Ok(files),
    }
}

/// The files in the same folder, or in the same folder of an archive.
///
/// # Errors
/// Returns an error if the folder or the archive can't be read.
pub fn files_beside(path: &Path) -> io::Result<Vec<PathBuf>> {
    let folder = folder_of(path);
    let mut files = match archive_of(path) {
        Some(archive) => members(archive)?,
        None => {
            let entries = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
            entries.collect::<io::Result<_>>()?
        }
    };
    files.retain(|file| file.parent() == Some(folder));
    files.sort();
    Ok(files)
}

fn not_found(problem: &str) -> io::Error {
    io::Error::new(ErrorKind::NotFound, problem)
}

/// Whether a file in a folder or an archive is not for people.
fn is_hidden(name: &Path) -> bool {
    let name = name.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with('.') || name == "__MACOSX")
}

/// Whether a file is an archive, by its name. Standard input is one once [`is_piped`] says so.
fn is_archive(path: &Path) -> bool {
    if is_stdin(path) {
        return PIPED.get().is_some();
    }
    let is_zip = |extension: &std::ffi::OsStr| extension.eq_ignore_ascii_case("zip");
    path.extension().is_some_and(is_zip) && path.is_file()
}

/// The archive that a path leads into.
fn archive_of(path: &Path) -> Option<&Path> {
    path.ancestors().skip(1).find(|path| is_archive(path))
}

/// An input to read, perhaps compressed: a file, a file of an archive, or standard input.
///
/// ```
/// use obook_base::Source;
/// use std::io::Read;
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("games.txt");
/// std::fs::write(&path, "f5d6c3")?;
/// let mut source = Source::open(&path)?;
/// assert_eq!(source.length, Some(6));
/// let mut text = String::new();
/// source.read_to_string(&mut text)?;
/// assert_eq!(text, "f5d6c3");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Source {
    input: Box<dyn Read + Send>,
    /// The number of bytes, if it is known.
    pub length: Option<u64>,
}

impl Source {
    /// Opens a [file](open_file), or a file of a `.zip` archive as [`files_of`] names it; the archive itself stands for its only file.
    ///
    /// # Errors
    /// As [`open_file`]. Also returns an error if an archive is damaged, has several files, or the file is encrypted or compressed
    /// by another method than deflate.
    pub fn open(path: &Path) -> io::Result<Source> {
        if let Some(archive) = archive_of(path) {
            return member(archive, path);
        }
        if is_archive(path) {
            let members = members(path)?;
            return match &members[..] {
                [only] => member(path, only),
                [] => Err(not_found("the archive has no files")),
                _ => Err(io::Error::new(
                    ErrorKind::InvalidInput,
                    format!(
                        "an archive of {} files, where one is expected; unpack it, and name one",
                        members.len()
                    ),
                )),
            };
        }
        let file = open_file(path)?;
        let found = file.metadata()?;
        Ok(Source {
            input: Box::new(file),
            length: found.is_file().then_some(found.len()),
        })
    }

    /// As [`Source::open`]; `-` is standard input.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn open_or_stdin(path: &Path) -> io::Result<Source> {
        match is_stdin(path) && !is_piped()? {
            true => Ok(Source {
                input: Box::new(io::stdin()),
                length: None,
            }),
            false => Source::open(path),
        }
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.input.read(buffer)
    }
}

/// A `.zip` archive and its files, in the order of their names.
struct Archive {
    zip: rawzip::ZipArchive<Arc<FileReader>>,
    members: Vec<Member>,
}

/// A file of an archive.
struct Member {
    path: PathBuf,
    place: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    is_encrypted: bool,
}

impl Archive {
    /// Opens an archive. The last one is kept, unless its file has changed: thousands of its files may be opened one after another.
    fn open(path: &Path) -> io::Result<Arc<Archive>> {
        type State = (PathBuf, Option<(u64, u64)>, u64, Option<SystemTime>);
        static LAST: Mutex<Option<(State, Arc<Archive>)>> = Mutex::new(None);
        let file = match PIPED.get().filter(|_| is_stdin(path)) {
            Some(piped) => piped.try_clone()?,
            None => open_file(path)?,
        };
        let found = file.metadata()?;
        let modified = found.modified().ok();
        let state = (path.to_owned(), identity(&found), found.len(), modified);
        let mut last = locked(&LAST);
        match &*last {
            Some((of, archive)) if *of == state => Ok(archive.clone()),
            _ => {
                let archive = Arc::new(Archive::read(path, file, found.len())?);
                *last = Some((state, archive.clone()));
                Ok(archive)
            }
        }
    }

    fn read(archive: &Path, file: File, length: u64) -> io::Result<Archive> {
        let invalid = |problem: String| io::Error::new(ErrorKind::InvalidData, problem);
        let damaged = |error: rawzip::Error| {
            invalid(format!(
                "not a .zip archive, or a damaged one ({error}): get a complete copy"
            ))
        };
        let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
        let file = Arc::new(FileReader::from(file));
        let zip = ZipLocator::new().locate_in_reader(file, &mut buffer, length);
        let zip = zip.map_err(|(_, error)| damaged(error))?;
        let (mut entries, mut packed, mut members) = (zip.entries(&mut buffer), 0_u64, Vec::new());
        while let Some(entry) = entries.next_entry().map_err(damaged)? {
            packed = packed.saturating_add(entry.compressed_size_hint());
            if packed > length {
                // One file could stand for thousands.
                let problem = "the files of the archive overlap: it was made to unpack to far more";
                return Err(invalid(problem.to_owned()));
            }
            let name = name(entry.file_path().as_bytes());
            if entry.is_dir() || Path::new(&name).ancestors().any(is_hidden) {
                continue;
            }
            members.push(Member {
                path: archive.join(name),
                place: entry.wayfinder(),
                method: entry.compression_method(),
                is_encrypted: entry.flags().is_encrypted(),
            });
        }
        members.sort_by(|one, other| one.path.cmp(&other.path));
        let twice = |two: &&[Member; 2]| two[0].path == two[1].path;
        match members.array_windows().find(twice) {
            Some([member, _]) => Err(invalid(format!(
                "the archive has two files of the name {}",
                member.path.display()
            ))),
            None => Ok(Archive { zip, members }),
        }
    }
}

/// The name of a file in an archive. Names in other encodings stay different from each other.
fn name(bytes: &[u8]) -> String {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().copied().map(char::from).collect(),
    };
    let printable = |c: char| match c {
        '\\' => '/',
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    let text: String = text.chars().map(printable).collect();
    text.trim_start_matches('/').to_owned()
}

fn members(archive: &Path) -> io::Result<Vec<PathBuf>> {
    let archive = Archive::open(archive)?;
    Ok(archive.members.iter().map(|it| it.path.clone()).collect())
}

/// Opens a file of an archive.
fn member(archive: &Path, path: &Path) -> io::Result<Source> {
    let archive = Archive::open(archive)?;
    let members = &archive.members;
    let found = members.binary_search_by(|it| it.path.as_path().cmp(path));
    let found = found.map_err(|_| not_found("the archive has no such file"))?;
    let member = &members[found];
    let refuse = |problem: String| Err(io::Error::new(ErrorKind::Unsupported, problem));
    if member.is_encrypted {
        return refuse("encrypted; unpack the archive first".to_owned());
    }
    let zip = &archive.zip;
    let file = zip.get_entry(member.place).map_err(io::Error::other)?;
    let (from, to) = file.compressed_data_range();
    let bytes = RangeReader::new(zip.get_ref().clone(), from..to);
    let input: Box<dyn Read + Send> = match member.method {
        CompressionMethod::STORE => Box::new(file.verifying_reader(bytes)),
        CompressionMethod::DEFLATE => {
            Box::new(file.verifying_reader(DeflateDecoder::new(BufReader::new(bytes))))
        }
        other => return refuse(format!("compressed by {other}; unpack the archive first")),
    };
    Ok(Source {
        input,
        length: Some(member.place.uncompressed_size_hint()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::write::DeflateEncoder;
    use rawzip::ZipArchiveWriter;
    use std::fs;
    use std::io::Write;

    /// An archive with these files.
    fn zip(files: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut archive = ZipArchiveWriter::new(&mut bytes);
        for (name, contents) in files {
            let begin = archive.new_file(*name).compression_method(method);
            let (mut entry, config) = begin.start().unwrap();
            let descriptor = if method == CompressionMethod::DEFLATE {
                let mut writer = config.wrap(DeflateEncoder::new(&mut entry, Default::default()));
                writer.write_all(contents).unwrap();
                let (encoder, descriptor) = writer.finish().unwrap();
                encoder.finish().unwrap();
                descriptor
            } else {
                let mut writer = config.wrap(&mut entry);
                writer.write_all(contents).unwrap();
                writer.finish().unwrap().1
            };
            entry.finish(descriptor).unwrap();
        }
        archive.finish().unwrap();
        bytes
    }

    fn contents(path: &Path) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        Source::open(path)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    #[test]
    fn an_archive_is_a_folder_of_its_files() {
        let large = vec![b'x'; 100_000];
        let files: [(&str, &[u8]); 4] = [
            ("b.txt", b"two"),
            ("a/c.txt", &large),
            ("a.txt", b""),
            (".hidden", b"no"),
        ];
        for method in [CompressionMethod::STORE, CompressionMethod::DEFLATE] {
            let parent = tempfile::tempdir().unwrap();
            let [folder, archive] =
                ["folder", "folder.ZIP"].map(|name| parent.path().join("in").join(name));
            for (name, contents) in files {
                let path = folder.join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, contents).unwrap();
            }
            fs::write(&archive, zip(&files, method)).unwrap();
            let of = |root: &Path| -> Vec<(PathBuf, Vec<u8>)> {
                let files = files_of(root).unwrap().into_iter();
                let read = |path: PathBuf| {
                    (
                        path.strip_prefix(root).unwrap().to_owned(),
                        contents(&path).unwrap(),
                    )
                };
                files.map(read).collect()
            };
            assert_eq!(of(&archive), of(&folder));
            assert_eq!(of(&archive).len(), 3);
            assert_eq!(files_of(parent.path()).unwrap().len(), 6);
            for path in ["b.txt", "a/c.txt"] {
                let beside = files_beside(&archive.join(path)).unwrap();
                let there = files_beside(&folder.join(path)).unwrap();
                let visible = there
                    .iter()
                    .filter(|path| path.is_file() && !is_hidden(path));
                assert_eq!(beside.len(), visible.count(), "{path}");
            }
            let said = contents(&archive).unwrap_err().to_string();
            assert!(said.starts_with("an archive of 3 files"), "{said}");
            let missing = contents(&archive.join("d.txt")).unwrap_err();
            assert_eq!(missing.kind(), ErrorKind::NotFound);
        }
    }

    #[test]
    fn an_archive_of_one_file_stands_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.zip");
        fs::write(
            &path,
            zip(&[("book.dat", b"a book")], CompressionMethod::DEFLATE),
        )
        .unwrap();
        assert_eq!(contents(&path).unwrap(), b"a book");
        assert_eq!(Source::open(&path).unwrap().length, Some(6));
        let other = zip(&[("other.dat", b"another book")], CompressionMethod::STORE);
        fs::write(&path, other).unwrap();
        assert_eq!(contents(&path).unwrap(), b"another book");
    }

    #[test]
    fn a_damaged_archive_stops_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let files: [(&str, &[u8]); 2] = [("a", b"the first of them"), ("b", b"the second one")];
        let whole = zip(&files, CompressionMethod::STORE);
        let [cut, wrong, good] =
            ["cut.zip", "wrong.zip", "good.txt"].map(|it| folder.path().join(it));
        fs::write(&cut, &whole[..whole.len() / 2]).unwrap();
        fs::write(&good, "good").unwrap();
        let mut changed = whole.clone();
        let at = whole
            .windows(5)
            .position(|bytes| bytes == b"first")
            .unwrap();
        changed[at] = b'F';
        fs::write(&wrong, changed).unwrap();
        // A file that can't be opened is named when it is read.
        let all = files_of(folder.path()).unwrap();
        assert_eq!(all, [cut.clone(), good, wrong.join("a"), wrong.join("b")]);
        assert!(files_of(&cut).is_err());
        let said = contents(&cut).unwrap_err().to_string();
        assert!(said.starts_with("not a .zip archive"), "{said}");
        contents(&wrong.join("a")).unwrap_err();
        assert_eq!(contents(&wrong.join("b")).unwrap(), b"the second one");
    }

    #[test]
    fn two_files_of_one_name_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("twice.zip");
        let files: [(&str, &[u8]); 3] = [("a", b"one"), ("b", b"other"), ("a", b"two")];
        fs::write(&path, zip(&files, CompressionMethod::STORE)).unwrap();
        let said = files_of(&path).unwrap_err().to_string();
        assert!(said.contains("two files of the name"), "{said}");
    }

    #[test]
    fn what_is_compressed_is_unpacked() {
        use crate::compression::decompress;
        let folder = tempfile::tempdir().unwrap();
        let text = b"f5d6c3\n".repeat(1000);
        let compressed = |bytes: &[u8]| {
            let mut output = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            output.write_all(bytes).unwrap();
            output.finish().unwrap()
        };
        // Several streams one after another are one.
        let (head, tail) = text.split_at(99);
        let bytes = [compressed(head), compressed(tail)].concat();
        let path = folder.path().join("games.zip");
        fs::write(
            &path,
            zip(&[("games.bz2", &bytes)], CompressionMethod::STORE),
        )
        .unwrap();
        let mut unpacked = Vec::new();
        let read = |bytes: &mut Vec<u8>| decompress(Source::open(&path)?)?.read_to_end(bytes);
        read(&mut unpacked).unwrap();
        assert_eq!(unpacked, text);
        let cut = &bytes[..bytes.len() - 9];
        let said = decompress(cut)
            .unwrap()
            .read_to_end(&mut Vec::new())
            .unwrap_err();
        assert!(
            said.to_string()
                .starts_with("the bzip2-compressed data is damaged"),
            "{said}"
        );
    }

    #[test]
    fn names_that_are_no_utf8_stay_different() {
        assert_ne!(name(b"\x8a\xfb.kif"), name(b"\x95\x88.kif"));
        assert_eq!(name("棋譜\\\u{1b}.kif".as_bytes()), "棋譜/\u{fffd}.kif");
        assert_eq!(name(b"/etc/games.txt"), "etc/games.txt");
    }

    /// Files that share their bytes unpack to far more than the archive has.
    #[test]
    fn overlapping_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bomb.zip");
        let one = zip(&[("a", &[b'x'; 2000])], CompressionMethod::STORE);
        // The directory lists the same file again and again.
        let directory = one.windows(4).position(|it| it == b"PK\x01\x02").unwrap();
        let end = one.windows(4).position(|it| it == b"PK\x05\x06").unwrap();
        let mut bytes = one[..directory].to_vec();
        for _ in 0..3 {
            bytes.extend(&one[directory..end]);
        }
        let length = (bytes.len() - directory) as u32;
        let mut last = one[end..].to_vec();
        last[8..12].copy_from_slice(&[3, 0, 3, 0]);
        last[12..16].copy_from_slice(&length.to_le_bytes());
        bytes.extend(last);
        fs::write(&path, bytes).unwrap();
        let said = files_of(&path).unwrap_err().to_string();
        assert!(said.contains("overlap"), "{said}");
    }
}
