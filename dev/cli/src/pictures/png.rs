//! Small PNG files: without transparency, packed as tightly as can be, and of a picture that moves only what changed.

use std::fmt::Display;
use std::io::Cursor;
use std::time::Duration;

use png::{BitDepth, ColorType, Compression, Decoder, Encoder, Filter, Transformations, Writer};

/// Bytes of a pixel: red, green and blue.
const PIXEL: usize = 3;

/// A picture without transparency.
#[derive(PartialEq, Eq)]
pub(super) struct Image {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

/// A part of a picture: left, top, width and height.
type Part = (u32, u32, u32, u32);

fn failed(error: impl Display) -> String {
    format!("A picture could not be made: {error}.")
}

impl Image {
    /// Of a screenshot.
    pub(super) fn read(file: &[u8]) -> Result<Self, String> {
        let mut decoder = Decoder::new(Cursor::new(file));
        decoder.set_transformations(Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().map_err(failed)?;
        let mut pixels = vec![0; reader.output_buffer_size().unwrap_or_default()];
        let info = reader.next_frame(&mut pixels).map_err(failed)?;
        pixels.truncate(info.buffer_size());
        let pixels = match info.color_type {
            ColorType::Rgb => pixels,
            ColorType::Rgba => {
                let colors = pixels
                    .chunks_exact(PIXEL + 1)
                    .filter_map(<[u8]>::split_last);
                colors.flat_map(|(_, color)| color).copied().collect()
            }
            other => return Err(failed(format!("{other:?} is no colour of a screenshot"))),
        };
        Ok(Self {
            width: info.width,
            height: info.height,
            pixels,
        })
    }

    /// Both beside each other, of one height, with so many pixels of this grey between them.
    pub(super) fn beside(&self, other: &Self, (gap, grey): (u32, u8)) -> Self {
        let space = vec![grey; gap as usize * PIXEL];
        let rows = self.rows().zip(other.rows());
        let rows = rows.flat_map(|(left, right)| [left, &space, right]);
        Self {
            width: self.width + gap + other.width,
            height: self.height.min(other.height),
            pixels: rows.flatten().copied().collect(),
        }
    }

    /// As a file, filtered in the way that makes it smallest.
    pub(super) fn smallest(&self) -> Result<Vec<u8>, String> {
        let files =
            [Filter::NoFilter, Filter::Up, Filter::Adaptive].map(|filter| self.file(filter));
        let files: Vec<_> = files.into_iter().collect::<Result<_, _>>()?;
        let smallest = files.into_iter().min_by_key(Vec::len);
        smallest.ok_or_else(|| failed("there is no filter"))
    }

    fn file(&self, filter: Filter) -> Result<Vec<u8>, String> {
        let mut file = Vec::new();
        let mut encoder = self.encoder(&mut file);
        encoder.set_filter(filter);
        let mut writer = encoder.write_header().map_err(failed)?;
        writer.write_image_data(&self.pixels).map_err(failed)?;
        writer.finish().map_err(failed)?;
        Ok(file)
    }

    fn encoder<'a>(&self, file: &'a mut Vec<u8>) -> Encoder<'a, &'a mut Vec<u8>> {
        let mut encoder = Encoder::new(file, self.width, self.height);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::High);
        encoder
    }

    fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.pixels.chunks_exact(self.width as usize * PIXEL)
    }

    /// The smallest part outside of which both are the same; a pixel where they are the same everywhere.
    fn change(&self, before: &Self) -> Part {
        let (mut left, mut right, mut top, mut bottom) = (self.width, 0, self.height, 0);
        for ((row, old), y) in self.rows().zip(before.rows()).zip(0..) {
            let pixels = row.chunks_exact(PIXEL).zip(old.chunks_exact(PIXEL));
            for ((new, old), x) in pixels.zip(0..) {
                if new != old {
                    (left, right) = (left.min(x), right.max(x + 1));
                    (top, bottom) = (top.min(y), bottom.max(y + 1));
                }
            }
        }
        if right == 0 {
            return (0, 0, 1, 1);
        }
        (left, top, right - left, bottom - top)
    }

    fn cut(&self, (left, top, width, height): Part) -> Vec<u8> {
        let [left, top, width, height] = [left, top, width, height].map(|value| value as usize);
        let rows = self.rows().skip(top).take(height);
        let parts = rows.filter_map(|row| row.get(left * PIXEL..(left + width) * PIXEL));
        parts.flatten().copied().collect()
    }
}

