//! Reads at a place of a file, without moving a cursor that threads would share.

use std::fs::File;

/// Fills `buffer` from byte `offset` on.
///
/// # Errors
/// The system's, `UnexpectedEof` where the file ends before.
#[cfg(unix)]
pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

/// Fills `buffer` from byte `offset` on.
///
/// # Errors
/// The system's, `UnexpectedEof` where the file ends before.
#[cfg(windows)]
pub fn read_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> std::io::Result<()> {
    use std::os::windows::fs::FileExt;
    while !buffer.is_empty() {
        let read = file.seek_read(buffer, offset)?;
        if read == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        offset += read as u64;
        buffer = &mut buffer[read..];
    }
    Ok(())
}
