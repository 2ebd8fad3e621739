/** One line on why the server did not start, for the person who started it. */
export function startFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, syscall, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (syscall === 'listen' && code !== undefined) return listenFailure(code, `${address}:${port}`);
  return error.message.replaceAll('\n', ' ') || error.name;
}

function listenFailure(code: string, place: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `${place} is in use by another program, choose another port with --secure-port`;
    case 'EADDRNOTAVAIL':
      return `${place} is not an address of this machine, choose another with --bind-address`;
    case 'EACCES':
      return `no permission to listen on ${place}, choose a port above 1023 with --secure-port`;
    default:
      return `cannot listen on ${place} (${code})`;
  }
}
