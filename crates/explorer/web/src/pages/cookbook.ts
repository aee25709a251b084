// Queries to start from.

export const COOKBOOK: readonly { readonly title: string; readonly sql: string }[] = [
  { title: 'How large is the book?', sql: `SELECT (SELECT count(*) FROM positions) AS positions,
       (SELECT count(*) FROM links) AS links,
       (SELECT count(*) FROM leaves) AS leaves;` },
  { title: 'How far does it go?', sql: `SELECT empties / 10 * 10 AS from_empties, count(*) AS positions
FROM positions
GROUP BY empties / 10
ORDER BY from_empties DESC;` },
  { title: 'How well was it searched?', sql: `SELECT name AS engine, level, count(*) AS positions
FROM positions JOIN engines USING (engine)
GROUP BY name, level
ORDER BY positions DESC;` },
  { title: 'The moves of a position', sql: `SELECT square, kind, score
FROM moves('f5d6');` },
  { title: 'Best play', sql: `SELECT ply, square, score, kind, line
FROM line('f5d6');` },
  { title: 'Positions, drawn', sql: `SELECT board, empties, value, level
FROM positions
ORDER BY empties DESC
LIMIT 12;` },
  { title: 'Early traps', sql: `SELECT line, value
FROM tree('f5', 11)
ORDER BY value
LIMIT 10;` },
  { title: 'What was done to the book', sql: `SELECT id, time, command
FROM history
ORDER BY id DESC;` },
];
