//! The words of an enum. Settings, the store, tickets, the log and the metrics know its variants by these.
//!
//! Invariant: a variant stands in one row with its word, and everything that writes or reads it goes by that row.

/// Makes an enum of the rows `Variant = "word"`: the words in `ALL`, `name` and `named`, and serde by the same words.
macro_rules! words {
    (
        $(#[$of_enum:meta])*
        $vis:vis enum $name:ident {
            $($(#[$of_variant:meta])* $variant:ident = $word:literal,)+
        }
    ) => {
        $(#[$of_enum])*
        $vis enum $name {
            $($(#[$of_variant])* $variant,)+
        }

        impl $name {
            /// Every variant with its word, in their order.
            $vis const ALL: [(&'static str, Self); [$($word),+].len()] = [$(($word, Self::$variant)),+];

            /// The word of this variant.
            #[must_use]
            $vis fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// The variant of this word.
            #[must_use]
            $vis fn named(word: &str) -> Option<Self> {
                let found = Self::ALL.iter().find(|(known, _)| *known == word);
                found.map(|(_, variant)| *variant)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let word = String::deserialize(from)?;
                Self::named(&word).ok_or_else(|| serde::de::Error::custom("an unknown word"))
            }
        }
    };
}

pub(crate) use words;

#[cfg(test)]
mod tests {
    words! {
        /// Two of them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Side {
            /// One.
            Left = "left",
            /// The other.
            RightHand = "right_hand",
        }
    }

    #[test]
    fn a_variant_has_one_word_for_people_the_store_and_json() {
        for (word, side) in Side::ALL {
            assert_eq!((side.name(), Side::named(word)), (word, Some(side)));
            let json = format!("\"{word}\"");
            assert_eq!(serde_json::to_string(&side).ok(), Some(json.clone()));
            assert_eq!(serde_json::from_str(&json).ok(), Some(side));
        }
        assert_eq!(Side::named("middle"), None);
        for json in [r#""middle""#, r#""Left""#, "1", "null"] {
            assert!(serde_json::from_str::<Side>(json).is_err(), "{json}");
        }
    }
}
