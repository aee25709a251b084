//! The display of positions.

use obook::read::view::View;
use obook_othello::{Board, Engine, Line, Outcomes, Position};

fn shown(lines: u32, outcomes: Option<[u32; 3]>) -> String {
    let mut position = Position::new(Board::START.canonical(), Engine::Edax);
    position.lines = Some(lines);
    position.outcomes = outcomes.map(|[wins, draws, losses]| Outcomes {
        wins,
        draws,
        losses,
    });
    let text = View::new(Line::new(), &position).to_string();
    let from = text.find("Lines:").expect("lines are shown");
    text[from..].to_owned()
}

/// Counts at their maximum are shown as “at least”.
#[test]
fn saturated_counts_are_no_exact_ones() {
    const MOST: u32 = u32::MAX;
    assert_eq!(
        shown(100, Some([40, 20, 20])),
        "Lines: 80 full games with 50.00% win, 25.00% draw, 25.00% loss\n       20 incomplete lines.\n"
    );
    assert_eq!(
        shown(MOST, Some([MOST; 3])),
        "Lines: at least 12884901885 full games\n"
    );
    assert_eq!(
        shown(MOST, Some([MOST, 5, 7])),
        "Lines: at least 4294967307 full games\n"
    );
    assert_eq!(
        shown(MOST, Some([50, 25, 25])),
        "Lines: 100 full games with 50.00% win, 25.00% draw, 25.00% loss\n       at least 4294967195 incomplete lines.\n"
    );
    assert_eq!(shown(12, None), "Lines: 12\n");
    assert_eq!(shown(3_999_999_999, None), "Lines: 3999999999\n");
    assert_eq!(shown(4_000_000_000, None), "Lines: at least 4000000000\n");
    assert_eq!(shown(MOST, None), "Lines: at least 4294967295\n");
}
