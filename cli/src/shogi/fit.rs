//! `obook shogi fit`.

use crate::options::games::ReadAs;
use crate::options::picture::PictureFile;
use crate::prelude::*;
use crate::shogi::records::Shogi;
use obook::plot::{Across, Chart, Curve, Panel};
use obook_shogi::database::games::each_game;
use obook_shogi::fit::{DISTANCES, Model, NUMBERS, PARTS, Report, Samples, published_curve};

/// Fit the evaluation by effects to the results of games
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi fit *.csa --output effects.svg\n  \
    obook shogi fit games.obook --seed 2 --json\n\n\
    Positions without check, after the opening and before the last moves, of games that somebody won. The log loss is how badly a model \
    predicts the winner, the lower the better: on the games that it was fitted to, and on held-out games, with a standard error by games. \
    docs/research/effects.md explains the models. The result depends only on the games, their order and the seed.")]
pub(crate) struct Arguments {
    /// Files with games, or databases
    #[arg(required = true, value_name = "GAMES", add = Standard)]
    games: Vec<PathBuf>,
    #[command(flatten)]
    read_as: ReadAs<Shogi>,
    /// Positions of a game, at most
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..))]
    positions: u16,
    /// Seed for choosing positions
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Draw the weights and the curve, as SVG or PNG
    #[arg(short, long, value_name = "FILE.svg|FILE.png")]
    output: Option<PathBuf>,
    /// Replace an existing picture
    #[arg(long, requires = "output")]
    force: bool,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Fitted {
    games: usize,
    positions: usize,
    models: Vec<Report>,
    /// The worth of 1 to 4 and more effects, relative to one: as published, and fitted.
    published_curve: [f64; NUMBERS],
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let games = &arguments.games;
    let picture = PictureFile::asked(arguments.output.as_ref(), games, arguments.force)?;
    let context = context::shown();
    let mut random = fastrand::Rng::with_seed(arguments.seed);
    let mut samples = Samples::default();
    context.progress().step("reading games", None);
    each_game(games, arguments.read_as.format, &context, |game| {
        samples.add(&game, arguments.positions.into(), &mut random);
        context.progress().advance(1);
        Ok(())
    })?;
    let models = Model::ALL.len() as u64;
    context.progress().step("fitting", Some(models));
    let models = Model::ALL.into_iter().map(|model| {
        context.progress().advance(1);
        samples.fit(model)
    });
    let Some(models) = models.collect() else {
        let found = count(samples.games() as u64, "game[|s]");
        let problem = format!(
            "{found} that somebody won by resignation, mate or declaration; a fit needs {PARTS} with quiet positions"
        );
        return Err(Failure::file(&games[0], problem));
    };
    drop(context);
    let fitted = Fitted {
        games: samples.games(),
        positions: samples.positions(),
        models,
        published_curve: published_curve(),
    };
    if let Some(picture) = picture {
        picture.commit(fitted.chart().to_svg())?;
    }
    account(&fitted, arguments.json, describe)
}

/// The published worth of one effect on a king's own square: at its own king, and at the other one.
const PUBLISHED: [f64; 2] = [85.0, 98.0];

/// The weight at each distance. It falls with the distance, as published.
fn falling(weight: f64) -> [f64; DISTANCES] {
    std::array::from_fn(|at| weight / (at as f64 + 1.0))
}

/// The models with weights of their own.
const FREE: [Model; 3] = [Model::Distances, Model::Weights, Model::Curve];

impl Fitted {
    /// The fit of a model.
    fn of(&self, model: Model) -> &Report {
        let found = self.models.iter().find(|it| it.model == model.name());
        found.expect("all models are fitted")
    }

    fn chart(&self) -> Chart {
        let curve = |name: &str, values: &[f64]| Curve {
            name: name.to_owned(),
            points: (1..)
                .zip(values)
                .map(|(at, value)| [f64::from(at), *value])
                .collect(),
            is_stepped: false,
        };
        let [free, bound, curved] = FREE.map(|model| &self.of(model).fit);
        let weights = vec![
            curve("own king, each distance", &free.own),
            curve("other king, each distance", &free.other),
            curve("own king, a/(d+1)", &bound.own),
            curve("other king, b/(d+1)", &bound.other),
            curve("own king, published", &falling(PUBLISHED[0])),
            curve("other king, published", &falling(PUBLISHED[1])),
        ];
        let curves = vec![
            curve("fitted", &curved.curve),
            curve("published", &self.published_curve),
        ];
        Chart {
            title: String::from("What effects are worth"),
            note: format!(
                "fitted to {} positions of {} games",
                self.positions, self.games
            ),
            across: Across::Doubling(String::from(
                "above: distance from the king + 1; below: effects on one square, 5 for more",
            )),
            panels: vec![
                Panel {
                    label: String::from("centipawns of one effect"),
                    curves: weights,
                },
                Panel {
                    label: String::from("worth of several effects, in those of one"),
                    curves,
                },
            ],
        }
    }
}

fn describe(fitted: &Fitted, out: &mut dyn Write) -> io::Result<()> {
    let (games, positions) = (fitted.games, fitted.positions);
    writeln!(out, "{positions} positions of {games} games\n")?;
    writeln!(out, "model                       log loss  held out")?;
    for model in &fitted.models {
        let (log_loss, held_out) = (model.log_loss, model.held_out);
        writeln!(
            out,
            "{:26}  {log_loss:8.4}  {held_out:8.4} ± {:.4}",
            model.model, model.standard_error
        )?;
    }
    let numbers = |values: &[f64], digits: usize| -> String {
        let values = values.iter();
        values.map(|value| format!("{value:7.digits$}")).collect()
    };
    let [free, bound, curved] = FREE.map(|model| &fitted.of(model).fit);
    writeln!(
        out,
        "\ncentipawns of one effect by its distance from a king, 0 to 8"
    )?;
    for (king, free, bound, published) in [
        ("own king", &free.own, &bound.own, PUBLISHED[0]),
        ("other king", &free.other, &bound.other, PUBLISHED[1]),
    ] {
        writeln!(out, "{king:10}  each      {}", numbers(free, 1))?;
        writeln!(out, "{:10}  w/(d+1)   {}", "", numbers(bound, 1))?;
        let published = numbers(&falling(published), 1);
        writeln!(out, "{:10}  published {published}", "")?;
    }
    writeln!(
        out,
        "\nworth of 1 to 4 and more effects on one square, in those of one"
    )?;
    writeln!(out, "fitted    {}", numbers(&curved.curve, 2))?;
    writeln!(out, "published {}", numbers(&fitted.published_curve, 2))?;
    let [c, x] = fitted.of(Model::Curve).shape;
    writeln!(
        out,
        "fitted shape 1 + {c:.2}·(1 − {x:.3}^(m−1)), published 1 + 5.22·(1 − 0.853^(m−1))"
    )?;
    writeln!(
        out,
        "a piece on the board is worth {:.0} % less than in hand (published: 10 %), the right to move {:.0} centipawns",
        100.0 * bound.on_board,
        bound.turn
    )
}
