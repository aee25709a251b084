// A simple chart of the rows of a query: the first column of numbers over the column before it, or over
// the number of the row.

export type Cell = string | number | bigint | null;

const WIDTH = 720;
const HEIGHT = 240;
const LEFT = 56;
const BOTTOM = 24;
/** The room for a label below. */
const LABEL = 56;
/** More rows than this make no picture. */
const MOST = 400;

interface Point { readonly label: string; readonly x: number; readonly y: number }

/** The columns to draw: over `across`, or over the rows if it is null. Null if there is nothing to draw. */
export function chartColumns(rows: readonly (readonly Cell[])[]): { across: number | null; up: number } | null {
  const [first] = rows;
  if (!first || rows.length < 2) return null;
  const isNumeric = (column: number): boolean =>
    rows.every((row) => row[column] === null || typeof row[column] === 'number') && rows.some((row) => row[column] !== null);
  const numeric = first.map((_, column) => column).filter(isNumeric);
  const [one, two] = numeric;
  if (one === undefined) return null;
  if (one > 0) return { across: 0, up: one };
  return two === undefined ? { across: null, up: one } : { across: one, up: two };
}

/** A round number of at least a tenth of the span, for the lines across. */
function stepOf(span: number): number {
  const power = 10 ** Math.floor(Math.log10(span || 1));
  return [0.1, 0.2, 0.5, 1].map((part) => part * power).find((step) => span / step <= 5) ?? power;
}

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

export function SqlChart({ columns, rows }: { columns: readonly string[]; rows: readonly (readonly Cell[])[] }) {
  const drawn = rows.slice(0, MOST);
  const chosen = chartColumns(drawn);
  if (!chosen) return <p class="quiet">A chart needs at least two rows and a column of numbers.</p>;
  const { across, up } = chosen;
  const points: Point[] = drawn.flatMap((row, index) => {
    const y = row[up];
    const over = across === null ? index + 1 : row[across]!;
    return typeof y === 'number' ? [{ label: String(over), x: typeof over === 'number' ? over : index, y }] : [];
  });
  const [least, most] = [Math.min(0, ...points.map(({ y }) => y)), Math.max(0, ...points.map(({ y }) => y))];
  const step = stepOf(most - least);
  const y = (value: number): number => 8 + ((most - value) * (HEIGHT - BOTTOM - 8)) / (most - least || 1);
  const xs = points.map(({ x }) => x);
  const [from, to] = [Math.min(...xs), Math.max(...xs)];
  const gaps = [...new Set(xs)].sort((a, b) => a - b).map((x, index, all) => (index === 0 ? Infinity : x - all[index - 1]!));
  const gap = Math.min(to - from || 1, ...gaps);
  const wide = (WIDTH - LEFT) / ((to - from) / gap + 1);
  const x = (value: number): number => LEFT + ((value - from) / gap) * wide;
  const lines = Array.from({ length: Math.floor(most / step) - Math.ceil(least / step) + 1 }, (_, index) => (Math.ceil(least / step) + index) * step);
  const labelled = new Set<Point>();
  let free = LEFT;
  for (const point of [...points].sort((a, b) => a.x - b.x)) {
    if (x(point.x) < free) continue;
    labelled.add(point);
    free = x(point.x) + LABEL;
  }
  const name = across === null ? 'row' : columns[across];
  return (
    <figure class="sqlchart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${columns[up]} by ${name}, ${points.length} values from ${least} to ${most}`}>
        {lines.map((value) => (
          <g key={value}><path class={value === 0 ? 'zero' : 'axis'} d={`M${LEFT} ${y(value)}H${WIDTH}`} /><text class="up" x={LEFT - 8} y={y(value) + 4}>{short.format(value)}</text></g>
        ))}
        {points.map((point, index) => (
          <g key={index}>
            <rect x={x(point.x) + wide * 0.1} width={Math.max(1, wide * 0.8)} y={Math.min(y(0), y(point.y))} height={Math.abs(y(0) - y(point.y))}>
              <title>{`${name} ${point.label}: ${point.y}`}</title></rect>
            {labelled.has(point) && <text class="across" x={x(point.x) + wide / 2} y={HEIGHT - 6}>{point.label.slice(0, 8)}</text>}
          </g>
        ))}
      </svg>
      <figcaption class="quiet">{columns[up]} by {name}{rows.length > MOST ? `, the first ${MOST} rows` : ''}</figcaption>
    </figure>
  );
}
