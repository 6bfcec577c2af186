//! Words, braces and keywords of a BVH hierarchy.

/// Place in the bytes that moves over words.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
}

impl<'a> Cursor<'a> {
    pub fn skip_blank(&mut self) {
        while self.bytes.get(self.at).is_some_and(|&byte| is_blank(byte)) {
            self.at += 1;
        }
    }

    /// Returns the next word or brace, not consumed; empty at the end of the file.
    pub fn peek(&mut self) -> &'a [u8] {
        self.skip_blank();
        let rest = &self.bytes[self.at..];
        if matches!(rest.first(), Some(b'{' | b'}')) {
            return &rest[..1];
        }
        let stop = |&byte: &u8| is_blank(byte) || matches!(byte, b'{' | b'}');
        &rest[..rest.iter().position(stop).unwrap_or(rest.len())]
    }

    pub fn advance(&mut self, word: &[u8]) {
        self.at += word.len();
    }

    /// Consumes the text up to the end of the line or an opening brace and returns it without blanks around it.
    pub fn rest_of_line(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let stop = |byte: &u8| matches!(byte, b'\n' | b'\r' | b'{');
        let rest = &rest[..rest.iter().position(stop).unwrap_or(rest.len())];
        self.at += rest.len();
        rest.trim_ascii()
    }
}

pub(super) fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0B
}

pub(super) fn is_line_end(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

/// Quotes a word for a message.
pub(super) fn quoted(word: &[u8]) -> String {
    if word.is_empty() {
        return "the end of the file".to_owned();
    }
    let text = String::from_utf8_lossy(word);
    let short: String = text.chars().take(24).collect();
    format!("{short:?}{}", if short.len() < text.len() { "…" } else { "" })
}

/// Meaning of a word in a hierarchy.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keyword {
    Root,
    Joint,
    EndSite,
    Offset,
    Channels,
    Close,
    Motion,
    End,
    Other,
}

impl Keyword {
    pub fn of(word: &[u8]) -> Keyword {
        if word.is_empty() {
            return Keyword::End;
        }
        const WORDS: [(&[u8], Keyword); 8] = [
            (b"JOINT", Keyword::Joint),
            (b"OFFSET", Keyword::Offset),
            (b"CHANNELS", Keyword::Channels),
            (b"}", Keyword::Close),
            (b"End", Keyword::EndSite),
            (b"EndSite", Keyword::EndSite),
            (b"ROOT", Keyword::Root),
            (b"MOTION", Keyword::Motion),
        ];
        WORDS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)).map_or(Keyword::Other, |&(_, keyword)| keyword)
    }
}
