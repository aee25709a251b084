//! Memory use depends neither on the count in a header nor on the length of a book.
//!
//! This is a program of its own because the counting allocator is global.

#[path = "support/repeated.rs"]
mod repeated;

use obook_converters::zebra::{self, Hash};
use obook_converters::{BookReader, BookRecord, Format, edax, egbk2, egbk3};
use repeated::Repeated;
use std::alloc::{GlobalAlloc, Layout, System};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(now, Relaxed);
        // SAFETY: the caller makes the same promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the memory came from the same allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The peak of additional memory in use during `work`, in bytes.
fn peak(work: impl FnOnce()) -> usize {
    let before = NOW.load(Relaxed);
    PEAK.store(before, Relaxed);
    work();
    PEAK.load(Relaxed) - before
}

/// The start position with everything else undefined.
fn endless(head: &[u8], records: u64) -> Repeated {
    let mut record = Vec::new();
    egbk3::Record {
        player: 0x8_1000_0000,
        opponent: 0x10_0800_0000,
        ..Default::default()
    }
    .encode((), &mut record)
    .unwrap();
    Repeated::new(head, record, records)
}

const KB: usize = 1024;

/// A single test, because tests run in parallel would count each other's memory.
#[test]
fn memory_is_bounded() {
    // Zebra's numbers are made once.
    let _ = Hash::of(0, 0);

    // Two billion positions promised, none there.
    for (format, mut bytes) in [
        (Format::Edax, [&b"XADEKOOB\x04"[..], &[0; 33]].concat()),
        (Format::Egbk3, b"DICUORAGE\x03\0\0\0\0".to_vec()),
        (Format::Egbk2, b"DICUORAGE\x02\0\0\0\0".to_vec()),
        (Format::Egbk, vec![0; 4]),
        (Format::Zebra, b"\x9e\x0a\x02\x0b\0\0\0\0".to_vec()),
    ] {
        let at = bytes.len() - 4;
        bytes[at..].copy_from_slice(&i32::MAX.to_le_bytes());
        let used = peak(|| {
            let book = BookReader::new(io::Cursor::new(bytes), "book", Some(format)).unwrap();
            assert_eq!(book.filter(|position| position.is_err()).count(), 1);
        });
        assert!(used < 1000 * KB, "{format}: {used} bytes");
    }

    // An absurd number of links.
    let used = peak(|| {
        let huge = [&[0; 18][..], &[0xff; 4]].concat();
        assert!(egbk2::Record::decode(&huge, egbk2::LinkCount::FourBytes).is_err());
        let many = [&[0; 38][..], &[0xff; 2]].concat();
        assert!(edax::Record::decode(&many, ()).is_err());
    });
    assert!(used < KB, "{used} bytes");

    // A long book, read one by one and in batches.
    let count = 400_000u32;
    let head = [b"DICUORAGE\x03", &count.to_le_bytes()[..]].concat();
    let book = || BookReader::new(endless(&head, count.into()), "book", None).unwrap();
    let used = peak(|| assert_eq!(book().map(Result::unwrap).count(), count as usize));
    assert!(used < 1000 * KB, "{used} bytes");
    // Don't count the pool's own memory.
    rayon::join(|| (), || ());
    let batch = 16 * KB * (size_of::<obook_othello::Position>() + size_of::<egbk3::Record>() + 8);
    let batches = 4 * rayon::current_num_threads() + 4;
    let used = peak(|| {
        let positions = book().positions_parallel();
        assert_eq!(positions.map(Result::unwrap).count(), count as usize);
    });
    assert!(used < 2000 * KB + batches * batch, "{used} bytes");

    // A small file that decompresses to a thousand times its size.
    let bomb = zstd::encode_all(endless(&head, count.into()), 19).unwrap();
    assert!(bomb.len() < 10 * KB);
    let used = peak(|| {
        let book = BookReader::new(io::Cursor::new(bomb), "book", None).unwrap();
        assert_eq!(book.map(Result::unwrap).count(), count as usize);
    });
    assert!(used < 1000 * KB, "{used} bytes");

    // Books of Zebra are kept in memory, but only what is in them: neither a record that comes again and again nor what is behind
    // the tree.
    let binary = [b"\x9e\x0a\x02\x0b", &count.to_le_bytes()[..]].concat();
    let tree = [count.to_le_bytes(), [0; 4]].concat();
    for (head, record) in [(binary, 18), (tree, 12)] {
        let book = Repeated::new(&head, vec![0; record], count.into());
        let used = peak(|| drop(zebra::File::read(book).unwrap()));
        assert!(used < 1000 * KB, "{used} bytes");
    }
}
