/** Keeps the CA and the serving certificate between starts, shared by all replicas of a program. */
export interface CertificateStore {
  /** All files by name; empty if there are none yet. */
  load(): Promise<StoredCertificates>;
  /** Replaces the files that were loaded. False if another replica changed them since: load again. */
  save(files: CertificateFiles, loaded: StoredCertificates): Promise<boolean>;
}

/** PEM by file name: `ca.crt`, `ca.key`, `tls.crt`, `tls.key`. */
export type CertificateFiles = ReadonlyMap<string, string>;

export interface StoredCertificates {
  readonly files: CertificateFiles;
  /** Identifies the state that was loaded; undefined if nothing is stored. */
  readonly version: string | undefined;
}

export const certificateFileNames = ['ca.crt', 'ca.key', 'tls.crt', 'tls.key'] as const;

/** Keeps certificates in this process only. */
export function memoryStore(): CertificateStore {
  let stored: StoredCertificates = { files: new Map(), version: undefined };
  return {
    load: async () => stored,
    save: async (files, loaded) => {
      if (loaded !== stored) return false;
      stored = { files: new Map(files), version: 'stored' };
      return true;
    },
  };
}
