//! What an endpoint turned out not to understand, remembered for the run and left out from then on.

use super::refusals::Lack;

/// What to leave out or to name differently.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Quirks {
    pub no_schema: bool,
    pub max_completion_tokens: Option<bool>,
    pub max_output: Option<u32>,
    pub no_temperature: bool,
    pub no_seed: bool,
    pub no_encoding_format: bool,
    pub no_stream_options: bool,
    /// Texts per embedding request.
    pub max_inputs: Option<usize>,
}

impl Quirks {
    /// Learns from a refusal. False when the request that was `sent` already took it into account, so that sending
    /// again would change nothing.
    pub fn learn(&mut self, lack: &Lack, sent: &Quirks) -> bool {
        let before = sent.clone();
        let mut would = sent.clone();
        would.apply(lack);
        self.apply(lack);
        would != before
    }

    fn apply(&mut self, lack: &Lack) {
        match lack {
            Lack::Schema => self.no_schema = true,
            // a server that refuses both names is not asked a third time
            Lack::MaxTokensName => {
                self.max_completion_tokens = self.max_completion_tokens.or(Some(true))
            }
            Lack::MaxCompletionTokensName => {
                self.max_completion_tokens = self.max_completion_tokens.or(Some(false))
            }
            Lack::MaxOutput(limit) => {
                self.max_output = Some(self.max_output.map_or(*limit, |old| old.min(*limit)))
            }
            Lack::Temperature => self.no_temperature = true,
            Lack::Seed => self.no_seed = true,
            Lack::EncodingFormat => self.no_encoding_format = true,
            Lack::StreamOptions => self.no_stream_options = true,
        }
    }

    /// Caps the texts of an embedding request.
    pub fn cap_inputs(&mut self, limit: usize) {
        let limit = limit.max(1);
        self.max_inputs = Some(self.max_inputs.map_or(limit, |old| old.min(limit)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_learnt_once() {
        let sent = Quirks::default();
        let mut quirks = Quirks::default();
        assert!(quirks.learn(&Lack::Schema, &sent));
        // a second call was in flight with the same request: it is sent again too
        assert!(quirks.learn(&Lack::Schema, &sent));
        let sent = quirks.clone();
        assert!(!quirks.learn(&Lack::Schema, &sent));
    }
}
