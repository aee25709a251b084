//! One interface to all engines.

use crate::{Answer, NothingToSearch, Request, SearchError};
use obook_model::Engine;

/// Whatever finds the best remaining move of a position and its score.
///
/// The answer depends on the request alone, never on what was asked before.
pub trait Searcher: Send {
    /// What people call it, such as `inside`, or its name in `engines.toml`.
    fn name(&self) -> &str;

    /// On whose scale its levels are.
    fn engine(&self) -> Engine;

    /// The best move that is not left out.
    ///
    /// # Errors
    /// [`SearchError`] where a limit ended the search before anything was found, or the engine failed.
    fn search(&mut self, request: &Request) -> Result<Answer, SearchError>;

    /// How many requests at once suit it best: more than one where many together are cheaper than one after another.
    fn batch(&self) -> usize {
        1
    }

    /// One answer for each request, in their order. Engines that search many positions at once do so here.
    fn search_all(&mut self, requests: &[Request]) -> Vec<Result<Answer, SearchError>> {
        requests
            .iter()
            .map(|request| self.search(request))
            .collect()
    }

    /// The best `count` moves, or as many as there are, the best first: each search leaves out the moves before it.
    ///
    /// # Errors
    /// As [`Searcher::search`], of the first search. A later one that a limit ends only ends the list.
    fn hint(&mut self, request: &Request, count: usize) -> Result<Vec<Answer>, SearchError> {
        let mut answers: Vec<Answer> = Vec::new();
        let mut request = request.clone();
        while answers.len() < count {
            let answer = match self.search(&request) {
                Err(SearchError::Stopped) if !answers.is_empty() => break,
                answer => answer?,
            };
            let found = answer.mv;
            answers.push(answer);
            request = match request.without(found) {
                Ok(rest) => rest,
                Err(NothingToSearch::AllLeftOut | NothingToSearch::GameOver) => break,
            };
        }
        Ok(answers)
    }
}
