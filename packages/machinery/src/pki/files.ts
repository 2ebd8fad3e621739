/** Storage of keys and certificates between starts. */
export interface PkiFiles {
  /** Name of a file for messages. */
  locate(name: string): string;
  read(name: string): string | undefined;
  /** Whether the server wrote the file's current content; only then may it be replaced. Undefined without a record. */
  isOwn(name: string): boolean | undefined;
  /** Written by `flush`, in call order. */
  put(name: string, content: string): void;
  flush(): Promise<void>;
}

export function memoryFiles(): PkiFiles {
  const contents = new Map<string, string>();
  return {
    locate: (name) => name,
    read: (name) => contents.get(name),
    isOwn: () => true,
    put: (name, content) => void contents.set(name, content),
    flush: async () => {},
  };
}
