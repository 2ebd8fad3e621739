import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const version = 'v2.2.1+incompatible';
const program = fileURLToPath(new URL('../h2spec/server.mjs', import.meta.url));

const testCase = /<testcase package="([^"]*)" classname="([^"]*)"[^>]*>(?:([\s\S]*?)<\/testcase>)?/g;

/** @type {import('../harness/suite.mjs').Suite} */
export default {
  name: 'h2spec',
  title: 'HTTP/2 conformance of the transport, strict cases included',
  needs: ['go'],
  minutes: 10,
  async prepare(context) {
    const { folder } = context;
    const env = { GOBIN: folder };
    if (!existsSync(join(folder, 'h2spec')))
      await context.exec('go', ['install', `github.com/summerwind/h2spec/cmd/h2spec@${version}`], { env });
    const root = (await context.exec('go', ['env', 'GOROOT'])).trim();
    await context.exec('go', ['run', join(root, 'src', 'crypto', 'tls', 'generate_cert.go'), '--host=127.0.0.1']);
    return { version, folder };
  },
  async *run(context, { folder }) {
    const report = join(folder, 'report.xml');
    const server = context.spawn(process.execPath, [program, join(folder, 'cert.pem'), join(folder, 'key.pem')], { input: true });
    const { value: port } = await server.lines[Symbol.asyncIterator]().next();
    const args = ['--host=127.0.0.1', `--port=${port}`, '--tls', '--insecure', '--strict', `--junit-report=${report}`];
    rmSync(report, { force: true });
    try {
      for await (const line of context.spawn(join(folder, 'h2spec'), args).lines) context.status(line.trim());
    } finally {
      server.write('stop\n');
    }
    yield* results(readFileSync(report, 'utf8'));
  },
};

/** @param {string} report  JUnit @returns {Iterable<import('../harness/suite.mjs').Result>} */
function* results(report) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  for (const [, section, name, content = ''] of report.matchAll(testCase)) {
    const title = `${section}: ${name}`;
    const count = (seen.get(title) ?? 0) + 1;
    seen.set(title, count);
    const test = count === 1 ? title : `${title} (${count})`;
    if (content.includes('<skipped')) yield { test, outcome: 'skipped' };
    else if (content === '') yield { test, outcome: 'passed' };
    else yield { test, outcome: 'failed', detail: content.replace(/<[^>]*>/g, ' ').trim() };
  }
}
