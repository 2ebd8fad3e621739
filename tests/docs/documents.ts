import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

const foldersIn = (folder: string) =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));
const packages = [
  ...foldersIn('packages'),
  ...foldersIn('apps'),
  ...foldersIn(join('examples', 'webhooks')),
  ...foldersIn(join('examples', 'controllers')),
];

/** All Markdown pages, by their paths from the root of the repository. */
export const documents: readonly string[] = ['.', 'docs', 'adr', 'bench', ...packages].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

/** The absolute path of a file that is given by its path from the root. */
export function placeOf(path: string): string {
  return join(root, path);
}

export function readDocument(path: string): string {
  return readFileSync(placeOf(path), 'utf8');
}

/** The text between a heading and the next one of the same or a higher level. */
export function section(text: string, heading: string): string {
  const start = text.indexOf(`\n${heading}\n`);
  if (start === -1) throw new Error(`there is no heading "${heading}"`);
  const rest = text.slice(start + heading.length + 2);
  const end = rest.search(new RegExp(`^#{1,${heading.indexOf(' ')}} `, 'm'));
  return end === -1 ? rest : rest.slice(0, end);
}

export interface CodeBlock {
  /** The text between this block and the one before it. */
  readonly before: string;
  readonly code: string;
}

export function codeBlocks(text: string, language: string): CodeBlock[] {
  const parts = text.split(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm'));
  return Array.from({ length: (parts.length - 1) / 2 }, (_, i) => ({
    before: parts[2 * i] as string,
    code: parts[2 * i + 1] as string,
  }));
}

export function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');
}

/** The anchors of the headings of a page, as GitHub generates them. */
export function anchors(text: string): string[] {
  const headings = [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)];
  return headings.map(([, heading]) => anchorOf(heading as string));
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}\p{Mark}_ -]/gu, '')
    .replaceAll(' ', '-');
}
