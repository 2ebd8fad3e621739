import tsukube = require('tsukube');

export async function program(options: tsukube.StartServerOptions): Promise<string> {
  const server: tsukube.TestServer = await tsukube.startServer(options);
  await server.close();
  return server.url;
}
