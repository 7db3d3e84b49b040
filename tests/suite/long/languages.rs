//! Every page in every language before axe-core and on a picture; each run looks at one language of each direction.

use crate::browser::languages::{Looked, the_waiting_page_fits_in_every_language};
use crate::browser::{challenge, invitation};

#[test]
fn the_waiting_page_is_open_to_all_in_every_language() {
    the_waiting_page_fits_in_every_language(Looked::All);
}

#[test]
fn the_challenge_is_open_to_all_in_every_language() {
    challenge::the_challenge_fits_in_every_language(Looked::All);
}

#[test]
fn the_way_to_the_verifier_is_open_to_all_in_every_language() {
    challenge::the_way_to_the_verifier_fits_in_every_language(Looked::All);
}

#[test]
fn the_page_that_takes_an_invitation_is_open_to_all_in_every_language() {
    invitation::the_page_that_takes_an_invitation_fits_in_every_language(Looked::All);
}
