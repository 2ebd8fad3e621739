/** The texts of Warning headers: `299 - "text"`, several in one header separated by commas. */
export function warningsIn(header: string | string[] | undefined): string[] {
  if (header === undefined) return [];
  return [header].flat().flatMap((line) => quotedTexts(line));
}

/** Quoted strings; a backslash escapes the next character. */
function quotedTexts(line: string): string[] {
  const texts: string[] = [];
  let text: string | undefined;
  for (let i = 0; i < line.length; i++) {
    const c = line[i] as string;
    if (c === '"') {
      if (text !== undefined) texts.push(text);
      text = text === undefined ? '' : undefined;
    } else if (text !== undefined) text += c === '\\' ? (line[++i] ?? '') : c;
  }
  return texts;
}