/// Pictures of one size, each for its time, again and again.
pub(super) fn animated(frames: &[(Duration, Image)]) -> Result<Vec<u8>, String> {
    let Some(((time, first), rest)) = frames.split_first() else {
        return Err(failed("there are no frames"));
    };
    let mut file = Vec::new();
    let mut encoder = first.encoder(&mut file);
    encoder.set_filter(Filter::NoFilter);
    let many = u32::try_from(frames.len()).map_err(failed)?;
    encoder.set_animated(many, 0).map_err(failed)?;
    let mut writer = encoder.write_header().map_err(failed)?;
    stay(&mut writer, *time)?;
    writer.write_image_data(&first.pixels).map_err(failed)?;
    let mut before = first;
    for (time, image) in rest {
        let part @ (left, top, width, height) = image.change(before);
        stay(&mut writer, *time)?;
        // The new size may not fit where the frame before was.
        writer.set_frame_position(0, 0).map_err(failed)?;
        writer.set_frame_dimension(width, height).map_err(failed)?;
        writer.set_frame_position(left, top).map_err(failed)?;
        writer.write_image_data(&image.cut(part)).map_err(failed)?;
        before = image;
    }
    writer.finish().map_err(failed)?;
    Ok(file)
}

fn stay(writer: &mut Writer<&mut Vec<u8>>, time: Duration) -> Result<(), String> {
    let ms = u16::try_from(time.as_millis()).unwrap_or(u16::MAX);
    writer.set_frame_delay(ms, 1000).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(pixels: &[u8]) -> Image {
        Image {
            width: 3,
            height: 2,
            pixels: pixels.iter().flat_map(|value| [*value; PIXEL]).collect(),
        }
    }

    #[test]
    fn a_picture_comes_back_out_of_its_file() {
        let image = image(&[0, 1, 2, 3, 4, 5]);
        let again = image.smallest().and_then(|file| Image::read(&file));
        assert!(again.is_ok_and(|again| again == image));
    }

    #[test]
    fn two_pictures_stand_beside_each_other() {
        let (left, right) = (image(&[0, 1, 2, 3, 4, 5]), image(&[6, 7, 8, 9, 10, 11]));
        let both = left.beside(&right, (1, 99));
        assert_eq!((both.width, both.height), (7, 2));
        let first: Vec<u8> = both.pixels.iter().step_by(PIXEL).copied().collect();
        assert_eq!(first, [0, 1, 2, 99, 6, 7, 8, 3, 4, 5, 99, 9, 10, 11]);
    }

    #[test]
    fn of_a_picture_that_moves_only_the_part_that_changed_is_kept() {
        let (before, after) = (image(&[0, 0, 0, 0, 0, 0]), image(&[0, 0, 7, 0, 8, 0]));
        assert_eq!(after.change(&before), (1, 0, 2, 2));
        assert_eq!(after.cut((1, 0, 2, 1)), [0, 0, 0, 7, 7, 7]);
        assert_eq!(before.change(&before), (0, 0, 1, 1));
        let last = image(&[9, 9, 9, 9, 9, 9]);
        let frames = [before, after, last].map(|image| (Duration::from_secs(1), image));
        let file = animated(&frames).unwrap_or_default();
        let holds = |chunk: &[u8]| file.windows(4).any(|part| part == chunk);
        assert!(holds(b"acTL") && holds(b"fdAT"));
    }
}
