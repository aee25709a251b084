//! A book grows by an engine of one's own, which looks one move ahead.

use obook::{Context, Engine, Place};
use obook_engine::{Answer, Request, SearchError, Searcher, Stop};
use obook_learn::search::Threads;
use obook_learn::{LearnOptions, Recipe, Rule, Stage, learn, open_book};
use std::num::NonZeroUsize;

struct Tiny;

impl Searcher for Tiny {
    // Its searches keep this name. With a place, such as `"above edax".parse()?`, merges count its levels among others.
    fn engine(&self) -> Engine {
        Engine::own("tiny 1.0", Engine::Edax, Place::UNKNOWN).expect("a name")
    }

    fn search(&mut self, request: &Request) -> Result<Answer, SearchError> {
        let after = |mv| request.board().play(mv).expect("it is legal");
        let left = request.moves().map(|mv| (after(mv).moves().count(), mv));
        let (left, mv) = left.min().expect("there is a move");
        Ok(Answer::new(self.engine(), request, mv, -(left as i8), 1))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let stages = vec![Stage::new(Rule::BestFirst { least: 0.0 }, 1, 60)];
    let recipe = Recipe { from: None, stages };
    let context = Context::new("example");
    let mut book = open_book(&folder.path().join("mine.obook"), &recipe, &context)?;
    let options = LearnOptions {
        limit: Some(50),
        ..LearnOptions::default()
    };
    let mut hire = Threads::hire(NonZeroUsize::MIN, Stop::default(), || Ok(Tiny));
    let learned = learn(&mut book, &recipe, &options, &mut hire, &mut |_| {})?;
    let searches = learned.totals.searches;
    println!("{:?} after {searches} searches", learned.root);
    assert!(learned.root.is_some() && searches > 40);
    Ok(())
}
