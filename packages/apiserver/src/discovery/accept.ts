export interface AcceptClause {
  /** In lower case; either half may be a star. */
  readonly mediaType: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/** The clauses of an Accept header by quality, then by how specific they are, then as sent. */
export function acceptClauses(header: string): readonly AcceptClause[] {
  return header
    .split(',')
    .map(parseClause)
    .filter(({ mediaType, quality }) => mediaType.includes('/') && quality > 0)
    .sort((a, b) => b.quality - a.quality || stars(a.mediaType) - stars(b.mediaType));
}

export function acceptsMediaType({ mediaType: wanted }: AcceptClause, mediaType: string): boolean {
  if (wanted === '*/*' || wanted === mediaType) return true;
  return wanted.endsWith('/*') && mediaType.startsWith(wanted.slice(0, -1));
}

function parseClause(text: string): AcceptClause {
  const [mediaType = '', ...rest] = text.split(';').map((part) => part.trim());
  const parameters = new Map(rest.map((part) => splitParameter(part)));
  const quality = parameters.get('q');
  return {
    mediaType: mediaType === '*' ? '*/*' : mediaType.toLowerCase(),
    parameters,
    quality: quality === undefined ? 1 : Number.parseFloat(quality) || 0,
  };
}

function splitParameter(text: string): [string, string] {
  const equals = text.indexOf('=');
  return equals < 0 ? [text, ''] : [text.slice(0, equals).trim(), text.slice(equals + 1).trim()];
}

function stars(mediaType: string): number {
  if (mediaType === '*/*') return 2;
  return mediaType.endsWith('/*') ? 1 : 0;
}
