import { readFileSync, unwatchFile, watchFile } from 'node:fs';

/** Symbolic links that are moved, as volumes of pods do, are noticed too: what they lead to is looked at. */
const intervalMs = 1000;

/** Reads a file, and again whenever it has changed: `onChange` is given the new text, `onError` why it could not be used. */
export function watchedFile(path: string, onChange: (text: string) => void, onError: (error: unknown) => void): { stop(): void } {
  let last = readFileSync(path, 'utf8');
  const look = (): void => {
    try {
      const text = readFileSync(path, 'utf8');
      if (text === last) return;
      last = text;
      onChange(text);
    } catch (error) {
      onError(error);
    }
  };
  watchFile(path, { interval: intervalMs, persistent: false }, look);
  return { stop: () => unwatchFile(path, look) };
}
