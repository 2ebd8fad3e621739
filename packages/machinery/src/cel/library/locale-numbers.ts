const superscripts: { readonly [digit: string]: string } = {
  '0': '⁰',
  '1': '¹',
  '2': '²',
  '3': '³',
  '4': '⁴',
  '5': '⁵',
  '6': '⁶',
  '7': '⁷',
  '8': '⁸',
  '9': '⁹',
  '-': '⁻',
};

/** As English writes a number: 12,345.678. */
export function fixedText(value: number, precision: number): string {
  if (!Number.isFinite(value)) return notFinite(value);
  const [whole = '', fraction] = roundHalfEven(value, precision).split('.');
  // regex: bounded, a double has at most 309 digits before the point.
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** JavaScript rounds what is exactly in the middle up, Go rounds it to the even neighbour. */
function roundHalfEven(value: number, precision: number): string {
  const rounded = value.toFixed(precision);
  const exact = value.toFixed(Math.min(precision + 40, 100));
  const cut = exact.length - Math.min(40, 100 - precision);
  if (!/^50*$/.test(exact.slice(cut))) return rounded;
  const down = exact.slice(0, precision === 0 ? cut - 1 : cut);
  return Number(down.at(-1)) % 2 === 0 ? down : rounded;
}

/** 1.234500×10⁰³ */
export function scientificText(value: number): string {
  if (!Number.isFinite(value)) return notFinite(value);
  const [mantissa = '', exponent = ''] = value.toExponential(6).split('e');
  const digits = exponent.replace('+', '').replace(/^(-?)(\d)$/, '$10$2');
  const raised = [...digits].map((digit) => superscripts[digit] ?? digit).join('');
  return `${mantissa}×10${raised}`;
}

function notFinite(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value < 0 ? '-∞' : '∞';
}
