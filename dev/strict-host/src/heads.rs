//! Heads of requests and answers, read from the host and made there.

use real::{RequestHandle, ResponseHandle, fastly_http_req as req, fastly_http_resp as resp};

/// The most bytes of all names of headers, of all values of one, of a method and of a URL.
const LONGEST: usize = 1 << 18;

pub(crate) type Headers = Vec<(Vec<u8>, Vec<u8>)>;

/// A head, as it is kept beside a body in the core cache.
#[derive(Clone, Default)]
pub(crate) struct RequestHead {
    pub(crate) method: String,
    pub(crate) url: String,
    pub(crate) headers: Headers,
}

impl RequestHead {
    pub(crate) fn of(request: RequestHandle) -> Self {
        let text = |bytes: Option<Vec<u8>>| {
            String::from_utf8(bytes.unwrap_or_default()).unwrap_or_default()
        };
        Self {
            method: text(filled(|buffer, length, written| unsafe {
                req::method_get(request, buffer, length, written)
            })),
            url: text(filled(|buffer, length, written| unsafe {
                req::uri_get(request, buffer, length, written)
            })),
            headers: headers(
                |buffer, length, cursor, end, written| unsafe {
                    req::header_names_get(request, buffer, length, cursor, end, written)
                },
                |name, buffer, length, cursor, end, written| unsafe {
                    req::header_values_get(
                        request,
                        name.as_ptr(),
                        name.len(),
                        buffer,
                        length,
                        cursor,
                        end,
                        written,
                    )
                },
            ),
        }
    }

    /// What a request with that head takes on its way.
    pub(crate) fn size(&self) -> usize {
        let headers = self.headers.iter();
        let lines = headers.map(|(name, value)| name.len() + value.len() + 4);
        self.method.len() + self.url.len() + lines.sum::<usize>()
    }

    pub(crate) fn made(&self) -> RequestHandle {
        let mut request = 0;
        unsafe {
            let _ = req::new(&mut request);
            let _ = req::method_set(request, self.method.as_ptr(), self.method.len());
            let _ = req::uri_set(request, self.url.as_ptr(), self.url.len());
            for (name, value) in &self.headers {
                let _ = req::header_append(
                    request,
                    name.as_ptr(),
                    name.len(),
                    value.as_ptr(),
                    value.len(),
                );
            }
        }
        request
    }
}

#[derive(Clone, Default)]
pub(crate) struct ResponseHead {
    pub(crate) status: u16,
    pub(crate) headers: Headers,
}

impl ResponseHead {
    pub(crate) fn of(response: ResponseHandle) -> Self {
        let mut status = 0;
        let _ = unsafe { resp::status_get(response, &mut status) };
        Self {
            status,
            headers: headers(
                |buffer, length, cursor, end, written| unsafe {
                    resp::header_names_get(response, buffer, length, cursor, end, written)
                },
                |name, buffer, length, cursor, end, written| unsafe {
                    resp::header_values_get(
                        response,
                        name.as_ptr(),
                        name.len(),
                        buffer,
                        length,
                        cursor,
                        end,
                        written,
                    )
                },
            ),
        }
    }

    /// The values of a header, in lower case.
    pub(crate) fn values(&self, name: &str) -> impl Iterator<Item = String> {
        let headers = self.headers.iter();
        let of_name = headers.filter(move |(found, _)| found.eq_ignore_ascii_case(name.as_bytes()));
        of_name.map(|(_, value)| String::from_utf8_lossy(value).to_ascii_lowercase())
    }

    pub(crate) fn made(&self) -> ResponseHandle {
        let mut response = 0;
        unsafe {
            let _ = resp::new(&mut response);
            let _ = resp::status_set(response, self.status);
            for (name, value) in &self.headers {
                let _ = resp::header_append(
                    response,
                    name.as_ptr(),
                    name.len(),
                    value.as_ptr(),
                    value.len(),
                );
            }
        }
        response
    }

    /// The status, and a line for each header.
    pub(crate) fn written(&self) -> Vec<u8> {
        let mut text = self.status.to_string().into_bytes();
        for (name, value) in &self.headers {
            text.extend([b"\n", name.as_slice(), b":", value].concat());
        }
        text
    }

    pub(crate) fn read(text: &[u8]) -> Option<Self> {
        let mut lines = text.split(|byte| *byte == b'\n');
        let status = std::str::from_utf8(lines.next()?).ok()?.parse().ok()?;
        let headers = lines.map(|line| {
            let at = line.iter().position(|byte| *byte == b':')?;
            Some((line[..at].to_vec(), line[at + 1..].to_vec()))
        });
        let headers = headers.collect::<Option<Headers>>()?;
        Some(Self { status, headers })
    }
}

/// What a call of the host fills a buffer with.
pub(crate) fn filled(
    ask: impl FnOnce(*mut u8, usize, *mut usize) -> fastly_shared::FastlyStatus,
) -> Option<Vec<u8>> {
    let (mut buffer, mut written) = (vec![0; LONGEST], 0);
    let status = ask(buffer.as_mut_ptr(), LONGEST, &mut written);
    buffer.truncate(written);
    status.is_ok().then_some(buffer)
}

/// Items that the host ends with a zero each, from the first to the last.
fn items(
    mut ask: impl FnMut(*mut u8, usize, u32, *mut i64, *mut usize) -> fastly_shared::FastlyStatus,
) -> Vec<Vec<u8>> {
    let (mut items, mut cursor) = (Vec::new(), 0);
    loop {
        let mut next = -1;
        let Some(buffer) =
            filled(|buffer, length, written| ask(buffer, length, cursor, &mut next, written))
        else {
            return items;
        };
        let parts = buffer.split(|byte| *byte == 0).map(<[u8]>::to_vec);
        let many = buffer.iter().filter(|byte| **byte == 0).count();
        items.extend(parts.take(many));
        match u32::try_from(next) {
            Ok(next) if next > cursor => cursor = next,
            _ => return items,
        }
    }
}

fn headers(
    names: impl FnMut(*mut u8, usize, u32, *mut i64, *mut usize) -> fastly_shared::FastlyStatus,
    values: impl Fn(&[u8], *mut u8, usize, u32, *mut i64, *mut usize) -> fastly_shared::FastlyStatus,
) -> Headers {
    let names = items(names);
    let of = |name: Vec<u8>| {
        let found = items(|buffer, length, cursor, end, written| {
            values(&name, buffer, length, cursor, end, written)
        });
        found.into_iter().map(move |value| (name.clone(), value))
    };
    names.into_iter().flat_map(of).collect()
}
