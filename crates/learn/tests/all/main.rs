//! How books grow, and how leaves are searched: one binary, which links once.

mod accuracy;
mod asked;
mod at;
mod best_first;
mod by_definition;
mod edax;
mod egaroucid;
mod failing;
#[cfg_attr(
    not(unix),
    expect(dead_code, reason = "the real engines are asked on Unix")
)]
mod grown;
mod limits;
#[cfg(target_os = "linux")]
mod locks;
mod made_up;
mod one_run;
#[cfg(unix)]
mod real;
mod rules;
mod run;
mod search;
mod shogi;
mod waves;
