//! Files from outside, opened and read: the one place that decides what is a file, and how much of it is read.
//!
//! What a scenario names must be a regular file: a device, a pipe or a socket may never end, and gives other bytes when it is
//! read again. What the command line names may be a pipe, as shells make them, but no more of it is read than makes sense.
//!
//! A file that begins as gzip or bzip2 files do is unpacked, whatever its name is. The limit holds before and after: a few bytes that
//! unpack to gigabytes are refused as a file of gigabytes is.

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;
use std::fs::{File, FileType, Metadata};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// The first bytes of a gzip file, and of a bzip2 file.
const GZIP: &[u8] = &[0x1f, 0x8b];
const BZIP2: &[u8] = b"BZh";

/// The most bytes of a scenario, or of a file that it includes: larger data goes to files that it names.
pub const LARGEST: u64 = 64 << 20;

/// The regular file at `path`, opened, and how many bytes it has.
///
/// # Errors
/// If there is none, or it cannot be opened, or it is something else.
pub(crate) fn open(path: &Path) -> io::Result<(File, u64)> {
    // a pipe would not even open until something is written to it
    length(&std::fs::metadata(path)?)?;
    let file = File::open(path)?;
    let length = length(&file.metadata()?)?;
    Ok((file, length))
}

/// All bytes of the regular file at `path`, unpacked if it is gzip, which may be [`LARGEST`].
///
/// # Errors
/// As [`open`], or if it is larger.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let (file, length) = open(path)?;
    if length > LARGEST {
        return Err(too_large(LARGEST));
    }
    read_all(file, LARGEST)
}

/// Returns up to `most` bytes: all of `path`, whatever it is, unpacked if it is gzip.
///
/// # Errors
/// If it cannot be read, or has more.
pub fn read_given(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_all(File::open(path)?, most)
}

/// Returns up to `most` bytes: all of `from`, unpacked if it is gzip.
///
/// # Errors
/// If it cannot be read or unpacked, or gives more.
pub fn read_all(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let bytes = take(from, most)?;
    if let Some(unpacked) = unpacking(&bytes) {
        return take(unpacked, most).map_err(not_unpacked);
    }
    Ok(bytes)
}

fn take(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large(most)) } else { Ok(bytes) }
}

/// Returns `from`, unpacked while it is read if it begins as a gzip or a bzip2 file does.
///
/// # Errors
/// If it cannot be read.
pub fn unpacked<'a>(mut from: impl BufRead + 'a) -> io::Result<Box<dyn BufRead + 'a>> {
    let bytes = from.fill_buf()?;
    if bytes.starts_with(GZIP) {
        return Ok(Box::new(BufReader::new(MultiGzDecoder::new(from))));
    }
    if bytes.starts_with(BZIP2) {
        return Ok(Box::new(BufReader::new(MultiBzDecoder::new(from))));
    }
    Ok(Box::new(from))
}

/// Unpacks `bytes` if they begin as a gzip or a bzip2 file does.
pub(super) fn unpacking<'a>(bytes: &'a [u8]) -> Option<Box<dyn Read + 'a>> {
    if bytes.starts_with(GZIP) {
        return Some(Box::new(MultiGzDecoder::new(bytes)));
    }
    bytes.starts_with(BZIP2).then(|| Box::new(MultiBzDecoder::new(bytes)) as Box<dyn Read>)
}

/// The error of a packed file that ends too early or is damaged.
pub(super) fn not_unpacked(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::FileTooLarge {
        return error;
    }
    io::Error::new(error.kind(), format!("it begins like a gzip or bzip2 file, but cannot be unpacked: {error}"))
}

fn too_large(most: u64) -> io::Error {
    let most = most >> 20;
    io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than the limit of {most} MiB"))
}

/// How long a file is, if it is a regular one.
fn length(metadata: &Metadata) -> io::Result<u64> {
    if metadata.is_file() {
        return Ok(metadata.len());
    }
    let what = in_words(metadata.file_type());
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {what}; accepted: a regular file")))
}

/// What is no file.
fn in_words(kind: FileType) -> &'static str {
    if kind.is_dir() {
        return "a directory";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a pipe, which may never end";
        }
        if kind.is_socket() {
            return "a socket, which may never end";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device, which may never end";
        }
    }
    "a special file"
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    #[test]
    fn files_are_read_up_to_a_limit_and_folders_not() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a");
        std::fs::write(&path, "12345")?;
        assert_eq!(read(&path)?, b"12345");
        assert_eq!(read_given(&path, 5)?, b"12345");
        assert!(read_given(&path, 4).is_err_and(|error| error.to_string().contains("MiB")));
        let refused = read(folder.path()).err().map(|error| error.to_string());
        assert_eq!(refused.as_deref(), Some("it is a directory; accepted: a regular file"));
        Ok(())
    }

    fn packed(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes)?;
        encoder.finish()
    }

    #[test]
    fn gzip_is_unpacked_whatever_its_name_up_to_the_limit() -> io::Result<()> {
        let twice = [packed(b"1234")?, packed(b"5")?].concat();
        assert_eq!(read_all(&twice[..], 100)?, b"12345");
        // a thousandth of its size on disk, and refused as if it had been unpacked there
        let bomb = packed(&vec![0; 1 << 20])?;
        assert!(bomb.len() < 4000);
        assert!(read_all(&bomb[..], 1 << 20).is_ok());
        assert!(read_all(&bomb[..], (1 << 20) - 1).is_err_and(|error| error.kind() == io::ErrorKind::FileTooLarge));
        let cut = read_all(&bomb[..bomb.len() / 2], 1 << 20).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(cut.starts_with("it begins like a gzip or bzip2 file, but cannot be unpacked: "), "{cut}");
        Ok(())
    }
}
