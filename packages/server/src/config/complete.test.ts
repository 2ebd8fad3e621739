import { describe, expect, it } from 'vitest';
import { completeOptions } from './complete.ts';

describe('options of a library user', () => {
  it('keep a server in memory off the disk', () => {
    const options = completeOptions({ storage: 'memory', securePort: 0 });
    expect(options).toMatchObject({ storage: 'memory', dataDir: undefined, certDir: undefined, kubeconfigOut: undefined });
  });

  it('have a client key that every client reads where it is kept, and one that is made at once where it is not', () => {
    expect(completeOptions({ storage: 'memory' }).clientKeyAlgorithm).toBe('ecdsa');
    expect(completeOptions({}).clientKeyAlgorithm).toBe('rsa');
    expect(completeOptions({ storage: 'memory', clientKeyAlgorithm: 'rsa' }).clientKeyAlgorithm).toBe('rsa');
  });

  it('treat undefined as not given', () => {
    expect(completeOptions({ securePort: undefined, storage: undefined })).toMatchObject({ securePort: 6443, storage: 'lmdb' });
  });

  it('survive being completed twice', () => {
    const options = completeOptions({ storage: 'memory', v: 4 });
    expect(completeOptions(options)).toEqual(options);
  });

  it('are checked like flags', () => {
    expect(() => completeOptions({ securePort: 1.5 })).toThrow('--secure-port: 1.5 is not a whole number');
    expect(() => completeOptions({ port: 1 } as never)).toThrow('unknown option port');
  });

  it('advertise an address that can be reached when bound to all interfaces', () => {
    expect(completeOptions({ bindAddress: '0.0.0.0' }).advertiseAddress).not.toBe('0.0.0.0');
    expect(completeOptions({ bindAddress: '::' }).advertiseAddress).not.toBe('::');
  });
});
