import { isFinal, PAYMENT_TRANSITIONS, REFUND_TRANSITIONS, type Transition } from './payment-statuses';

/** The path from which the guide loads the diagram. */
export const PICTURE_PATH = '/docs/statuses.svg';

/** For a browser that opens the diagram directly. */
export const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'";

/** The centre of a box. */
interface Place {
  readonly x: number;
  readonly y: number;
}
type Places = Readonly<Record<string, Place>>;

const WIDTH = 440;
const HEIGHT = 486;
const BOX = { width: 108, height: 36 };
const [LEFT, MIDDLE, RIGHT] = [66, 220, 374];

const PAYMENT_PLACES: Places = {
  PROCESSING: { x: LEFT, y: 62 },
  AUTHORIZED: { x: RIGHT, y: 62 },
  FAILED: { x: MIDDLE, y: 122 },
  CANCELLED: { x: MIDDLE, y: 182 },
  EXPIRED: { x: MIDDLE, y: 242 },
  COMPLETED: { x: RIGHT, y: 302 },
};
const REFUND_PLACES: Places = {
  PENDING: { x: LEFT, y: 402 },
  COMPLETED: { x: RIGHT, y: 402 },
  FAILED: { x: RIGHT, y: 452 },
};

/** Light unless the reader prefers dark; with its own background, so that it is legible on any page. */
const STYLE = `
  svg { color-scheme: light dark; font: 13px system-ui, sans-serif; }
  .ground { fill: #ffffff; stroke: #d4d8dd; }
  .box { fill: #e8f0fe; stroke: #1a56b0; stroke-width: 1.5; }
  .final { fill: #f1f3f4; stroke: #3c4650; stroke-width: 3; }
  .way { fill: none; stroke: #5b6670; stroke-width: 1.5; }
  .head { fill: #5b6670; }
  text { fill: #1f2933; text-anchor: middle; }
  .title { font-weight: 600; text-anchor: start; }
  .status { font: 600 13px ui-monospace, monospace; }
  .label { font-size: 12px; stroke: #ffffff; stroke-width: 4; paint-order: stroke; }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #17191c; stroke: #3a4048; }
    .box { fill: #172a45; stroke: #7fb0ff; }
    .final { fill: #2a2f35; stroke: #c3cad1; }
    .way { stroke: #9aa5b1; }
    .head { fill: #9aa5b1; }
    text { fill: #e6e9ec; }
    .label { stroke: #17191c; }
  }`;

/** The statuses and every transition between them, as SVG. */
export function statusPicture(): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="name text">
<title id="name">Payment and refund statuses</title>
<desc id="text">${[...PAYMENT_TRANSITIONS.map(sentence('Payment')), ...REFUND_TRANSITIONS.map(sentence('Refund'))].join(' ')}</desc>
<style>${STYLE}
</style>
<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="head" d="M0 0 8 4 0 8z"/></marker></defs>
<rect class="ground" x="0.5" y="0.5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="8"/>
<text class="title" x="12" y="26">Payment</text>
${drawn(PAYMENT_PLACES, PAYMENT_TRANSITIONS)}
<text class="title" x="12" y="366">Each refund of a completed payment</text>
${drawn(REFUND_PLACES, REFUND_TRANSITIONS)}
<text class="label" x="${LEFT}" y="307">thick: final</text>
</svg>
`;
}

const sentence =
  (of: string) =>
  ({ from, to, label }: Transition<string>): string =>
    `${of}: ${from} to ${to} (${label}).`;

function drawn(places: Places, transitions: readonly Transition<string>[]): string {
  const ways = transitions.map((transition) => way(transition, places));
  const boxes = Object.entries(places).map(([status, { x, y }]) => {
    const corner = `x="${x - BOX.width / 2}" y="${y - BOX.height / 2}"`;
    const kind = isFinal(status, transitions) ? 'final' : 'box';
    return (
      `<rect class="${kind}" ${corner} width="${BOX.width}" height="${BOX.height}" rx="6"/>` +
      `<text class="status" x="${x}" y="${y + 5}">${status}</text>`
    );
  });
  return [...ways, ...boxes].join('\n');
}

/** A straight line if possible, otherwise down first and then sideways. */
function way({ from, to, label }: Transition<string>, places: Places): string {
  const [begin, end] = [places[from], places[to]];
  if (begin === undefined || end === undefined) throw new Error(`The picture has no place for ${from} or ${to}`);
  const side = Math.sign(end.x - begin.x);
  const edge = end.x - (side * BOX.width) / 2;
  const start = begin.y === end.y ? begin.x + (side * BOX.width) / 2 : begin.x;
  const path =
    side === 0 ? `M${begin.x} ${begin.y}V${end.y - BOX.height / 2}` : `M${start} ${begin.y}V${end.y}H${edge}`;
  const middle = side === 0 ? begin.x : (start + edge) / 2;
  const height = side === 0 ? end.y - BOX.height / 2 - 16 : end.y - 7;
  return `<path class="way" marker-end="url(#end)" d="${path}"/><text class="label" x="${middle}" y="${height}">${label}</text>`;
}
