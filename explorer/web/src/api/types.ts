// The answers of the server.

export type Maybe<T> = T | null | undefined;
export interface Counts { wins?: number | null; draws?: number | null; losses?: number | null; all?: number | null }
export interface Opening { name: string; ja?: string | null; line: string }
export interface MoveGames { move: number; position: number; wins: number; draws: number; losses: number; mean?: number | null }
export interface Move {
  square: string;
  kind?: 'link' | 'leaf' | null;
  score?: number | null;
  path_dependent: boolean;
  lower?: number | null;
  upper?: number | null;
  level?: number | null;
  engine?: string | null;
  proven: boolean;
  child: string;
  name?: Opening | null;
  games?: MoveGames | null;
}
export interface BestMove { square: string; score?: number | null; level?: number | null; kind: 'link' | 'leaf' }
export interface Answer {
  line: string; key: string; board: string; turn: 'black' | 'white'; ply: number; empties: number; in_book: boolean;
  opening?: Opening | null; value?: number | null; path_dependent: boolean; lower?: number | null; upper?: number | null;
  level?: number | null; engine?: string | null; lines?: Counts | null; final_score?: number | null; grade?: string | null;
  moves: Move[]; best: BestMove[]; parents: number;
}
export interface BookEntry { name: string; file: string; bytes: number; positions: number; games: boolean; version: string }
export interface Books { obook: string; books: BookEntry[] }
export interface Game {
  game: number; date?: string | null; tournament?: string | null; black?: string | null; white?: string | null;
  score?: number | null; square?: string | null; moves?: string | null;
}
export interface Games { games: Game[]; next?: number | null }
export interface Parent { line?: string | null; key: string; value?: number | null; opening?: Opening | null }
export interface Parents { parents: Parent[] }
export interface Parsed { line: string; board: string; opening?: Opening | null }
export interface ValuedOpening extends Opening { value?: number | null }
export interface Openings { openings: ValuedOpening[] }
export interface Info {
  file: string; rules: string; written?: string | null; level?: number | null; positions: number; links: number; leaves: number;
  games: number; waiting: number; tasks: number; root?: number | null; levels: { level: number; positions: number }[];
  learning?: { change: number; stage: number; searches: number; seconds?: number | null; root?: number | null } | null;
}
export interface Stats { stages: { empties: number; positions: number; links: number; leaves: number; terminal: number }[]; values: { value: number; positions: number }[] }
export interface Change { id: number; command: string; time: string; undone?: string | null; log: 'kept' | 'dropped' | 'none'; counts: Record<string, unknown> }
export interface History { changes: Change[] }
export interface NearMove { ply: number; line: string; square: string; kind?: string | null; score?: number | null; cost?: number | null; loss: number; level?: number | null }
export interface NearBest { moves: NearMove[] }
export interface SqlTable { name: string; kind: string; columns: string[]; arguments: string[] }
export interface Schema { tables: SqlTable[]; functions: string[] }
export interface HintMove { square: string; score: number; depth: number; probability?: number | null; proven: boolean; variation: string }
export interface Hint { level: number; moves: HintMove[] }
