/**
 * The steps of recordings that are known to differ, with the reason, which is a heading of docs/compatibility.md. The responses to all
 * other steps of all recordings must be those recorded.
 */
export const knownDifferences: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'watch/events': { 20: 'streaming lists' },
};
