import { readFileSync, unwatchFile, watchFile } from 'node:fs';

/** Polls the target of symbolic links, so that updates of mounted volumes are noticed. */
const intervalMs = 1000;

/** Reads a file, and again when it changes. `onChange` gets the new text, `onError` why it could not be used. */
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
