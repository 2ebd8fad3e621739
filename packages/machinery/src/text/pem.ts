const begin = '-----BEGIN CERTIFICATE-----';
const end = '-----END CERTIFICATE-----';

/** PEM blocks of certificates in a text, without the text around them. Content is not decoded; it has no dash in it. */
export function certificateBlocks(text: string): readonly string[] {
  const blocks: string[] = [];
  let start = text.indexOf(begin);
  while (start >= 0) {
    const content = start + begin.length;
    const close = text.indexOf('-', content);
    const isBlock = close > content && text.startsWith(end, close);
    const next = isBlock ? close + end.length : content;
    if (isBlock) blocks.push(text.slice(start, next));
    start = text.indexOf(begin, next);
  }
  return blocks;
}
