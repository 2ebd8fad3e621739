import { formatRatio } from './format.mjs';
import { machineLine } from './machine.mjs';

/**
 * Ratios as bars on a logarithmic scale: 1 is the peer, right is better.
 * @typedef {import('./report.mjs').Report} Report
 * @typedef {import('./summary.mjs').Summary} Summary
 * @typedef {Summary & { ratio: number }} Compared
 */

const width = 960;
const labels = 270;
const right = 90;
const top = 96;
const rowHeight = 24;
const groupGap = 30;
const bottom = 92;
const barHeight = 14;
const colours = {
  met: '#1f8a5b',
  missed: '#c8553d',
  open: '#5b7ea6',
  ink: '#1f2933',
  soft: '#6b7785',
  grid: '#e3e7ec',
  goal: '#1f2933',
};

/** @param {string} text */
function escapeText(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** @param {string} name @param {Record<string, string | number>} attributes @param {string} [content] */
function element(name, attributes, content) {
  const written = Object.entries(attributes).map(([key, value]) => {
    return ` ${key}="${typeof value === 'number' ? Math.round(value * 10) / 10 : escapeText(value)}"`;
  });
  return content === undefined ? `<${name}${written.join('')}/>` : `<${name}${written.join('')}>${content}</${name}>`;
}

/** @param {number} x @param {number} y @param {string} content @param {Record<string, string | number>} [attributes] */
function text(x, y, content, attributes = {}) {
  return element('text', { x, y, fill: colours.ink, 'font-size': 13, ...attributes }, escapeText(content));
}

/** @param {readonly Compared[]} rows @returns {{ ticks: number[], at: (ratio: number) => number }} */
function scaleFor(rows) {
  const reach = rows.flatMap(({ ratio, row }) => [ratio, row.goal?.ratio ?? 1]);
  const lowest = Math.floor(Math.log2(Math.min(1, ...reach)));
  const highest = Math.max(lowest + 2, Math.ceil(Math.log2(Math.max(...reach) * 1.05)));
  const step = (width - labels - right) / (highest - lowest);
  const ticks = Array.from({ length: highest - lowest + 1 }, (_, index) => 2 ** (lowest + index));
  return { ticks, at: (ratio) => labels + (Math.log2(ratio) - lowest) * step };
}

/** @param {readonly Compared[]} rows @returns {{ placed: { summary: Compared, y: number }[], heads: { title: string, y: number }[], end: number }} */
function layOut(rows) {
  const placed = [];
  const heads = [];
  let y = top;
  for (const group of new Set(rows.map(({ row }) => row.group))) {
    heads.push({ title: group, y: y + 20 });
    y += groupGap;
    for (const summary of rows.filter(({ row }) => row.group === group)) {
      placed.push({ summary, y });
      y += rowHeight;
    }
  }
  return { placed, heads, end: y };
}

/** @param {Compared} summary @param {number} y @param {(ratio: number) => number} at */
function bar({ row, ratio, met }, y, at) {
  const fill = met === undefined ? colours.open : met ? colours.met : colours.missed;
  const from = Math.min(at(1), at(ratio));
  const length = Math.max(1.5, Math.abs(at(ratio) - at(1)));
  const middle = y + rowHeight / 2;
  const beside = Math.max(at(ratio), at(1)) + 8;
  const parts = [
    text(labels - 14, middle + 4.5, row.title, { 'text-anchor': 'end' }),
    element('rect', { x: from, y: middle - barHeight / 2, width: length, height: barHeight, rx: 2, fill }),
  ];
  if (row.goal) parts.push(element('line', { ...goalMark(at(row.goal.ratio), middle) }));
  // Moves the figure where it would overlap the goal mark.
  const goalAt = row.goal ? at(row.goal.ratio) : 0;
  const clear = goalAt > beside - 8 && goalAt < beside + 36 ? goalAt + 8 : beside;
  parts.push(text(clear, middle + 4.5, formatRatio(ratio), { 'font-weight': 600 }));
  return parts.join('\n');
}

/** @param {number} x @param {number} middle */
function goalMark(x, middle) {
  return { x1: x, x2: x, y1: middle - 10, y2: middle + 10, stroke: colours.goal, 'stroke-width': 2 };
}

/** @param {readonly number[]} ticks @param {(ratio: number) => number} at @param {number} end */
function axis(ticks, at, end) {
  return ticks
    .map((tick) => {
      const x = at(tick);
      const stroke = tick === 1 ? colours.soft : colours.grid;
      const line = element('line', { x1: x, x2: x, y1: top, y2: end + 4, stroke, 'stroke-width': tick === 1 ? 1.5 : 1 });
      const name = `${tick}×`;
      return `${line}\n${text(x, end + 22, name, { 'text-anchor': 'middle', fill: colours.soft })}`;
    })
    .join('\n');
}

/** @param {number} y */
function legend(y) {
  const entries = /** @type {const} */ ([
    [colours.met, 'target met'],
    [colours.missed, 'target missed'],
    [colours.open, 'no target set'],
  ]);
  const boxes = entries.map(([fill, name], index) => {
    const x = labels + index * 130;
    return `${element('rect', { x, y: y - 11, width: 12, height: 12, rx: 2, fill })}\n${text(x + 18, y, name, { fill: colours.soft })}`;
  });
  const x = labels + entries.length * 130;
  return [...boxes, element('line', goalMark(x + 4, y - 5)), text(x + 14, y, 'target', { fill: colours.soft })].join('\n');
}

/** @param {Report} report @returns {string} */
export function toSvg(report) {
  const rows = /** @type {Compared[]} */ (report.rows.filter(({ ratio }) => ratio !== undefined && ratio > 0));
  const { ticks, at } = scaleFor(rows);
  const { placed, heads, end } = layOut(rows);
  const height = end + bottom;
  const peer = report.names.peer ?? 'the peer';
  const body = [
    element('rect', { width, height, fill: '#ffffff' }),
    text(24, 38, `Tsukube compared with ${peer}`, { 'font-size': 20, 'font-weight': 600 }),
    text(24, 62, 'How many times faster, or smaller in memory, on the same machine; logarithmic scale, longer is better', {
      fill: colours.soft,
    }),
    axis(ticks, at, end),
    ...heads.map(({ title, y }) => text(24, y, title, { 'font-size': 14, 'font-weight': 600 })),
    ...placed.map(({ summary, y }) => bar(summary, y, at)),
    legend(end + 50),
    text(24, end + 78, `${report.date.slice(0, 10)}, ${machineLine(report.machine)}`, { 'font-size': 11, fill: colours.soft }),
  ];
  const font = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', sans-serif";
  const frame = { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${width} ${height}`, width, height, 'font-family': font };
  return `${element('svg', { ...frame, role: 'img' }, `\n<title>Tsukube compared with ${escapeText(peer)}</title>\n${body.join('\n')}\n`)}\n`;
}
